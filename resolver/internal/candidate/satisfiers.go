package candidate

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/memo"
	"github.com/resolvent/resolvent/solver"
)

// leaves visits the choices and absences of a formula.
func leaves(f solver.Formula, visit func(leaf solver.Formula)) {
	var parts []solver.Formula
	switch f := f.(type) {
	case *solver.And:
		parts = f.Parts
	case *solver.Or:
		parts = f.Parts
	default:
		visit(f)
	}
	for _, part := range parts {
		leaves(part, visit)
	}
}

// Positive appends the bundles that satisfy a choice of the formula.
func Positive(f solver.Formula, list []solver.Var) []solver.Var {
	leaves(f, func(leaf solver.Formula) {
		if choice, ok := leaf.(*solver.Choice); ok {
			for _, segment := range choice.Candidates {
				list = append(list, segment...)
			}
			list = append(list, choice.Also...)
		}
	})
	return list
}

// Negative appends the bundles that an absence of the formula names.
func Negative(f solver.Formula, list []solver.Var) []solver.Var {
	leaves(f, func(leaf solver.Formula) {
		if absent, ok := leaf.(*solver.Absent); ok {
			for _, segment := range absent.Vars {
				list = append(list, segment...)
			}
		}
	})
	return list
}

// Satisfiers finds which of the selected bundles satisfy which formulas. Each
// list of candidates is walked once, however many bundles and formulas share it.
type Satisfiers struct {
	Selected []solver.Var
	index    map[solver.Var]int // into Selected; nil if they are few
	// long keeps what was found in long lists, once there is one.
	long *memo.Memo[Segment, []int]
}

const (
	// fewSelected is a number of bundles that a list is searched for faster than
	// its members are found by the index.
	fewSelected = 16
	// LongSegment is the length from which on what is derived from a list is kept.
	LongSegment = 16
)

// NewSatisfiers returns the Satisfiers among the selected bundles.
func NewSatisfiers(selected []solver.Var) Satisfiers {
	s := Satisfiers{Selected: selected}
	if len(selected) > fewSelected {
		s.index = make(map[solver.Var]int, len(selected))
		for i, v := range selected {
			s.index[v] = i
		}
	}
	return s
}

// At returns the index of a selected bundle, -1 for any other.
func (s *Satisfiers) At(v solver.Var) int {
	if s.index == nil {
		return slices.Index(s.Selected, v)
	}
	if i, ok := s.index[v]; ok {
		return i
	}
	return -1
}

// Of appends the indices of the selected bundles that satisfy a choice of the
// formula. One may be there several times.
func (s *Satisfiers) Of(f solver.Formula, found []int) []int {
	leaves(f, func(leaf solver.Formula) {
		if choice, ok := leaf.(*solver.Choice); ok {
			for _, segment := range choice.Candidates {
				found = s.Among(segment, found)
			}
			found = s.Among(choice.Also, found)
		}
	})
	return found
}

// Among appends the indices of those of the list that are selected.
func (s *Satisfiers) Among(list []solver.Var, found []int) []int {
	if len(list) < LongSegment {
		return s.walk(list, found)
	}
	if s.long == nil {
		s.long = &memo.Memo[Segment, []int]{}
	}
	return append(found, s.long.Value(SegmentOf(list), func() []int { return s.walk(list, nil) })...)
}

func (s *Satisfiers) walk(list []solver.Var, found []int) []int {
	if s.index == nil {
		for i, v := range s.Selected {
			if slices.Contains(list, v) {
				found = append(found, i)
			}
		}
		return found
	}
	for _, v := range list {
		if i, ok := s.index[v]; ok {
			found = append(found, i)
		}
	}
	return found
}

// Satisfies reports whether v satisfies a choice of the formula.
func Satisfies(f solver.Formula, v solver.Var) bool { return slices.Contains(Positive(f, nil), v) }
