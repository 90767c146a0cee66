package solver

import (
	"reflect"

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
	failed    []z.Lit       // the failed assumptions of the last solve
	met       reflect.Value // gini's own count of the conflicts it met
	counted   int64         // those of them that state.conflicts includes
}

func newSAT(st *state, o Options, vars int) *sat {
	// gini initializes memory for this many variables one by one, which the context
	// cannot stop; beyond some number it had better grow.
	hint := min(vars+1, maxHint)
	g := gini.NewVc(hint, hint)
	// gini counts conflicts, but none of its exported methods tells.
	met := reflect.ValueOf(g).Elem().FieldByName("xo").Elem().FieldByName("Driver").Elem().FieldByName("Conflicts")
	return &sat{state: st, options: o, gini: g, met: met}
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
// gini searches on a goroutine of its own, and pauses every 20,000 propagations for a
// look at the limits. A pause leaves no trace in its search. Slices of time, as in
// its Try, would end elsewhere on each run and lead to other contradictions: the
// load of the machine would show in explanations. With many learnt clauses it is 40 ms
// from pause to pause, too long to wait for twice once the context has ended: the
// search is abandoned then, with all that it works on, and ends at its second pause.
func (s *sat) solve(assumptions []z.Lit) bool {
	if s.checkContext(); s.err != nil {
		return false
	}
	s.conflicts++ // of the call itself, which bounds their number, too
	s.gini.Assume(assumptions...)
	running := s.gini.GoSolve()
	result, paused := running.Pause()
	for paused {
		s.countConflicts()
		running.Unpause()
		if s.err != nil {
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
		case <-s.ctx.Done():
			s.checkContext()
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
	return result > 0 && s.err == nil
}

// look is what gini says at a pause: a result, unless it is paused.
type look struct {
	result int
	paused bool
}

// countConflicts adds the conflicts that gini met since the last time. A search may
// go on beyond the limit until its next pause, or to its end. That makes no
// difference: what met too many conflicts is incomplete.
func (s *sat) countConflicts() {
	met := s.met.Int()
	s.conflicts += int(met - s.counted)
	s.counted = met
	if limit := s.options.MaxConflicts; limit > 0 && s.conflicts > limit {
		s.err = &Incomplete{Phase: s.phase, Err: &ConflictLimit{limit}}
	}
}
