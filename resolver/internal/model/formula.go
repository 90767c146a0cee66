package model

import (
	"iter"
	"slices"

	"github.com/resolvent/resolvent/solver"
)

// Parts returns the parts of a compound formula, nil of any other.
func Parts(f solver.Formula) []solver.Formula {
	switch f := f.(type) {
	case *solver.And:
		return f.Parts
	case *solver.Or:
		return f.Parts
	}
	return nil
}

// Leaves yields the simple formulas that a formula is made of.
func Leaves(f solver.Formula) iter.Seq[solver.Formula] {
	return func(yield func(solver.Formula) bool) { yieldLeaves(f, yield) }
}

func yieldLeaves(f solver.Formula, yield func(solver.Formula) bool) bool {
	parts := Parts(f)
	for _, part := range parts {
		if !yieldLeaves(part, yield) {
			return false
		}
	}
	return parts != nil || yield(f)
}

// Positive appends to list the candidates of the formula's choices.
func Positive(f solver.Formula, list []solver.Var) []solver.Var {
	for leaf := range Leaves(f) {
		if choice, ok := leaf.(*solver.Choice); ok {
			for _, segment := range choice.Candidates {
				list = append(list, segment...)
			}
			list = append(list, choice.Also...)
		}
	}
	return list
}

// Negative appends to list the bundles that the formula's absences exclude.
func Negative(f solver.Formula, list []solver.Var) []solver.Var {
	for leaf := range Leaves(f) {
		if absent, ok := leaf.(*solver.Absent); ok {
			for _, segment := range absent.Vars {
				list = append(list, segment...)
			}
		}
	}
	return list
}

// Satisfies reports whether v is a candidate of one of the formula's choices.
func Satisfies(f solver.Formula, v solver.Var) bool { return slices.Contains(Positive(f, nil), v) }

// Impossible reports whether no bundle satisfies a formula.
func Impossible(f solver.Formula) bool {
	switch f := f.(type) {
	case *solver.Choice:
		return len(Positive(f, nil)) == 0
	case *solver.And:
		return slices.ContainsFunc(f.Parts, Impossible)
	case *solver.Or:
		return !slices.ContainsFunc(f.Parts, func(part solver.Formula) bool { return !Impossible(part) })
	}
	return false
}
