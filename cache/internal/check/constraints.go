package check

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// checkConstraint judges what a bundle asks: the names of APIs, ranges that
// surprise, and a not at the top.
func (c *checker) checkConstraint(at document.Origin, place catalog.Fault, stated constraints.Constraint) {
	if _, ok := stated.Expr.(constraints.Not); ok {
		c.warn(at, place, stated.Index, "not", "the constraint only forbids: other resolvers may refuse it, or take it for a demand that any other bundle meets")
	}
	w := &constraintWalk{checker: c, at: at, place: place, property: stated.Index, generic: stated.Type == properties.TypeConstraint}
	w.walk(stated.Expr, "")
}

// constraintWalk judges the parts of one constraint. Only the value of a generic
// one names the form of each part.
type constraintWalk struct {
	*checker
	at       document.Origin
	place    catalog.Fault
	property int
	generic  bool
}

// walk judges the expression whose form is named behind the prefix.
func (w *constraintWalk) walk(e constraints.Expr, prefix string) {
	path := func(form, field string) string {
		if !w.generic {
			return field
		}
		return strings.TrimSuffix(prefix+form+"."+field, ".")
	}
	each := func(form string, list []constraints.Expr) {
		for i, child := range list {
			w.walk(child, fmt.Sprintf("%s.constraints[%d].", prefix+form, i))
		}
	}
	switch e := e.(type) {
	case constraints.Package:
		for _, trap := range e.Range.Traps() {
			w.warn(w.at, w.place, w.property, path("package", "versionRange"), "the range of package "+e.Name+": "+trap.Text)
		}
	case constraints.GVK:
		w.checkGVK(w.at, w.place, w.property, path("gvk", ""), e.GVK)
	case constraints.All:
		each("all", e.Exprs)
	case constraints.Any:
		each("any", e.Exprs)
	case constraints.Not:
		each("not", e.Exprs)
	}
}

// checkSkipRange warns of the traps of an entry's skipRange. That the
// prereleases of the entry's own version are in is what its author wants.
func (c *packageCheck) checkSkipRange(blob *collect.Channel, e collect.Entry) {
	r, err := constraints.ParseRange(e.SkipRange)
	if err != nil {
		return // there is none, or that is reported already
	}
	own := ""
	for _, id := range c.snapshot.Named(e.Name) {
		if b := c.snapshot.Bundle(id); b.Package == blob.Pkg {
			own = b.Version.String()
		}
	}
	if own == "" {
		return // the entry leads to nothing
	}
	for _, trap := range r.Traps() {
		if trap.Prereleases != own {
			c.warn(blob.Origin, catalog.Fault{Package: blob.Pkg, Channel: blob.Name, Bundle: e.Name}, -1, "", "skipRange "+trap.Text)
		}
	}
}
