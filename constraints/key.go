package constraints

import (
	"strconv"
	"strings"
)

// Key returns a text that two expressions share exactly if they are written the
// same way, failure messages aside. It identifies what is asked, for use as a
// map key; [Expr.String] is what people should read.
func Key(e Expr) string {
	var b strings.Builder
	writeKey(&b, e)
	return b.String()
}

func writeKey(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case GVK:
		writeKeyCall(b, "gvk", e.Group, e.Version, e.Kind)
	case Package:
		writeKeyCall(b, "package", e.Name, e.Range.Text())
	case Label:
		writeKeyCall(b, "label", e.Label)
	case CEL:
		writeKeyCall(b, "cel", e.Rule.Source())
	case All:
		writeKeyList(b, "all", e.Exprs)
	case Any:
		writeKeyList(b, "any", e.Exprs)
	case Not:
		writeKeyList(b, "not", e.Exprs)
	}
}

// writeKeyCall quotes every argument, so that no text can pass for two.
func writeKeyCall(b *strings.Builder, name string, args ...string) {
	b.WriteString(name)
	b.WriteByte('(')
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(arg))
	}
	b.WriteByte(')')
}

func writeKeyList(b *strings.Builder, name string, exprs []Expr) {
	b.WriteString(name)
	b.WriteByte('(')
	for i, e := range exprs {
		if i > 0 {
			b.WriteByte(',')
		}
		writeKey(b, e)
	}
	b.WriteByte(')')
}
