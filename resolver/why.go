package resolver

import (
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// chain tells how the k-th selection came in: from a request, or from what is
// installed, over the constraints between.
func (s *solved) chain(k int) *result.Explanation {
	p := s.p
	v := s.solution.Selected[k].Var
	selected := result.Selected{Namespace: p.namespace, Extension: s.m.extension, Kept: p.asInstalled(v) != nil}
	root := &result.Explanation{
		Reason:  result.Reason{Kind: result.ReasonSelected, Subject: p.nameOf(v), Detail: selected},
		Bundles: []result.BundleRef{p.ref(v)},
	}
	place := make(map[solver.Var]int, len(s.solution.Selected))
	for i, sel := range s.solution.Selected {
		place[sel.Var] = i
	}
	var steps []*result.Explanation
	for {
		sel := s.solution.Selected[k]
		if sel.Rule < 0 {
			steps = append(steps, fact(reasonOf(s.m, solver.Reason{Kind: solver.KindGiven, Var: sel.Var})))
			break
		}
		steps = append(steps, s.step(sel))
		if sel.Owner == solver.None {
			break
		}
		k = place[sel.Owner]
	}
	for i := len(steps) - 1; i >= 0; i-- {
		root.Because = append(root.Because, steps[i])
	}
	return root
}

// step states the obligation that a bundle was selected for, and its place in
// the order of preference.
func (s *solved) step(sel solver.Selection) *result.Explanation {
	reason := s.obligation(sel)
	n := 0
	for _, segment := range sel.Leaf.Candidates {
		n += len(segment)
	}
	reason.Detail = result.Chosen{Obligation: reason.Detail, Bundle: s.p.nameOf(sel.Var), Place: sel.Place, Of: n}
	node := fact(reason)
	node.Bundles = []result.BundleRef{s.p.ref(sel.Var)}
	return node
}

// obligation is the request or constraint that selected a bundle.
func (s *solved) obligation(sel solver.Selection) result.Reason {
	if sel.Owner == solver.None {
		return bareRequest(s.p, &s.p.requests[sel.Rule])
	}
	return reasonOf(s.m, solver.Reason{Kind: solver.KindRule, Var: sel.Owner, Rule: sel.Rule})
}
