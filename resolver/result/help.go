package result

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// WaitText says for what one could wait; it is empty if waiting does not help.
func (e *NotSatisfiable) WaitText() string {
	i := slices.IndexFunc(e.Fixes, func(f fixes.Fix) bool { return f.Waits() })
	if i < 0 {
		return ""
	}
	names := mapped(e.Fixes[i].Steps, func(s fixes.Step) string { return s.Object.Name })
	return words.Unbroken("wait until " + words.Listed(names, words.MaxNamed) + words.Verb(len(names), " allows", " allow") + " updates, then nothing needs to change")
}

// HelpTexts say what would help: what to wait for, then the fixes in their order.
func (e *NotSatisfiable) HelpTexts() []string {
	texts := mapped(e.Fixes, func(f fixes.Fix) string { return f.Text(e.Namespace) })
	if wait := e.WaitText(); wait != "" {
		texts = slices.Insert(texts, 0, wait)
	}
	return texts
}

// MissingTexts name what no catalog has, so that no change of the input helps
// but another catalog.
func (e *NotSatisfiable) MissingTexts() []string {
	if e.Explanation == nil {
		return nil
	}
	had := map[*Explanation]bool{} // by a catalog that does not count
	for node := range e.Explanation.nodes {
		if slices.ContainsFunc(node.Because, func(c *Explanation) bool { _, ok := c.Reason.Detail.(Elsewhere); return ok }) {
			for _, c := range node.Because {
				had[c] = true
			}
		}
	}
	var texts []string
	head, _ := e.Explanation.Reason.Detail.(Conflict)
	for _, c := range head.Causes {
		if r := &c.Fact.Reason; !had[c.Fact] && nowhere(r) {
			texts = append(texts, words.Unbroken(r.Detail.(absence).absent(r)))
		}
	}
	return words.Distinct(texts)
}

// nowhere reports whether no catalog has what is missing, under no similar name.
func nowhere(r *Reason) bool {
	switch d := r.Detail.(type) {
	case MissingPackage:
		return len(d.Nearest) == 0
	case MissingVersion:
		return len(d.InRange) == 0
	case MissingAPI:
		return len(d.NotOffered) == 0
	case NoMatch:
		return len(d.NotOffered) == 0
	}
	return false
}
