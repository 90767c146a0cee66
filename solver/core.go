package solver

import (
	"slices"

	"github.com/go-air/gini/z"
)

// core returns a minimal set of contradictory demands in their order, nil if all
// demands can be satisfied together.
//
// It shrinks a set by deletion: it leaves out one member after the other, from
// last to first, and for good if the others still contradict each other. It also
// leaves out what the solver did not need for that contradiction, and does not try
// what a model shows to be needed. Roots stand first, so that the core prefers
// what is closest to them.
func (e *encoding) core(demands []demand) ([]Reason, error) {
	e.phase = PhaseMinimise
	defer func() { e.phase = PhaseSearch }()

	counted := e.counted(demands) // by reason: whether it is needed
	var needed []demand           // without any one of them, the rest can be satisfied
	var open []demand
	if len(counted) == 0 {
		var ok bool
		if open, ok = e.contradiction(demands, needed); !ok {
			return nil, e.err
		}
	}
	undecided := len(open)
	for _, d := range demands {
		if shown, ok := counted[d.reason]; ok {
			open = append(open, d)
			if !shown {
				undecided++
			}
		}
	}
	if undecided > 0 && len(open) < len(demands)/narrowShare {
		if e, open = e.narrow(open); e.err != nil {
			return nil, e.err
		}
	}
	var rotation *rotation
	if undecided >= minRotated || e.options.rotate {
		rotation = newRotation(e, open)
	}
	for len(open) > 0 {
		last := len(open) - 1
		if !counted[open[last].reason] && (rotation == nil || !rotation.needed[open[last].at]) {
			rest, ok := e.contradiction(open[:last], needed)
			if e.err != nil {
				return nil, e.err
			}
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

// counted returns those of the demands that contradict each other by number, and
// whether each is known to be needed for it.
func (e *encoding) counted(demands []demand) map[Reason]bool {
	var roots []int
	for _, d := range demands {
		if d.reason.Kind == KindRoot {
			roots = append(roots, d.reason.Rule)
		}
	}
	c := newCliqueCover(e.state, roots, e.options)
	if c == nil {
		return nil
	}
	needed := map[Reason]bool{}
	for _, d := range c.contradiction() {
		needed[d.reason] = d.needed
	}
	return needed
}

// contradiction reports whether the demands of open and needed contradict each
// other, and returns those of open that the SAT solver used to show it.
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

// A second encoding pays off if the first contradiction has less than one in
// narrowShare of the demands.
const narrowShare = 4

// narrow encodes only the demands again, because every step of the shrinking calls
// the SAT solver, whose work grows with its clauses. The variables that the
// demands do not mention can stay unselected, so nothing else affects them.
func (e *encoding) narrow(demands []demand) (*encoding, []demand) {
	p := scope{only: make(map[Reason]bool, len(demands))}
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
	for _, i := range e.scope.vars {
		if mentioned.vars[i] {
			p.vars = append(p.vars, i)
		}
	}
	narrow, err := encode(e.state, p, e.options, true)
	if err != nil {
		return e, nil // state.err is set
	}
	return narrow, narrow.translate(demands)
}

// translate returns the demands with their literals in e.
func (e *encoding) translate(demands []demand) []demand {
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

// mentions collects those variables of an encoding that occur in formulas.
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
		if m.encoding.proceed(len(vars)) {
			for _, v := range vars {
				m.variable(m.encoding.vars.find(int32(v)))
			}
		}
	})
	m.encoding.proceed(formulas)
}

// demands returns all demands of the problem in the order of
// Unsatisfiable.Core.
func (e *encoding) demands() []demand {
	return slices.Concat(e.given, e.roots, e.rules, e.groups)
}
