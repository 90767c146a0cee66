package solver

import (
	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// sat is a SAT solver that keeps to the limits of Options and to the context.
//
// The clauses that it is given must be satisfied by making every variable
// false; demands that are not are made by assumptions only. Beside meaning, it
// is this that keeps gini within what it is safe for: it must not be asked
// again once its clauses alone are contradictory, and so they never are.
type sat struct {
	*state
	gini      *gini.Gini
	options   Options
	allocated int // variables
	literals  int
	failed    []z.Lit // of the last solve, if it found a contradiction
}

func newSAT(st *state, o Options, vars int) *sat {
	// Memory for many variables is made one by one up front, which the context
	// could not end; beyond some number it had better grow.
	hint := min(vars+1, maxHint)
	return &sat{state: st, options: o, gini: gini.NewVc(hint, hint)}
}

const maxHint = 1 << 12

// newLit returns the positive literal of a new variable.
func (s *sat) newLit() z.Lit {
	if s.allocated++; s.allocated > s.options.MaxVars {
		s.tooLarge("variables", s.options.MaxVars)
		// Any literal will do from here on: no clause is added any more.
		return z.Var(1).Pos()
	}
	return s.gini.Lit()
}

// add adds the clause of all the literals.
func (s *sat) add(parts ...[]z.Lit) {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if s.literals += n; s.literals > s.options.MaxLiterals {
		s.tooLarge("literals", s.options.MaxLiterals)
	}
	if !s.spend(n) {
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

// solve reports whether the clauses can be satisfied under the assumptions. It
// reports false after an error, too.
//
// gini searches in slices, between which the context is looked at. What it has
// learned stays. Slices of time, as its Try has them, would end elsewhere each
// time, and so lead to another contradiction: how busy a machine is would show in
// explanations.
func (s *sat) solve(assumptions []z.Lit) bool {
	for {
		if s.look(); s.err != nil {
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

// propagationsATick is how many propagations gini makes before it looks whether it
// is to pause or to stop; they take some milliseconds.
const propagationsATick = 20_000

// searchSlice lets gini search until it has a result, 1 or -1, or else for some
// ticks, and returns 0. There are enough of them to set every variable, or to meet
// a conflict before: otherwise it would begin in the same way again for ever.
func (s *sat) searchSlice() int {
	running := s.gini.GoSolve()
	for range 2 * s.allocated / propagationsATick {
		result, paused := running.Pause()
		if !paused {
			return result
		}
		s.look()
		running.Unpause()
		if s.err != nil {
			break
		}
	}
	return running.Stop() // at the next tick
}
