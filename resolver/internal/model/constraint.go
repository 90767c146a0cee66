package model

import (
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/solver"
)

// impossible holds in no selection.
var impossible = &solver.Choice{}

// constraintFormula turns a constraint, stated by a bundle of the own catalog, into a
// formula over the selection.
func (m *matcher) constraintFormula(e constraints.Expr, catalog int) solver.Formula {
	if m.p.In.Options.BundleScope {
		return m.choice(e, catalog)
	}
	return m.formula(constraints.Normalize(e), catalog)
}

// formula builds the formula of a normalized constraint whose parts different bundles may
// satisfy. Alternatives that are all simple become one choice among all their candidates.
func (m *matcher) formula(e constraints.Expr, catalog int) solver.Formula {
	switch e := e.(type) {
	case constraints.Not:
		return m.absence(e.Exprs[0])
	case constraints.All:
		return &solver.And{Parts: m.formulas(e.Exprs, catalog)}
	case constraints.Any:
		if SimpleAlternatives(e) {
			return m.choice(e, catalog)
		}
		return &solver.Or{Parts: m.formulas(e.Exprs, catalog)}
	}
	return m.choice(e, catalog)
}

func (m *matcher) formulas(parts []constraints.Expr, own int) []solver.Formula {
	list := make([]solver.Formula, len(parts))
	for i, part := range parts {
		list[i] = m.formula(part, own)
	}
	return list
}

// SimpleAlternatives reports whether one bundle decides each alternative: all are simple.
func SimpleAlternatives(e constraints.Any) bool { return !slices.ContainsFunc(e.Exprs, Compound) }

// Compound reports whether an expression joins or negates others.
func Compound(e constraints.Expr) bool {
	switch e.(type) {
	case constraints.All, constraints.Any, constraints.Not:
		return true
	}
	return false
}

// choice builds the obligation that some selected bundle matches e.
func (m *matcher) choice(e constraints.Expr, own int) *solver.Choice {
	return &solver.Choice{Candidates: m.matching(e, own), Also: m.extrasMatching(e)}
}

// absence builds the condition that no selected bundle matches e.
func (m *matcher) absence(e constraints.Expr) *solver.Absent {
	a := &solver.Absent{Vars: m.matching(e, NoCatalog)}
	if extras := m.extrasMatching(e); len(extras) > 0 {
		a.Vars = append(a.Vars, extras)
	}
	return a
}
