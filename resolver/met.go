package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/solver"
)

// meetings find which of the selected bundles meet which formulas. Each list of
// candidates is walked once, however many bundles and formulas share it.
type meetings struct {
	selected []solver.Var
	index    map[solver.Var]int // into selected; nil if they are few
	// long remembers what was found in long lists.
	long map[candidateSegment][]int
}

const (
	// fewSelected is a number of bundles that a list is searched for faster than
	// its members are looked up.
	fewSelected = 16
	// longSegment is a length from which on a list is worth remembering.
	longSegment = 16
)

func newMeetings(selected []solver.Var) meetings {
	m := meetings{selected: selected}
	if len(selected) > fewSelected {
		m.index = make(map[solver.Var]int, len(selected))
		for i, v := range selected {
			m.index[v] = i
		}
	}
	return m
}

// at returns the index of a selected bundle, -1 for any other.
func (m *meetings) at(v solver.Var) int {
	if m.index == nil {
		return slices.Index(m.selected, v)
	}
	if i, ok := m.index[v]; ok {
		return i
	}
	return -1
}

// of appends the indices of the selected bundles that satisfy a choice of the
// formula. One may be there several times.
func (m *meetings) of(f solver.Formula, met []int) []int {
	switch f := f.(type) {
	case *solver.Choice:
		for _, segment := range f.Candidates {
			met = m.among(segment, met)
		}
		return m.among(f.Also, met)
	case *solver.And:
		for _, part := range f.Parts {
			met = m.of(part, met)
		}
	case *solver.Or:
		for _, part := range f.Parts {
			met = m.of(part, met)
		}
	}
	return met
}

// among appends the indices of those of the list that are selected.
func (m *meetings) among(list []solver.Var, met []int) []int {
	if len(list) < longSegment {
		return m.walk(list, met)
	}
	key := segmentOf(list)
	found, ok := m.long[key]
	if !ok {
		found = m.walk(list, nil)
		if m.long == nil {
			m.long = make(map[candidateSegment][]int)
		}
		m.long[key] = found
	}
	return append(met, found...)
}

func (m *meetings) walk(list []solver.Var, met []int) []int {
	if m.index == nil {
		for i, v := range m.selected {
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

// meets reports whether v satisfies a choice of the formula.
func meets(f solver.Formula, v solver.Var) bool {
	m := newMeetings([]solver.Var{v})
	return len(m.of(f, nil)) > 0
}
