package solver

import (
	"slices"

	"github.com/go-air/gini/z"
)

// core returns a minimal set of the demands that cannot be met together, in
// their order; nil if all of them can be.
//
// It shrinks a set by leaving out one member after the other, from last to
// first, for good if the others still contradict each other. What the solver
// did not need for that contradiction is left out as well. Roots stand first,
// and so what stays rather is what is nearest to them.
func (e *encoding) core(demands []demand) ([]Reason, error) {
	e.phase = PhaseMinimise
	defer func() { e.phase = PhaseSearch }()

	var needed []demand // each of them: without it, the rest could be met
	open, ok := e.contradiction(demands, needed)
	if !ok {
		return nil, e.err
	}
	for len(open) > 0 {
		last := len(open) - 1
		if rest, ok := e.contradiction(open[:last], needed); ok {
			open = rest
			continue
		}
		if e.err != nil {
			return nil, e.err
		}
		needed = append(needed, open[last])
		open = open[:last]
	}
	slices.Reverse(needed)
	reasons := make([]Reason, len(needed))
	for i, d := range needed {
		reasons[i] = d.reason
	}
	return reasons, nil
}

// contradiction reports whether the demands of open and needed cannot be met
// together, and returns those of open that this takes.
func (e *encoding) contradiction(open, needed []demand) (rest []demand, ok bool) {
	assumptions := make([]z.Lit, 0, len(open)+len(needed))
	for _, d := range open {
		assumptions = append(assumptions, d.lit)
	}
	for _, d := range needed {
		assumptions = append(assumptions, d.lit)
	}
	if e.solve(assumptions) || e.err != nil {
		return nil, false
	}
	failed := make(map[z.Lit]bool, len(e.failed))
	for _, m := range e.failed {
		failed[m] = true
	}
	for _, d := range open {
		if failed[d.lit] {
			rest = append(rest, d)
		}
	}
	return rest, true
}

// demands returns all demands of the problem in the order of
// Unsatisfiable.Core.
func (e *encoding) demands() []demand {
	return slices.Concat(e.given, e.roots, e.rules, e.groups)
}
