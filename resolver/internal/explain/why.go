package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// chain states how the k-th selection came in: the request or installed bundle that it
// starts from, and the constraints between.
func (s *Solved) chain(k int) *result.Explanation {
	p := s.Part
	v := s.Solution.Selected[k].Var
	selected := words.IsSelected
	if p.AsInstalled(v) != nil {
		selected = words.IsKept
	}
	root := &result.Explanation{
		Reason:  result.New(selected, result.Args{Subject: p.NameOf(v), Request: inScope(p)}),
		Bundles: []result.BundleRef{p.Ref(v)},
	}
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

// inScope stands for all requests of the part.
func inScope(p *model.Part) *result.Request { return &result.Request{Key: p.Kind.All(p.Scope)} }

// step states the obligation that a bundle was selected for, and its place in
// the order of preference.
func (s *Solved) step(sel solver.Selection) *result.Explanation {
	n := 0
	for _, segment := range sel.Leaf.Candidates {
		n += len(segment)
	}
	node := model.Fact(s.obligation(sel, result.Args{Other: s.Part.NameOf(sel.Var), Place: int32(sel.Place), Count: int32(n)}))
	node.Bundles = []result.BundleRef{s.Part.Ref(sel.Var)}
	return node
}

// obligation is the request or constraint that selected a bundle, with further arguments.
func (s *Solved) obligation(sel solver.Selection, args result.Args) result.Reason {
	if sel.Owner == solver.None {
		part, r := s.Problem.Root(sel.Rule)
		return request.Reason(part, r, args)
	}
	return model.RuleReason(s.Problem.Model, sel.Owner, sel.Rule, args)
}
