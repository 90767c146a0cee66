package model

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/solver"
)

// impossible holds in no selection.
var impossible = &solver.Choice{}

// constraintFormula turns a constraint, stated by a bundle of the own catalog, into a
// formula over the selection.
func (m *matcher) constraintFormula(e constraints.Expr, own int) solver.Formula {
	if m.p.In.Options.BundleScope {
		return m.choice(e, own)
	}
	return m.formula(constraints.Normalize(e), own)
}

// formula builds the formula of a constraint whose leaves different bundles may satisfy.
// Alternatives that are all positive leaves become one choice among all their candidates.
func (m *matcher) formula(f constraints.Formula, own int) solver.Formula {
	switch f := f.(type) {
	case constraints.Leaf:
		if f.Negated {
			return m.absence(f.Expr)
		}
		return m.choice(f.Expr, own)
	case constraints.And:
		return &solver.And{Parts: m.formulas(f.Parts, own)}
	case constraints.Or:
		if simple, ok := SimpleAlternatives(f); ok {
			return m.choice(simple, own)
		}
		return &solver.Or{Parts: m.formulas(f.Parts, own)}
	}
	return impossible
}

func (m *matcher) formulas(parts []constraints.Formula, own int) []solver.Formula {
	list := make([]solver.Formula, len(parts))
	for i, part := range parts {
		list[i] = m.formula(part, own)
	}
	return list
}

// SimpleAlternatives returns the parts of a disjunction as one expression, if all of them
// are positive leaves.
func SimpleAlternatives(f constraints.Or) (constraints.Expr, bool) {
	parts := make([]constraints.Expr, len(f.Parts))
	for i, part := range f.Parts {
		leaf, ok := part.(constraints.Leaf)
		if !ok || leaf.Negated {
			return nil, false
		}
		parts[i] = leaf.Expr
	}
	return constraints.Any{Exprs: parts}, true
}

// choice builds the obligation that some selected bundle matches e.
func (m *matcher) choice(e constraints.Expr, own int) *solver.Choice {
	return &solver.Choice{Candidates: m.matching(e, own), Also: m.extrasMatching(e)}
}

// absence builds the condition that no selected bundle matches e.
func (m *matcher) absence(e constraints.Expr) *solver.Absent {
	a := &solver.Absent{Vars: m.matching(e, candidate.NoCatalog)}
	if extras := m.extrasMatching(e); len(extras) > 0 {
		a.Vars = append(a.Vars, extras)
	}
	return a
}
