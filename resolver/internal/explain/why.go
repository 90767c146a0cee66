package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// chain states how the k-th selection came in: the request or installed bundle that it
// starts from, and the constraints between.
func (s *Solved) chain(k int) *result.Explanation {
	p := s.Part
	v := s.Solution.Selected[k].Var
	selected := reason.IsSelected
	if p.AsInstalled(v) != nil {
		selected = reason.IsKept
	}
	root := &result.Explanation{Reason: selected(p.NameOf(v), p.Kind.All(p.Scope)), Bundles: []result.BundleRef{p.Ref(v)}}
	if s.places == nil {
		s.places = make(map[solver.Var]int, len(s.Solution.Selected))
		for i, sel := range s.Solution.Selected {
			s.places[sel.Var] = i
		}
	}
	for {
		sel := s.Solution.Selected[k]
		if sel.Rule < 0 {
			root.Because = append(root.Because, model.Fact(ReasonOf(s.Problem, solver.Reason{Kind: solver.KindGiven, Var: sel.Var})))
			break
		}
		root.Because = append(root.Because, s.step(sel))
		if sel.Owner == solver.None {
			break
		}
		k = s.places[sel.Owner]
	}
	slices.Reverse(root.Because)
	return root
}

// step states the obligation that a bundle was selected for, and its place in
// the order of preference.
func (s *Solved) step(sel solver.Selection) *result.Explanation {
	n := 0
	for _, segment := range sel.Leaf.Candidates {
		n += len(segment)
	}
	node := model.Fact(reason.WithChoice(s.obligation(sel), s.Part.NameOf(sel.Var), sel.Place, n))
	node.Bundles = []result.BundleRef{s.Part.Ref(sel.Var)}
	return node
}

// obligation is the request or constraint that selected a bundle.
func (s *Solved) obligation(sel solver.Selection) result.Reason {
	if sel.Owner == solver.None {
		part, r := s.Problem.Root(sel.Rule)
		return request.Reason(part, r, nil)
	}
	return model.RuleReason(s.Problem.Model, sel.Owner, sel.Rule)
}
