package solver

import (
	"slices"

	"github.com/resolvent/resolvent/solver/internal/cnf"
)

// core returns a minimal set of contradictory demands in their order, nil if all demands can
// be satisfied together.
//
// It shrinks a set by deletion. It removes one member after the other, from last to first,
// and restores it unless the others still contradict each other. It also removes demands
// that the solver did not need for that contradiction, and keeps those that a model shows
// to be needed. Given variables and roots come first, so that the core prefers what is
// closest to them.
func (e *encoding) core(demands []demand) ([]Reason, error) {
	e.phase = phaseMinimise
	defer func() { e.phase = phaseSearch }()

	var needed []demand // without any one of them, the rest can be satisfied
	open, ok := e.contradiction(demands, needed)
	if !ok {
		return nil, e.err
	}
	var rotation *rotation
	if len(open) > 1 {
		rotation = newRotation(e, open)
	}
	for len(open) > 0 && e.err == nil {
		last := len(open) - 1
		if rotation == nil || !rotation.needed[open[last].at] {
			rest, ok := e.contradiction(open[:last], needed)
			if rotation != nil && ok {
				rotation.restrict(rest, needed)
			} else if rotation != nil {
				rotation.fromModel(open[last].at)
			}
			if ok {
				open = rest
				continue
			}
		}
		needed = append(needed, open[last])
		open = open[:last]
	}
	if e.err != nil {
		return nil, e.err
	}
	slices.Reverse(needed)
	reasons := make([]Reason, len(needed))
	for i, d := range needed {
		reasons[i] = d.reason
	}
	return reasons, nil
}

// contradiction reports whether the demands of open and needed contradict each other. It
// returns the demands of open that the SAT solver needed to show this.
func (e *encoding) contradiction(open, needed []demand) (rest []demand, ok bool) {
	assumptions := make([]cnf.Lit, 0, len(open)+len(needed))
	for _, d := range open {
		assumptions = append(assumptions, d.lit)
	}
	for _, d := range needed {
		assumptions = append(assumptions, d.lit)
	}
	if e.sat.Solve(assumptions) || e.err != nil {
		return nil, false
	}
	failed := make(map[cnf.Lit]bool, len(e.sat.Failed()))
	for _, m := range e.sat.Failed() {
		failed[m] = true
	}
	for _, d := range open {
		if failed[d.lit] {
			rest = append(rest, d)
		}
	}
	return rest, true
}

// demands returns all demands of the problem in the order of Unsatisfiable.Core.
func (e *encoding) demands() []demand {
	return slices.Concat(e.given, e.roots, e.rules, e.groups)
}
