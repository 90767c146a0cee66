package rules

import (
	"strings"
	"unicode/utf8"
)

// Shown returns the rule on one line, cut if it is long.
func (r *Rule) Shown() string { return cut(onOneLine(r.Source()), maxRuleShown) }

// onOneLine returns text with each run of white space as one space.
func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut returns text, or its beginning if it has more than max bytes.
func cut(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "..."
}
