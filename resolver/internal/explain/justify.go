package explain

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Solved is an answer that can be justified.
type Solved struct {
	Try      *world.Try
	Problem  *world.Problem
	Part     *model.Part // the only one
	Requests []request.Request
	Solution *solver.Solution
	of       solver.Problem // what the solution is of
	refusals *solver.Refusals
	// places are the indices of the selected bundles.
	places map[solver.Var]int
}

// NewSolved returns the solution of a problem of one scope. Nothing is selected if there is
// none.
func NewSolved(t *world.Try) *Solved {
	scope := &t.Problem.Scopes[0]
	return &Solved{Try: t, Problem: t.Problem, Part: scope.Part, Requests: scope.Requests, Solution: cmp.Or(t.Solution, &solver.Solution{}), of: t.Problem.Model}
}

// Justification justifies the k-th selection.
func (s *Solved) Justification(k int) (result.Justification, error) {
	sel := s.Solution.Selected[k]
	j := result.Justification{Bundle: s.Part.Ref(sel.Var), Why: s.chain(k)}
	if sel.Leaf == nil {
		return j, nil
	}
	var last []ending
	candidates := slices.Concat(sel.Leaf.Candidates...)
	for _, v := range candidates[:min(sel.Place, len(candidates))] {
		why, err := s.Refusal(k, v)
		if err != nil {
			return j, err
		}
		causes := s.causes(why)
		if n := len(j.Better); n > 0 && slices.Equal(last, causes) {
			j.Better[n-1].Bundles = append(j.Better[n-1].Bundles, s.Part.Ref(v))
			continue
		}
		j.Better, last = append(j.Better, result.Refusal{Bundles: []result.BundleRef{s.Part.Ref(v)}, Why: why}), causes
	}
	return j, nil
}

// ending is what an explanation ends in, whatever bundle it begins with.
type ending struct {
	kind                            result.ReasonKind
	namespace, subject, pkg, bundle string
	api                             properties.GVK
	constraint                      string
}

// causes lists what an explanation ends in.
func (s *Solved) causes(e *result.Explanation) []ending {
	var list []ending
	for l := range e.Leaves() {
		s.Part.Pace.Step(1)
		r := &l.Reason
		if r.Code() == words.Asked {
			continue
		}
		c := ending{kind: r.Kind(), namespace: r.Args().Namespace, subject: r.Args().Subject, pkg: r.Args().Package, api: r.API()}
		switch r.Kind() {
		case words.KindDependency:
			c = ending{kind: r.Kind(), pkg: r.Args().Package, constraint: constraints.Key(r.Args().Constraint)}
		case words.KindProvides:
			c = ending{kind: r.Kind(), pkg: r.Args().Package, api: r.API()}
		}
		list = append(list, c)
		if r.Kind() == words.KindExcluded {
			for _, b := range l.Bundles {
				list = append(list, ending{kind: r.Kind(), bundle: b.Bundle.Name})
			}
		}
	}
	return list
}

// Refusal returns why v is impossible in place of the k-th selection, beside what was
// selected and decided before.
func (s *Solved) Refusal(k int, v solver.Var) (*result.Explanation, error) {
	// Read when they are first needed.
	if s.refusals == nil {
		refusals, err := s.Solution.Refusals(s.Part.Pace.Ctx, s.of, s.Problem.Options())
		if err != nil {
			return nil, err
		}
		s.refusals = refusals
	}
	core, err := s.refusals.Core(s.Part.Pace.Ctx, k, v)
	if err != nil {
		return nil, err
	}
	return derive(s.Problem, core, v, nil, s.Solution.Commitments), nil
}
