package solver

import (
	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// sat is a SAT solver that respects the limits of Options and the context.
//
// Assigning false to every variable must satisfy all of its clauses; every other
// demand is an assumption. This also keeps gini safe: gini must not be called
// again once its clauses alone are contradictory, and so they never are.
type sat struct {
	*state
	gini      *gini.Gini
	options   Options
	allocated int // variables
	literals  int
	failed    []z.Lit // the failed assumptions of the last solve
}

func newSAT(st *state, o Options, vars int) *sat {
	// gini initializes memory for this many variables one by one, which the context
	// cannot stop; beyond some number it had better grow.
	hint := min(vars+1, maxHint)
	return &sat{state: st, options: o, gini: gini.NewVc(hint, hint)}
}

const maxHint = 1 << 12

// newLit returns the positive literal of a new variable.
func (s *sat) newLit() z.Lit {
	if s.allocated++; s.allocated > s.options.MaxVars {
		s.tooLarge("variables", s.options.MaxVars)
		// Any literal will do from here on, as no more clauses are added.
		return z.Var(1).Pos()
	}
	return s.gini.Lit()
}

// add adds one clause of all the literals.
func (s *sat) add(parts ...[]z.Lit) {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if s.literals += n; s.literals > s.options.MaxLiterals {
		s.tooLarge("literals", s.options.MaxLiterals)
	}
	if !s.proceed(n) {
		return
	}
	for _, part := range parts {
		for _, m := range part {
			s.gini.Add(m)
		}
	}
	s.gini.Add(z.LitNull)
}

func (s *sat) tooLarge(what string, limit int) {
	if s.err == nil {
		s.err = &TooLarge{What: what, Limit: limit}
	}
}

// solve reports whether the clauses can be satisfied under the assumptions. It also
// returns false after an error.
//
// gini searches in slices, between which the context is checked. It keeps what it
// has learned. Slices of time, as in its Try, would end elsewhere on each run and
// lead to other contradictions: the load of the machine would show in explanations.
func (s *sat) solve(assumptions []z.Lit) bool {
	for {
		if s.checkContext(); s.err != nil {
			return false
		}
		s.gini.Assume(assumptions...)
		switch s.searchSlice() {
		case 1:
			return s.err == nil
		case -1:
			s.failed = s.gini.Why(s.failed[:0])
			return false
		}
	}
}

// propagationsPerTick is how many propagations gini makes between two checks for a
// pause or stop. They take some milliseconds.
const propagationsPerTick = 20_000

// searchSlice lets gini search for some ticks. It returns the result, 1 or -1, or 0
// if there is none yet. The ticks are enough to assign every variable or to reach
// a conflict: otherwise every slice would repeat the same work.
func (s *sat) searchSlice() int {
	running := s.gini.GoSolve()
	for range 2 * s.allocated / propagationsPerTick {
		result, paused := running.Pause()
		if !paused {
			return result
		}
		s.checkContext()
		running.Unpause()
		if s.err != nil {
			break
		}
	}
	return running.Stop() // at the next tick
}
