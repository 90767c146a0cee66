// Package cnf collects clauses and searches for assignments that satisfy them. It counts
// variables, literals and conflicts, and hides gini.
package cnf

import (
	"context"
	"reflect"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// Lit is a literal: a variable or its negation (Not).
type Lit = z.Lit

// None is no literal.
const None = z.LitNull

// Work is the work that a Solver is part of.
type Work interface {
	// Proceed counts steps that are about to run, of some 10 ns each, and reports whether to
	// go on.
	Proceed(steps int) bool
	// Context returns the context of the work.
	Context() context.Context
	// Ended checks the context, and reports whether the work has ended.
	Ended() bool
	// Conflicts counts n conflicts.
	Conflicts(n int)
	// TooLarge ends the work, because there are more than limit of what is named.
	TooLarge(what string, limit int)
}

// Solver is a SAT solver that respects limits and a context.
//
// Assigning false to every variable must satisfy all of its clauses. Every other demand is
// an assumption. So the clauses alone are never contradictory, after which gini must not be
// called again.
type Solver struct {
	work                 Work
	gini                 *gini.Gini
	maxVars, maxLiterals int
	variables, literals  int           // so far
	failed               []Lit         // the failed assumptions of the last Solve
	met                  reflect.Value // gini's own count of the conflicts it met
	counted              int64         // conflicts that the work has counted
}

// New returns a Solver without clauses. vars is about its number of variables.
func New(work Work, vars, maxVars, maxLiterals int) *Solver {
	// gini initializes memory for these variables one by one, which the context cannot
	// stop. So beyond some number its memory grows later.
	hint := min(vars+1, maxHint)
	g := gini.NewVc(hint, hint)
	// gini counts conflicts, but has no method that returns the number.
	met := reflect.ValueOf(g).Elem().FieldByName("xo").Elem().FieldByName("Driver").Elem().FieldByName("Conflicts")
	return &Solver{work: work, maxVars: maxVars, maxLiterals: maxLiterals, gini: g, met: met}
}

const maxHint = 1 << 12

// NewLit returns the positive literal of a new variable.
func (s *Solver) NewLit() Lit {
	if s.variables++; s.variables > s.maxVars {
		s.work.TooLarge("variables", s.maxVars)
		// Any literal will do, because no more clauses are added.
		return z.Var(1).Pos()
	}
	return s.gini.Lit()
}

// Add adds one clause of the literals of all parts.
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

// Solve reports whether the clauses can be satisfied under the assumptions. It also returns
// false after an error.
//
// gini searches on a goroutine of its own. It pauses every 20,000 propagations, where Solve
// checks the limits. A pause does not change the search. Slices of time, as in its Try,
// would: they end elsewhere on each run, so that the load of the machine would change
// contradictions.
//
// With many learnt clauses, the time between two pauses is 40 ms. To wait for two of them
// after the end of the context would be too long. So Solve abandons the search then, which
// ends at its second pause.
func (s *Solver) Solve(assumptions []Lit) bool {
	if s.work.Ended() {
		return false
	}
	s.work.Conflicts(1) // for the call, so that the limit bounds calls, too
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

// look is the state of gini at a pause, or its result if it is not paused.
type look struct {
	result int
	paused bool
}

// countConflicts counts the conflicts that gini met since the last call. A search may exceed
// a limit until its next pause or its end. It is then incomplete in any case.
func (s *Solver) countConflicts() {
	met := s.met.Int()
	s.work.Conflicts(int(met - s.counted))
	s.counted = met
}

// Failed returns contradictory assumptions of the last Solve, not a minimal set. The list is
// valid until the next Solve.
func (s *Solver) Failed() []Lit { return s.failed }

// True reports whether the literal is true in the model of the last Solve.
func (s *Solver) True(m Lit) bool { return s.gini.Value(m) }
