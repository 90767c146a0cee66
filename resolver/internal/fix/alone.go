package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// Alone is what comes of an edit by itself.
type Alone struct {
	Change result.Change
	// Fix is the edit as a fix if it reaches the goal, else nil.
	Fix *result.Fix
	// With is what reaches the goal together with the edit, and no part of which does without
	// it; nil if nothing was found.
	With *result.Fix
}

// TryAlone tries an edit for a goal that a problem of one scope does not reach. If it does not
// reach the goal, beside has its companions sought: a limited search, which may find none.
func TryAlone(given *world.Try, g Goal, e request.Edit, beside bool) (a Alone) {
	edits := []request.Edit{e}
	a.Change = changesOf(edits)[0]
	defer pace.Unwind()
	s := newSearch(given)
	s.goal = g
	if n := s.try(edits); n.solved {
		a.Fix = &listOf([]proposal{s.proposalOf(n)})[0]
	}
	if a.Fix != nil || !beside {
		return a
	}
	more := newSearch(given)
	if more.goal = g; !more.start(edits) {
		return a
	}
	more.tries = maxTries - maxBeside
	more.run()
	fields := fieldsOf(edits)
	for _, c := range more.listed() {
		undoes := slices.ContainsFunc(c.fields, func(f field) bool { return slices.Contains(fields, f) })
		if !undoes && !s.partHelps(c.edits) {
			a.With = &listOf([]proposal{c})[0]
			break
		}
	}
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
