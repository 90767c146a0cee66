package result

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// MissingTexts name what no catalog has, so that no change of the input helps
// but another catalog.
func (e *NotSatisfiable) MissingTexts() []string {
	var texts []string
	for i := range e.Causes {
		why := e.Causes[i].Explanation
		had := map[*Explanation]bool{} // by a catalog that does not count
		for node := range why.nodes {
			if slices.ContainsFunc(node.Because, func(c *Explanation) bool { _, ok := c.Reason.Detail.(Elsewhere); return ok }) {
				for _, c := range node.Because {
					had[c] = true
				}
			}
		}
		head, _ := why.Reason.Detail.(Conflict)
		for _, c := range head.Causes {
			if r := &c.Fact.Reason; !had[c.Fact] && nowhere(r, c.RequiredBy != nil) {
				texts = append(texts, words.Unbroken(r.Absent()))
			}
		}
	}
	return words.Distinct(texts)
}

// nowhere reports whether no catalog has what is missing. A request may name it with a
// slip, so a similar name counts there: what a bundle requires, nobody can change.
func nowhere(r *Reason, required bool) bool {
	switch d := r.Detail.(type) {
	case MissingPackage:
		return required || len(d.Nearest) == 0
	case MissingVersion:
		return len(d.InRange) == 0
	case MissingAPI:
		return len(d.NotOffered) == 0
	case NoMatch:
		return len(d.NotOffered) == 0
	}
	return false
}
