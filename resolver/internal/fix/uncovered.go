package fix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Uncovered is a cause that remains after all changes of a fix but one.
type Uncovered struct {
	After   []result.Change
	Problem *world.Problem
	Cause   cause.Cause
}

func (u *Uncovered) told() result.Cause {
	c := explain.Explain(u.Problem, u.Cause).Causes[0]
	c.After = u.After
	return c
}

// uncovered finds, for each change of the fixes, why its fix fails without it, unless a stated
// cause covers that. stated returns the keys of those.
func (s *search) uncovered(list []proposal, stated func() map[string]bool) (found []Uncovered) {
	for i := range list {
		for _, c := range list[i].fix.Changes {
			others := slices.DeleteFunc(slices.Clone(list[i].edits), func(e request.Edit) bool { return e.Object == c.Object })
			if len(others) == 0 {
				continue
			}
			n := s.try(others)
			if n.core == nil {
				continue
			}
			sorted, err := cause.Find(n.try.Problem, n.core)
			if err != nil {
				return found
			}
			causes := slices.DeleteFunc(slices.Clone(sorted.Causes), func(c cause.Cause) bool { return leftOut(n.try.Problem, &c) })
			if len(causes) == 0 {
				causes = sorted.Causes
			}
			if len(causes) == 0 { // it is stuck, and nothing that fails says why
				continue
			}
			if !slices.ContainsFunc(causes, func(c cause.Cause) bool { return stated()[causeKey(n.try.Problem, &c)] }) {
				first := causes[0]
				first.Group = s.group
				stated()[causeKey(n.try.Problem, &first)] = true
				found = append(found, Uncovered{changesOf(others), n.try.Problem, first})
			}
		}
	}
	return found
}

// behind returns the first cause that remains of a refused problem once its namespace has one
// OperatorGroup.
func behind(given *node) []result.Cause {
	for _, e := range given.refusalEdits() {
		if e.Object.Kind != words.ObjectOperatorGroup {
			continue
		}
		n := given.s.try([]request.Edit{e})
		if n.core == nil {
			continue
		}
		if sorted, err := cause.Find(n.try.Problem, n.core); err == nil && len(sorted.Causes) > 0 {
			u := Uncovered{changesOf(n.edits), n.try.Problem, sorted.Causes[0]}
			return []result.Cause{u.told()}
		}
	}
	return nil
}

// leftOut reports whether a cause is about what requests keep that are left out. It says
// nothing of what keeps them out.
func leftOut(p *world.Problem, c *cause.Cause) bool {
	return len(c.Requests) == 0 && slices.ContainsFunc(c.Core, func(r solver.Reason) bool {
		return r.Kind == solver.KindGiven && p.Model.Of(r.Var).AsInstalled(r.Var).Requested
	})
}

// stated returns the keys of causes.
func stated(p *world.Problem, sorted *cause.Sorted) map[string]bool {
	keys := map[string]bool{}
	for i := range sorted.Causes {
		keys[causeKey(p, &sorted.Causes[i])] = true
	}
	return keys
}

// causeKey returns a key of a cause, comparable between problems: the requests that it keeps
// out, and the rules.
func causeKey(p *world.Problem, c *cause.Cause) string {
	var keys []string
	for _, r := range c.Core {
		if r.Kind == solver.KindRoot && !slices.Contains(c.Requests, r.Rule) || r.Kind == solver.KindGiven {
			continue // a request and what it has installed stand for each other
		}
		reason := explain.ReasonOf(p, r)
		installed, parts := false, []int(nil)
		if r.Kind == solver.KindRule {
			installed, parts = p.Model.Of(r.Var).AsInstalled(r.Var) != nil, c.Needs(p.Model, r)
		}
		keys = append(keys, fmt.Sprint(reason.Args().Namespace, reason.Key(), installed, parts))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\n")
}
