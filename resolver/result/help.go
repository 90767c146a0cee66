package result

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// MissingTexts returns what no catalog has: only a further catalog helps.
func (e *NotSatisfiable) MissingTexts() []string {
	var texts []string
	for i := range e.Causes {
		why := e.Causes[i].Explanation
		had := map[*Explanation]bool{} // facts with a catalog that has it but does not count
		for node := range why.nodes {
			if slices.ContainsFunc(node.Because, (*Explanation).elsewhere) {
				for _, c := range node.Because {
					had[c] = true
				}
			}
		}
		for _, c := range why.ends() {
			if r := &c.Fact.Reason; !had[c.Fact] && nowhere(r, c.RequiredBy != nil) {
				texts = append(texts, r.Absent())
			}
		}
	}
	return words.Distinct(texts)
}

// nowhere reports whether no catalog has what is missing. A request may misspell a name: it
// counts as missing only if there is no similar one. A bundle's constraint cannot be edited.
func nowhere(r *Reason, required bool) bool {
	switch r.code {
	case code.MissingPackage, code.NoPackage:
		return required || len(r.args.Names) == 0
	case code.MissingVersion, code.MissingAPI, code.MissingLabel, code.NoMatch:
		return len(r.args.Bundles) == 0
	}
	return false
}

// elsewhere reports whether the node states that a catalog has it which does not count, or
// that a rule cannot be evaluated, which its author must correct.
func (e *Explanation) elsewhere() bool {
	switch e.Reason.code {
	case code.NotAskedCatalog, code.ExcludedCatalog, code.UnhealthyCatalog, code.InvisibleCatalog, code.RuleFailed:
		return true
	}
	return false
}
