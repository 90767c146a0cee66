package candidate

import (
	"slices"

	"github.com/resolvent/resolvent/solver"
)

// Satisfiers find which of the selected bundles meet which formulas. Each list of
// candidates is walked once, however many bundles and formulas share it.
type Satisfiers struct {
	Selected []solver.Var
	index    map[solver.Var]int // into selected; nil if they are few
	// long remembers what was found in long lists.
	long map[Segment][]int
}

const (
	// fewSelected is a number of bundles that a list is searched for faster than
	// its members are looked up.
	fewSelected = 16
	// LongSegment is a length from which on a list is worth remembering.
	LongSegment = 16
)

func NewSatisfiers(selected []solver.Var) Satisfiers {
	m := Satisfiers{Selected: selected}
	if len(selected) > fewSelected {
		m.index = make(map[solver.Var]int, len(selected))
		for i, v := range selected {
			m.index[v] = i
		}
	}
	return m
}

// At returns the index of a selected bundle, -1 for any other.
func (m *Satisfiers) At(v solver.Var) int {
	if m.index == nil {
		return slices.Index(m.Selected, v)
	}
	if i, ok := m.index[v]; ok {
		return i
	}
	return -1
}

// Of appends the indices of the selected bundles that satisfy a choice of the
// formula. One may be there several times.
func (m *Satisfiers) Of(f solver.Formula, met []int) []int {
	switch f := f.(type) {
	case *solver.Choice:
		for _, segment := range f.Candidates {
			met = m.Among(segment, met)
		}
		return m.Among(f.Also, met)
	case *solver.And:
		for _, part := range f.Parts {
			met = m.Of(part, met)
		}
	case *solver.Or:
		for _, part := range f.Parts {
			met = m.Of(part, met)
		}
	}
	return met
}

// Among appends the indices of those of the list that are selected.
func (m *Satisfiers) Among(list []solver.Var, met []int) []int {
	if len(list) < LongSegment {
		return m.walk(list, met)
	}
	key := SegmentOf(list)
	found, ok := m.long[key]
	if !ok {
		found = m.walk(list, nil)
		if m.long == nil {
			m.long = make(map[Segment][]int)
		}
		m.long[key] = found
	}
	return append(met, found...)
}

func (m *Satisfiers) walk(list []solver.Var, met []int) []int {
	if m.index == nil {
		for i, v := range m.Selected {
			if slices.Contains(list, v) {
				met = append(met, i)
			}
		}
		return met
	}
	for _, v := range list {
		if i, ok := m.index[v]; ok {
			met = append(met, i)
		}
	}
	return met
}

// Satisfies reports whether v satisfies a choice of the formula.
func Satisfies(f solver.Formula, v solver.Var) bool {
	m := NewSatisfiers([]solver.Var{v})
	return len(m.Of(f, nil)) > 0
}
