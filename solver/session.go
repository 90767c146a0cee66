package solver

import (
	"context"
	"fmt"

	"github.com/resolvent/resolvent/solver/internal/cnf"
)

// Session answers queries about one problem, which it encodes once for each kind of query. It is
// not safe for concurrent use.
type Session struct {
	state    state
	options  Options
	universe []int32
	plain    *encoding // of Satisfiable
	guarded  *encoding // of Core
	demands  []demand  // scratch memory of queries
}

// Assume changes the problem of a Session for one query.
type Assume struct {
	// Select lists variables that must be selected. Those that the session does not reach
	// cannot be selected.
	Select []Var

	// Hold lists formulas that must hold. They make nothing reachable.
	Hold []Formula

	// WithoutGiven lists given variables that need not be selected.
	WithoutGiven []Var

	// WithoutRoots lists the indices of roots that need not hold.
	WithoutRoots []int
}

// NewSession reads p, which the first query encodes. The session reaches what a solve of p
// reaches, the further variables, and everything that these require.
//
// The errors are those of Solve except *Unsatisfiable.
func NewSession(ctx context.Context, p Problem, o Options, further ...Var) (s *Session, err error) {
	defer recoverInto(&err)
	s = &Session{options: o.withDefaults()}
	s.state.begin(ctx, p)
	if s.universe, err = reach(&s.state, further); err != nil {
		return nil, err
	}
	return s, nil
}

// Satisfiable reports whether some selection satisfies all demands of the problem
// and of a. The errors are those of Solve, except *Unsatisfiable.
func (s *Session) Satisfiable(ctx context.Context, a Assume) (ok bool, err error) {
	defer recoverInto(&err)
	s.resume(ctx)
	e, demands, err := s.assume(a, false)
	if err != nil {
		return false, err
	}
	lits := make([]cnf.Lit, len(demands))
	for i, d := range demands {
		lits[i] = d.lit
	}
	return e.sat.Solve(lits), s.state.err
}

// Core returns nil if some selection satisfies all demands of the problem and of a.
// Otherwise it returns a minimal set of contradictory demands, ordered as in
// Unsatisfiable. The errors are those of Satisfiable.
func (s *Session) Core(ctx context.Context, a Assume) (core []Reason, err error) {
	defer recoverInto(&err)
	s.resume(ctx)
	e, demands, err := s.assume(a, true)
	if err != nil {
		return nil, err
	}
	return e.core(demands)
}

// resume makes the session ready for a new query.
func (s *Session) resume(ctx context.Context) {
	if s.state.err != nil {
		// The last query may have encoded half a formula, and the clauses that gini learned
		// may depend on when it ended.
		s.plain, s.guarded = nil, nil
	}
	s.state.ctx, s.state.err, s.state.steps, s.state.conflicts = ctx, nil, 0, 0
	s.state.checkContext()
}

// encoding returns the plain or the guarded encoding, and makes it first if necessary.
func (s *Session) encoding(guarded bool) (*encoding, error) {
	kept := &s.plain
	if guarded {
		kept = &s.guarded
	}
	if *kept == nil {
		e, err := encode(&s.state, fullScope(&s.state, s.universe), s.options, guarded)
		if err != nil {
			return nil, err
		}
		*kept = e
	}
	return *kept, nil
}

// assume returns an encoding, and the demands under a.
func (s *Session) assume(a Assume, guarded bool) (*encoding, []demand, error) {
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
	for i, f := range a.Hold {
		demands = append(demands, demand{reason: Reason{Kind: KindHold, Var: None, Rule: i}, lit: e.formula(f), formula: f})
	}
	s.demands = demands
	return e, demands, s.state.err
}

// appendWithout appends the demands of the problem except those that a lifts.
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
	// A map would cost too much, because both roots and queries may be many.
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
func (e *encoding) selecting(v Var) cnf.Lit {
	if lit := e.lit(v); lit != cnf.None {
		return lit
	}
	return e.formula(never)
}

// never is a formula that never holds.
var never Formula = &Choice{}
