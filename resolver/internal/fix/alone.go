package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/world"
)

// maxBeside bounds the tries that look for what an edit needs beside it.
const maxBeside = 60

// Alone is what comes of an edit by itself.
type Alone struct {
	Change fixes.Change
	// Reached is true if the goal is reached.
	Reached bool
	// With is what reaches the goal together with the edit, and no part of which does without
	// it; nil if nothing was found.
	With *fixes.Fix
}

// TryAlone tries an edit for a goal that a problem of one scope does not reach. If it does not
// reach the goal, its companions are sought: a limited search, which may find none.
func TryAlone(given *world.Try, g Goal, e request.Edit) Alone {
	edits := []request.Edit{e}
	a := Alone{Change: changesOf(edits)[0]}
	func() {
		defer pace.Unwind()
		s := newSearch(given)
		s.goal = g
		if a.Reached = s.try(edits).solved; a.Reached {
			return
		}
		beside := newSearch(given)
		if beside.goal = g; !beside.start(edits) {
			return
		}
		beside.tries = maxTries - maxBeside
		beside.run()
		for _, c := range beside.listed() {
			undoes := slices.ContainsFunc(fieldsOf(c.edits), func(field string) bool { return slices.Contains(fieldsOf(edits), field) })
			if !undoes && !s.partHelps(c.edits) {
				a.With = &listOf([]proposal{c})[0]
				return
			}
		}
	}()
	return a
}

// partHelps reports whether some of the edits reach the goal.
func (s *search) partHelps(edits []request.Edit) bool {
	for set := 1; set < 1<<len(edits); set++ {
		var part []request.Edit
		for i, e := range edits {
			if set>>i&1 == 1 {
				part = append(part, e)
			}
		}
		if s.try(part).solved {
			return true
		}
	}
	return false
}
