package solver

import (
	"context"
	"fmt"

	"github.com/go-air/gini/z"
)

// Session answers repeated questions about one problem, which it encodes once.
// It is not safe for concurrent use.
type Session struct {
	state    state
	options  Options
	universe []int32
	plain    *encoding
	guarded  *encoding // only once a core was asked for
	demands  []demand  // the memory of the last question's
}

// Assume is what a question to a Session supposes beside the problem.
type Assume struct {
	// Select are variables that are to be selected. Those that the session
	// does not reach cannot be.
	Select []Var

	// Avoid are variables that are not to be selected.
	Avoid []Var

	// Hold are formulas that are to hold. They make nothing reachable.
	Hold []Formula

	// WithoutGiven are given variables that need not be selected.
	WithoutGiven []Var

	// WithoutRoots are the indices of roots that need not hold.
	WithoutRoots []int
}

// NewSession reads and encodes p. The session reaches what a solve of p would,
// and the further variables with all that they need.
//
// The errors are those of Solve, but an unsatisfiable problem is none.
func NewSession(ctx context.Context, p Problem, o Options, further ...Var) (s *Session, err error) {
	defer recoverInto(&err)
	s = &Session{options: o.withDefaults()}
	s.state.begin(ctx, p)
	if s.universe, err = reach(&s.state, further); err != nil {
		return nil, err
	}
	if _, err = s.encoding(false); err != nil {
		return nil, err
	}
	return s, nil
}

// Satisfiable reports whether some selection meets all demands of the problem
// and of a. The errors are those of Solve, except *Unsatisfiable.
func (s *Session) Satisfiable(ctx context.Context, a Assume) (ok bool, err error) {
	defer recoverInto(&err)
	s.resume(ctx)
	e, demands, err := s.suppose(a, false)
	if err != nil {
		return false, err
	}
	lits := make([]z.Lit, len(demands))
	for i, d := range demands {
		lits[i] = d.lit
	}
	return e.solve(lits), s.state.err
}

// Core returns nil if some selection meets all demands of the problem and of
// a, and otherwise a minimal set of them that cannot be met together, ordered
// as in Unsatisfiable. The errors are those of Satisfiable.
func (s *Session) Core(ctx context.Context, a Assume) (core []Reason, err error) {
	defer recoverInto(&err)
	s.resume(ctx)
	e, demands, err := s.suppose(a, true)
	if err != nil {
		return nil, err
	}
	return e.core(demands)
}

// resume makes the session ready for a new question.
func (s *Session) resume(ctx context.Context) {
	s.state.ctx, s.state.err, s.state.spent = ctx, nil, 0
	s.state.look()
}

// encoding returns the plain or the guarded encoding, made if it is missing.
func (s *Session) encoding(guarded bool) (*encoding, error) {
	kept := s.kept(guarded)
	if *kept != nil {
		return *kept, nil
	}
	e, err := encode(&s.state, whole(&s.state, s.universe), s.options, guarded)
	*kept = e
	return e, err
}

func (s *Session) kept(guarded bool) **encoding {
	if guarded {
		return &s.guarded
	}
	return &s.plain
}

// suppose returns an encoding, and the demands that are made under a.
func (s *Session) suppose(a Assume, guarded bool) (*encoding, []demand, error) {
	for i, f := range a.Hold {
		var c checker
		if what := c.walk(f, 1); what != "" {
			return nil, nil, &Invalid{Owner: None, Rule: -1, Problem: fmt.Sprintf("Assume.Hold[%d]: %s", i, what)}
		}
	}
	e, err := s.encoding(guarded)
	if err != nil {
		return nil, nil, err
	}
	demands := e.appendWithout(s.demands[:0], a)
	for _, v := range a.Select {
		demands = append(demands, demand{reason: Reason{Kind: KindSelect, Var: v, Rule: -1}, lit: e.selecting(v)})
	}
	for _, v := range a.Avoid {
		if lit := e.lit(v); lit != z.LitNull {
			demands = append(demands, demand{reason: Reason{Kind: KindAvoid, Var: v, Rule: -1}, lit: lit.Not()})
		}
	}
	for i, f := range a.Hold {
		demands = append(demands, demand{reason: Reason{Kind: KindHold, Var: None, Rule: i}, lit: e.formula(f), formula: f})
	}
	if s.state.err != nil {
		// A formula may be encoded in part only.
		*s.kept(guarded) = nil
		return nil, nil, s.state.err
	}
	s.demands = demands
	return e, demands, nil
}

// appendWithout appends the demands of the problem but for those that a takes
// back.
func (e *encoding) appendWithout(demands []demand, a Assume) []demand {
	without := make(map[Var]bool, len(a.WithoutGiven))
	for _, v := range a.WithoutGiven {
		without[v] = true
	}
	for _, d := range e.given {
		if !without[d.reason.Var] {
			demands = append(demands, d)
		}
	}
	// There may be as many as there are roots, and questions as many again.
	dropped := make([]bool, len(e.state.roots()))
	for _, i := range a.WithoutRoots {
		if i >= 0 && i < len(dropped) {
			dropped[i] = true
		}
	}
	for _, d := range e.roots {
		if !dropped[d.reason.Rule] {
			demands = append(demands, d)
		}
	}
	return append(append(demands, e.rules...), e.groups...)
}

// selecting returns a literal that implies that v is selected.
func (e *encoding) selecting(v Var) z.Lit {
	if lit := e.lit(v); lit != z.LitNull {
		return lit
	}
	return e.formula(nothing)
}

// nothing never holds.
var nothing Formula = &Choice{}
