package resolver

import (
	"fmt"

	"github.com/resolvent/resolvent/solver"
)

// chain tells how the k-th selection came in: from a request, or from what is
// installed, over the constraints between.
func (s *solved) chain(k int) *Explanation {
	p := s.p
	v := s.solution.Selected[k].Var
	what := "is selected"
	if p.asInstalled(v) != nil {
		what = "is kept"
	}
	root := &Explanation{
		Text:    unbroken(fmt.Sprintf("%s %s%s", p.nameOf(v), what, p.whereText())),
		Bundles: []BundleRef{p.ref(v)},
	}
	place := make(map[solver.Var]int, len(s.solution.Selected))
	for i, sel := range s.solution.Selected {
		place[sel.Var] = i
	}
	var steps []*Explanation
	for {
		sel := s.solution.Selected[k]
		if sel.Rule < 0 {
			reason := reasonOf(s.m, solver.Reason{Kind: solver.KindGiven, Var: sel.Var})
			steps = append(steps, leaf(reason, reason.Message, false))
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
func (s *solved) step(sel solver.Selection) *Explanation {
	reason := s.obligation(sel)
	n := 0
	for _, segment := range sel.Leaf.Candidates {
		n += len(segment)
	}
	text := reason.Message + ": " + s.p.nameOf(sel.Var)
	switch {
	case n == 1:
		text += " is the only candidate"
	case sel.Place == 0:
		text += fmt.Sprintf(" is the first of %d candidates", n)
	case sel.Place < n:
		text += fmt.Sprintf(" is the first possible of %d candidates, at place %d", n, sel.Place+1)
	}
	node := leaf(reason, text, false)
	node.Bundles = []BundleRef{s.p.ref(sel.Var)}
	return node
}

// obligation is the request or constraint that selected a bundle.
func (s *solved) obligation(sel solver.Selection) Reason {
	if sel.Owner == solver.None {
		r := &s.p.requests[sel.Rule]
		reason := s.p.requestReason(r)
		reason.Message = s.p.requestText(r)
		return reason
	}
	return reasonOf(s.m, solver.Reason{Kind: solver.KindRule, Var: sel.Owner, Rule: sel.Rule})
}

// whereText names the namespace that is resolved.
func (p *problem) whereText() string {
	if p.extension != nil {
		return " for ClusterExtension " + p.extension.Name
	}
	return " in namespace " + p.namespace
}
