package explain

import (
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// anyVersion reports whether the range of a constraint does not matter: no
// catalog has the package.
func anyVersion(p *model.Part, e constraints.Expr, f solver.Formula) bool {
	pkg, ok := e.(constraints.Package)
	return ok && !HasPackage(p, pkg.Name) && len(model.Positive(f, nil)) == 0
}

// part derives why the formula of a constraint cannot hold. The parts of the formula run
// parallel to those of the normalized expression.
func (d *derivation) part(e constraints.Expr, f solver.Formula) []*result.Explanation {
	var exprs []constraints.Expr
	switch e := e.(type) {
	case constraints.Not:
		return d.absence(e.Exprs[0], f)
	case constraints.All:
		exprs = e.Exprs
	case constraints.Any:
		if model.SimpleAlternatives(e) {
			return d.choice(e, f)
		}
		exprs = e.Exprs
	default:
		return d.choice(e, f)
	}
	var nodes []*result.Explanation
	for i, part := range model.Parts(f) {
		if d.matters(part) {
			nodes = append(nodes, headed(exprs[i], d.part(exprs[i], part))...)
		}
	}
	return nodes
}

// headed puts the outcome of one part of a compound constraint below a line that
// names the part.
func headed(e constraints.Expr, nodes []*result.Explanation) []*result.Explanation {
	if model.Compound(e) || len(nodes) == 0 || len(nodes) == 1 && nodes[0].Fact {
		return nodes
	}
	return []*result.Explanation{{Reason: reason.Part(e), Core: true, Because: nodes}}
}

// choice derives why none of the candidates is possible. A choice that the core leaves
// open is no cause and adds nothing.
func (d *derivation) choice(e constraints.Expr, f solver.Formula) []*result.Explanation {
	candidates := model.Positive(f, nil)
	if len(candidates) == 0 {
		return d.missing(e)
	}
	if slices.ContainsFunc(candidates, func(v solver.Var) bool { return d.applying(v) == 0 }) {
		return nil
	}
	return d.outcomes(candidates)
}

// missing states what is missing, for each alternative if there are several.
func (d *derivation) missing(e constraints.Expr) []*result.Explanation {
	any, ok := e.(constraints.Any)
	if !ok {
		facts := Find(d.p, e)
		d.causes = append(d.causes, result.ConflictCause{Fact: facts[0], RequiredBy: d.by})
		return facts
	}
	var facts []*result.Explanation
	for _, alternative := range any.Exprs {
		facts = append(facts, d.missing(alternative)...)
	}
	return facts
}

// absence states which of the bundles in question a constraint excludes. Many
// bundles may exclude the same ones, so the lists are made once and shared.
func (d *derivation) absence(e constraints.Expr, f solver.Formula) []*result.Explanation {
	key := constraintKey{d.p, constraints.Key(e)}
	excluded, ok := d.absences[key]
	if !ok {
		excluded = d.inQuestion(model.Negative(f, nil))
		d.absences[key] = excluded
	}
	nodes := exclusions(excluded)
	for _, node := range nodes {
		d.causes = append(d.causes, result.ConflictCause{Fact: node, Excluder: d.by, Absent: e})
	}
	return nodes
}

// exclusions states which bundles are excluded.
func exclusions(excluded [][]result.BundleRef) []*result.Explanation {
	return words.Mapped(excluded, func(refs []result.BundleRef) *result.Explanation {
		about := first(refs)
		about.Package = refs[0].Bundle.Package
		return leaf(refs, false, reason.Excluded(about))
	})
}

// inQuestion returns the bundles that the core reaches among the given ones, by package.
func (d *derivation) inQuestion(vars []solver.Var) [][]result.BundleRef {
	if len(vars) == 0 {
		return nil
	}
	listed := make(map[solver.Var]bool, len(vars))
	for _, v := range vars {
		listed[v] = true
	}
	d.m.Model.Pace.Step(1 + (len(vars)+len(d.reached))/pace.PerStep)
	reached := slices.DeleteFunc(slices.Clone(d.reached), func(v solver.Var) bool { return !listed[v] })
	return words.Grouped(model.Refs(d.m.Model, reached), func(b result.BundleRef) [3]any {
		return [3]any{b.Namespace, b.Bundle.Package, b.Installed}
	})
}
