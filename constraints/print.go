package constraints

import (
	"strings"
	"unicode/utf8"
)

// maxRuleShown is how much of a CEL rule a sentence shows, in bytes.
const maxRuleShown = 200

func (e GVK) String() string { return "an operator providing " + e.Describe() }

func (e Package) String() string { return "package " + e.Name + " in range " + e.Range.Text() }

func (e Label) String() string { return "an operator labeled " + e.Label }

func (e CEL) String() string {
	return "an operator for which this holds: " + cut(onOneLine(e.Rule.Source()), maxRuleShown)
}

func (e All) String() string { return joined("all of", "and", e.Exprs) }

func (e Any) String() string { return joined("any of", "or", e.Exprs) }

func (e Not) String() string {
	if len(e.Exprs) != 1 {
		return joined("none of", "or", e.Exprs)
	}
	text := textOf(e.Exprs[0])
	if noun, ok := strings.CutPrefix(text, "an "); ok {
		return "no " + noun
	}
	if strings.HasPrefix(text, "package ") {
		return "no " + text
	}
	return "not (" + text + ")"
}

// joined lists expressions in a sentence. A list of one reads as its element.
func joined(of, conjunction string, exprs []Expr) string {
	if len(exprs) == 1 && of != "none of" {
		return textOf(exprs[0])
	}
	var b strings.Builder
	b.WriteString(of)
	b.WriteString(" (")
	for i, e := range exprs {
		switch {
		case i == 0:
		case i == len(exprs)-1:
			b.WriteString(" " + conjunction + " ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(textOf(e))
	}
	b.WriteString(")")
	return b.String()
}

func textOf(e Expr) string {
	if e == nil {
		return "nothing"
	}
	return e.String()
}

// onOneLine returns text with every run of white space as one space.
func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut returns text, or its beginning if it is longer than max bytes.
func cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "..."
}
