package result

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
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
	case words.MissingPackage, words.NoPackage:
		return required || len(r.args.Names) == 0
	case words.MissingVersion, words.MissingAPI, words.MissingLabel, words.NoMatch:
		return len(r.args.Bundles) == 0
	}
	return false
}

// Lacks reports whether the derivation rests on what no catalog has that was searched, so that a
// further one may have it. Nil does not.
func (e *Explanation) Lacks() bool { return e.rests((*Reason).lacks) }

// Elsewhere reports whether a further catalog may change the derivation, with what those searched
// have none of or with another version. Nil it does not.
func (e *Explanation) Elsewhere() bool { return e.rests((*Reason).elsewhere) }

// rests reports whether the derivation has a reason of a kind. What a rule says that cannot be
// evaluated does not count.
func (e *Explanation) rests(on func(*Reason) bool) bool {
	if e == nil {
		return false
	}
	ruled := map[*Explanation]bool{} // facts about a rule that cannot be evaluated
	for node := range e.nodes {
		if slices.ContainsFunc(node.Because, func(c *Explanation) bool { return c.Reason.code == words.RuleFailed }) {
			for _, c := range node.Because {
				ruled[c] = true
			}
		}
		if on(&node.Reason) && !ruled[node] {
			return true
		}
	}
	return false
}

func (r *Reason) lacks() bool {
	switch r.code {
	case words.MissingPackage, words.NoPackage, words.MissingAPI, words.MissingLabel, words.NoMatch, words.NoCatalog:
		return true
	}
	return slices.ContainsFunc(r.because, func(b Reason) bool { return b.lacks() })
}

func (r *Reason) elsewhere() bool {
	switch r.code {
	case words.MissingVersion:
		return true
	case words.Requires, words.RequiresAny, words.RequiresOffered:
		if _, excludes := r.args.Constraint.(constraints.Not); !excludes {
			return true // something else may satisfy it
		}
	}
	if r.args != nil && r.args.Request != nil && r.args.Request.Catalog == (catalog.Key{}) && r.args.Request.Package != "" {
		return true // any catalog may serve it
	}
	return r.lacks() || slices.ContainsFunc(r.because, func(b Reason) bool { return b.elsewhere() })
}

// elsewhere reports whether the node states that a catalog has it which does not count, or
// that a rule cannot be evaluated, which its author must correct.
func (e *Explanation) elsewhere() bool {
	switch e.Reason.code {
	case words.NotAskedCatalog, words.ExcludedCatalog, words.UnhealthyCatalog, words.InvisibleCatalog, words.RuleFailed, words.RuleNeverHolds:
		return true
	}
	return false
}
