package solver

import (
	"cmp"
	"errors"
)

// tester decides what is possible for a search, and tracks its S and C. refuter and satTester
// implement it.
type tester interface {
	// canSelect reports whether all clauses can be satisfied together with S, C
	// and the variable. The next ones are asked about if they cannot.
	canSelect(i int32, next []Var) bool
	// canHold is canSelect for a formula in the place of the variable.
	canHold(f Formula, by obligation) bool
	// addSelected adds the variable to S.
	addSelected(i int32)
	// addCommitment adds f, a root or the part of a disjunction, to C.
	addCommitment(f Formula, by obligation)
}

// errDeadEnd means that nothing is possible for some obligations of a search.
var errDeadEnd = errors.New("dead end")

// obligation is a formula that the search must satisfy. Its owner is selected.
type obligation struct {
	formula Formula
	owner   int32
	rule    int32
}

// search is one run of the procedure that the package comment defines.
type search struct {
	*state
	tester tester

	queue   []obligation
	head    int          // of the queue
	pending []obligation // parts of the current formula, the next one last
	watched []obligation // disjunctions that held when they were taken
	stuck   []obligation // obligations for which nothing is possible
	answer  Solution
}

// run searches for the answer with the tester t. After an obligation gets stuck there is no
// answer, but the search in other components stays valid. So run continues, to find all
// obligations that get stuck.
func (s *search) run(t tester) (*Solution, error) {
	s.tester = t
	for i, root := range s.roots() {
		o := obligation{root.Formula, none, int32(i)}
		t.addCommitment(root.Formula, o)
		s.queue = append(s.queue, o)
	}
	if err := s.selectGiven(); err != nil {
		return nil, err
	}
	for {
		o, ok := s.next()
		if s.err != nil {
			return nil, s.err
		}
		switch {
		case !ok && len(s.stuck) > 0:
			return nil, errDeadEnd
		case !ok:
			answer := s.answer
			return &answer, nil
		}
		if err := s.discharge(o); err == errDeadEnd {
			s.stuck = append(s.stuck, o)
		} else if err != nil {
			return nil, err
		}
	}
}

func (s *search) selectGiven() error {
	for _, v := range s.problem.Given() {
		i := s.number(v)
		if !s.proceed(1) {
			return s.err
		}
		if s.info[i].flags&selected != 0 {
			continue
		}
		if !s.tester.canSelect(i, nil) {
			s.stuck = append(s.stuck, obligation{owner: i, rule: -1})
			continue
		}
		s.selectVar(i, Selection{Var: v, Owner: None, Rule: -1, Place: -1})
	}
	return s.err
}

// next removes the next obligation from the queue. It refills an empty queue with the watched
// disjunctions that no longer hold.
func (s *search) next() (obligation, bool) {
	if n := len(s.pending); n > 0 {
		o := s.pending[n-1]
		s.pending = s.pending[:n-1]
		return o, true
	}
	if s.head == len(s.queue) {
		s.queue, s.head = s.queue[:0], 0
		s.requeueWatched()
	}
	if s.head == len(s.queue) {
		return obligation{}, false
	}
	s.head++
	return s.queue[s.head-1], true
}

func (s *search) requeueWatched() {
	kept := s.watched[:0]
	for _, o := range s.watched {
		if s.holds(o.formula, selected) {
			kept = append(kept, o)
		} else {
			s.queue = append(s.queue, o)
		}
	}
	s.watched = kept
}

// discharge satisfies one obligation.
func (s *search) discharge(o obligation) error {
	if !s.proceed(1) {
		return s.err
	}
	switch f := o.formula.(type) {
	case *Choice:
		return s.choose(o, f)
	case *And:
		for i := len(f.Parts) - 1; i >= 0; i-- {
			s.pending = append(s.pending, obligation{f.Parts[i], o.owner, o.rule})
		}
	case *Or:
		return s.decide(o, f)
	}
	// The tester has enforced an Absent or AtMost since its owner was selected.
	return s.err
}

// choose selects the first possible member of f, unless one is selected.
func (s *search) choose(o obligation, f *Choice) error {
	if s.holds(f, selected) {
		return s.err
	}
	place := 0
	for _, segment := range f.Candidates {
		if s.chooseFrom(segment, 0, o, f, place) {
			return s.err
		}
		place += len(segment)
	}
	if s.chooseFrom(f.Also, reachable, o, f, place) {
		return s.err
	}
	return s.deadEnd()
}

// chooseFrom selects the first possible variable with all flags in only. It reports whether it
// selected one or the search must end.
func (s *search) chooseFrom(vars []Var, only flags, o obligation, f *Choice, place int) (done bool) {
	for at, v := range vars {
		i := s.number(v)
		if !s.proceed(1) {
			return true
		}
		if s.info[i].flags&only == only && s.tester.canSelect(i, vars[at+1:]) {
			if s.err == nil {
				s.selectVar(i, Selection{v, s.handle(o.owner), int(o.rule), f, place + at})
			}
			return true
		}
	}
	return s.err != nil
}

// decide makes f hold, if necessary by a commitment to one of its parts.
func (s *search) decide(o obligation, f *Or) error {
	if s.holds(f, selected) {
		s.watched = append(s.watched, o)
		return s.err
	}
	for i, part := range f.Parts {
		if s.tester.canHold(part, o) {
			if s.err != nil {
				return s.err
			}
			s.answer.Commitments = append(s.answer.Commitments,
				Commitment{s.handle(o.owner), int(o.rule), f, i, len(s.answer.Selected)})
			s.tester.addCommitment(part, o)
			s.pending = append(s.pending, obligation{part, o.owner, o.rule})
			return s.err
		}
	}
	return s.deadEnd()
}

func (s *search) selectVar(i int32, as Selection) {
	s.answer.Selected = append(s.answer.Selected, as)
	s.tester.addSelected(i)
	for n, rule := range s.rules(i) {
		s.queue = append(s.queue, obligation{rule.Formula, i, int32(n)})
	}
}

// reset empties the search and keeps its memory.
func (s *search) reset() {
	// Release the caller's formulas.
	clear(s.queue[:cap(s.queue)])
	clear(s.pending[:cap(s.pending)])
	clear(s.watched[:cap(s.watched)])
	s.queue, s.head = s.queue[:0], 0
	s.pending, s.watched, s.stuck = s.pending[:0], s.watched[:0], nil
	s.tester = nil
	s.answer = Solution{}
}

// deadEnd returns the error of a search without possible candidates.
func (s *search) deadEnd() error {
	return cmp.Or(s.err, errDeadEnd)
}
