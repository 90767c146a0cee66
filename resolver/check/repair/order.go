package repair

import (
	"cmp"
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// sequence is a list of repairs that were applied one after another.
type sequence struct {
	order   []*check.Finding
	repairs []*Repair
	last    *edit.Draft // nil if nothing was changed
	stays   int         // findings that are still found
}

// searched is the repair of a finding that was searched in a state.
type searched struct {
	from    *edit.Draft
	finding *check.Finding
}

// found is a repair, and the state after it: nil without a repair.
type found struct {
	repair *Repair
	next   *edit.Draft
}

// after returns the sequence with one more repair. In equal states, to which several orders lead,
// a repair is searched once.
func (c *Files) after(ctx context.Context, s *sequence, f *check.Finding) (*sequence, error) {
	from := cmp.Or(s.last, c.tree.Draft)
	known, again := c.known[searched{from, f}]
	if !again {
		var err error
		if known.repair, known.next, err = c.repair(ctx, from, f); err != nil {
			return nil, err
		}
		if known.next != nil {
			text := known.next.Changes()
			if c.states[text] == nil {
				c.states[text] = known.next
			}
			known.next = c.states[text]
		}
		c.known[searched{from, f}] = known
	}
	n := &sequence{append(slices.Clip(s.order), f), append(slices.Clip(s.repairs), new(*known.repair)), cmp.Or(known.next, s.last), 0}
	if n.last == c.tree.Draft {
		n.last = nil
	}
	return n, nil
}

// inOrder applies the repairs of the findings of a package: in the order of the list, or in one
// with which fewer stay.
func (c *Files) inOrder(ctx context.Context, list []*check.Finding) (*sequence, error) {
	var open []*check.Finding // those that have a repair in some order, perhaps
	for _, f := range list {
		if finding.Of(f.Code).None == "" {
			open = append(open, f)
		}
	}
	all := func(list []*check.Finding) (*sequence, error) {
		s := &sequence{}
		for _, f := range list {
			var err error
			if s, err = c.after(ctx, s, f); err != nil {
				return nil, err
			}
		}
		s.stays = c.stays(s, open)
		return s, nil
	}
	best, err := all(list)
	t := c.trials[c.about(list[0])]
	if err != nil || best.stays == 0 || t == nil {
		return best, err
	}
	limit := t.total + maxOrderChecks
	better := func(s *sequence) {
		if s.stays < best.stays {
			best = s
		}
	}
	if len(open) > maxOrdered {
		for i, r := range slices.Clone(best.repairs) {
			if f := best.order[i]; r.None != "" && slices.Contains(open, f) && t.total < limit {
				s, err := all(append([]*check.Finding{f}, slices.DeleteFunc(slices.Clone(list), func(other *check.Finding) bool { return other == f })...))
				if err != nil {
					return nil, err
				}
				better(s)
			}
		}
		return best, nil
	}
	var search func(s *sequence, left []*check.Finding) error
	search = func(s *sequence, left []*check.Finding) error {
		if len(left) == 0 {
			s.stays = c.stays(s, open)
			better(s)
		}
		for i, f := range left {
			if best.stays == 0 || t.total >= limit {
				return nil
			}
			next, err := c.after(ctx, s, f)
			if err == nil {
				err = search(next, slices.Delete(slices.Clone(left), i, i+1))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = search(&sequence{}, open)
	for _, f := range list { // those without repair
		if err == nil && !slices.Contains(best.order, f) {
			best, err = c.after(ctx, best, f)
		}
	}
	return best, err
}

// stays counts the findings of a list that are found after a sequence.
func (c *Files) stays(s *sequence, list []*check.Finding) (n int) {
	for _, f := range list {
		if s.last == nil || slices.ContainsFunc(f.Identities, func(id check.Identity) bool { return c.trials[c.about(f)].bases[s.last].all[id] }) {
			n++
		}
	}
	return n
}
