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
// did not need for that contradiction is left out as well, and what a model shows
// to be needed is not tried. Roots stand first, and so what stays rather is what
// is nearest to them.
func (e *encoding) core(demands []demand) ([]Reason, error) {
	e.phase = PhaseMinimise
	defer func() { e.phase = PhaseSearch }()

	var needed []demand // each of them: without it, the rest could be met
	open, crowd := e.crowded(demands)
	if crowd == nil {
		var ok bool
		if open, ok = e.contradiction(demands, needed); !ok {
			return nil, e.err
		}
	}
	if len(open) < len(demands)/narrowShare {
		if e, open = e.narrow(open); e.err != nil {
			return nil, e.err
		}
	}
	var rotation *rotation
	if len(open) >= rotationPays || e.options.rotate {
		rotation = newRotation(e, open)
		if rotation != nil && crowd != nil {
			rotation.seat(crowd)
		}
	}
	for len(open) > 0 {
		last := len(open) - 1
		if rotation == nil || !rotation.needed[open[last].at] {
			rest, ok := e.contradiction(open[:last], needed)
			if e.err != nil {
				return nil, e.err
			}
			if rotation != nil && ok {
				rotation.keep(rest, needed)
			} else if rotation != nil {
				rotation.from(open[last].at)
			}
			if ok {
				open = rest
				continue
			}
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

// narrowShare is which part of the demands the first contradiction must not
// exceed for another encoding to pay off.
const narrowShare = 4

// narrow encodes again what the demands need, and no more: every step of the
// shrinking asks the SAT solver, whose work grows with all that it was told.
// What the demands do not mention can stay unselected, so that nothing else
// bears on them.
func (e *encoding) narrow(demands []demand) (*encoding, []demand) {
	p := part{only: make(map[Reason]bool, len(demands))}
	mentioned := newMentions(e)
	for _, d := range demands {
		p.only[d.reason] = true
		switch d.reason.Kind {
		case KindRoot:
			p.roots = append(p.roots, d.reason.Rule)
			mentioned.formula(e.state.roots()[d.reason.Rule].Formula)
		case KindRule:
			owner := e.vars.find(int32(d.reason.Var))
			mentioned.variable(owner)
			mentioned.formula(e.state.rules(owner)[d.reason.Rule].Formula)
		case KindHold:
			mentioned.formula(d.formula)
		case KindGiven, KindSelect, KindAvoid:
			mentioned.variable(e.vars.find(int32(d.reason.Var)))
		}
	}
	for _, i := range e.part.vars {
		if mentioned.vars[i] {
			p.vars = append(p.vars, i)
		}
	}
	narrow, err := encode(e.state, p, e.options, true)
	if err != nil {
		return e, nil // state.err is set
	}
	return narrow, narrow.again(demands)
}

// again returns the demands with their literals in e.
func (e *encoding) again(demands []demand) []demand {
	lits := make(map[Reason]z.Lit, len(demands))
	for _, d := range e.demands() {
		lits[d.reason] = d.lit
	}
	list := make([]demand, len(demands))
	for i, d := range demands {
		switch d.reason.Kind {
		case KindSelect:
			d.lit = e.selecting(d.reason.Var)
		case KindAvoid:
			d.lit = e.lit(d.reason.Var).Not()
		case KindHold:
			d.lit = e.formula(d.formula)
		default:
			d.lit = lits[d.reason]
		}
		list[i] = d
	}
	return list
}

// mentions collects the variables of an encoding that formulas mention.
type mentions struct {
	encoding *encoding
	vars     []bool // by number
	walked   map[segment]bool
}

func newMentions(e *encoding) *mentions {
	return &mentions{e, make([]bool, len(e.lits)), map[segment]bool{}}
}

func (m *mentions) variable(i int32) {
	if m.encoding.litOf(i) != z.LitNull {
		m.vars[i] = true
	}
}

func (m *mentions) formula(f Formula) {
	formulas := eachSegment(f, func(vars []Var) {
		if len(vars) >= sharedMin {
			key := segment{&vars[0], len(vars)}
			if m.walked[key] {
				return
			}
			m.walked[key] = true
		}
		if m.encoding.spend(len(vars)) {
			for _, v := range vars {
				m.variable(m.encoding.vars.find(int32(v)))
			}
		}
	})
	m.encoding.spend(formulas)
}

// demands returns all demands of the problem in the order of
// Unsatisfiable.Core.
func (e *encoding) demands() []demand {
	return slices.Concat(e.given, e.roots, e.rules, e.groups)
}
