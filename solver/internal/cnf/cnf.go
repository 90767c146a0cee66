// Package cnf has clauses, and searches for what satisfies them. It counts what may be
// too many, and hides gini. What the clauses stand for is not known here.
package cnf

import (
	"context"
	"reflect"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// Lit is a literal: a variable, or its negation (Not).
type Lit = z.Lit

// None is no literal.
const None = z.LitNull

// Work is the work that a Solver is part of.
type Work interface {
	// Proceed counts steps that are about to run, of some 10 ns each, and reports whether
	// to go on.
	Proceed(steps int) bool
	// Context is that of the work, and Ended looks whether that is over.
	Context() context.Context
	Ended() bool
	// Conflicts counts so many that were met, and TooLarge ends the work for a limit.
	Conflicts(n int)
	TooLarge(what string, limit int)
}

// Solver is a SAT solver that respects limits and a context.
//
// Assigning false to every variable must satisfy all of its clauses; every other
// demand is an assumption. This also keeps gini safe: gini must not be called
// again once its clauses alone are contradictory, and so they never are.
type Solver struct {
	work                 Work
	gini                 *gini.Gini
	maxVars, maxLiterals int
	variables, literals  int           // so far
	failed               []Lit         // the failed assumptions of the last Solve
	met                  reflect.Value // gini's own count of the conflicts it met
	counted              int64         // those of them that the work has counted
}

// New returns a Solver without clauses that will have about so many variables.
func New(work Work, vars, maxVars, maxLiterals int) *Solver {
	// gini initializes memory for this many variables one by one, which the context
	// cannot stop; beyond some number it had better grow.
	hint := min(vars+1, maxHint)
	g := gini.NewVc(hint, hint)
	// gini counts conflicts, but none of its exported methods tells.
	met := reflect.ValueOf(g).Elem().FieldByName("xo").Elem().FieldByName("Driver").Elem().FieldByName("Conflicts")
	return &Solver{work: work, maxVars: maxVars, maxLiterals: maxLiterals, gini: g, met: met}
}

const maxHint = 1 << 12

// NewLit returns the positive literal of a new variable.
func (s *Solver) NewLit() Lit {
	if s.variables++; s.variables > s.maxVars {
		s.work.TooLarge("variables", s.maxVars)
		// Any literal will do from here on, as no more clauses are added.
		return z.Var(1).Pos()
	}
	return s.gini.Lit()
}

// Add adds one clause of all the literals.
func (s *Solver) Add(parts ...[]Lit) {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	if s.literals += n; s.literals > s.maxLiterals {
		s.work.TooLarge("literals", s.maxLiterals)
	}
	if !s.work.Proceed(n) {
		return
	}
	for _, part := range parts {
		for _, m := range part {
			s.gini.Add(m)
		}
	}
	s.gini.Add(z.LitNull)
}

// Solve reports whether the clauses can be satisfied under the assumptions. It also
// returns false after an error.
//
// gini searches on a goroutine of its own, and pauses every 20,000 propagations for a
// look at the limits. A pause leaves no trace in its search. Slices of time, as in
// its Try, would end elsewhere on each run and lead to other contradictions: the
// load of the machine would show in explanations. With many learnt clauses it is 40 ms
// from pause to pause, too long to wait for twice once the context has ended: the
// search is abandoned then, with all that it works on, and ends at its second pause.
func (s *Solver) Solve(assumptions []Lit) bool {
	if s.work.Ended() {
		return false
	}
	s.work.Conflicts(1) // of the call itself, which bounds their number, too
	s.gini.Assume(assumptions...)
	running := s.gini.GoSolve()
	result, paused := running.Pause()
	for paused {
		s.countConflicts()
		running.Unpause()
		if !s.work.Proceed(0) {
			running.Stop() // at its next pause
			return false
		}
		next := make(chan look, 1)
		go func() {
			result, paused := running.Pause()
			next <- look{result, paused}
		}()
		select {
		case l := <-next:
			result, paused = l.result, l.paused
		case <-s.work.Context().Done():
			s.work.Ended()
			go func() {
				if l := <-next; l.paused {
					running.Unpause()
					running.Stop()
				}
			}()
			return false
		}
	}
	s.countConflicts()
	if result < 0 {
		s.failed = s.gini.Why(s.failed[:0])
	}
	return result > 0 && s.work.Proceed(0)
}

// look is what gini says at a pause: a result, unless it is paused.
type look struct {
	result int
	paused bool
}

// countConflicts counts those that gini met since the last time. A search may go on
// beyond a limit until its next pause, or to its end. That makes no difference: what met
// too many conflicts is incomplete.
func (s *Solver) countConflicts() {
	met := s.met.Int()
	s.work.Conflicts(int(met - s.counted))
	s.counted = met
}

// Failed returns the assumptions because of which the last Solve failed. The list is valid
// until the next one.
func (s *Solver) Failed() []Lit { return s.failed }

// True reports whether the literal is true in what the last Solve found.
func (s *Solver) True(m Lit) bool { return s.gini.Value(m) }
