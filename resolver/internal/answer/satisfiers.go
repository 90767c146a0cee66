package answer

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/solver"
)

// satisfiers finds which of the selected bundles satisfy a formula.
type satisfiers struct {
	selected []solver.Var
	index    map[solver.Var]int // into selected; nil if they are few
}

// newSatisfiers returns the satisfiers among the selected bundles.
func newSatisfiers(selected []solver.Var) satisfiers {
	s := satisfiers{selected: selected}
	if len(selected) > fewSelected {
		s.index = make(map[solver.Var]int, len(selected))
		for i, v := range selected {
			s.index[v] = i
		}
	}
	return s
}

// at returns the index of a selected bundle, -1 for any other.
func (s *satisfiers) at(v solver.Var) int {
	if s.index == nil {
		return slices.Index(s.selected, v)
	}
	if i, ok := s.index[v]; ok {
		return i
	}
	return -1
}

// of appends to found the indices of the selected bundles that satisfy a choice of the
// formula, perhaps with repeats.
func (s *satisfiers) of(f solver.Formula, found []int) []int {
	for leaf := range model.Leaves(f) {
		if choice, ok := leaf.(*solver.Choice); ok {
			for _, segment := range choice.Candidates {
				found = s.among(segment, found)
			}
			found = s.among(choice.Also, found)
		}
	}
	return found
}

// among appends to found the indices of the selected bundles in the list.
func (s *satisfiers) among(list []solver.Var, found []int) []int {
	if s.index == nil {
		for i, v := range s.selected {
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
