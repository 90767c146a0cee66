package explain

import (
	"fmt"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// chain tells how the k-th selection came in: from a request, or from what is
// installed, over the constraints between.
func (s *Solved) chain(k int) *result.Explanation {
	p := s.Part
	v := s.Solution.Selected[k].Var
	what := "is selected"
	if p.AsInstalled(v) != nil {
		what = "is kept"
	}
	root := &result.Explanation{
		Text:    result.Unbroken(fmt.Sprintf("%s %s%s", p.NameOf(v), what, whereText(p))),
		Bundles: []result.BundleRef{p.Ref(v)},
	}
	place := make(map[solver.Var]int, len(s.Solution.Selected))
	for i, sel := range s.Solution.Selected {
		place[sel.Var] = i
	}
	var steps []*result.Explanation
	for {
		sel := s.Solution.Selected[k]
		if sel.Rule < 0 {
			reason := ReasonOf(s.Model, solver.Reason{Kind: solver.KindGiven, Var: sel.Var})
			steps = append(steps, result.Leaf(reason, reason.Message, false))
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
func (s *Solved) step(sel solver.Selection) *result.Explanation {
	reason := s.obligation(sel)
	n := 0
	for _, segment := range sel.Leaf.Candidates {
		n += len(segment)
	}
	text := reason.Message + ": " + s.Part.NameOf(sel.Var)
	switch {
	case n == 1:
		text += " is the only candidate"
	case sel.Place == 0:
		text += fmt.Sprintf(" is the first of %d candidates", n)
	case sel.Place < n:
		text += fmt.Sprintf(" is the first possible of %d candidates, at place %d", n, sel.Place+1)
	}
	node := result.Leaf(reason, text, false)
	node.Bundles = []result.BundleRef{s.Part.Ref(sel.Var)}
	return node
}

// obligation is the request or constraint that selected a bundle.
func (s *Solved) obligation(sel solver.Selection) result.Reason {
	if sel.Owner == solver.None {
		r := &s.Part.Requests[sel.Rule]
		reason := requestReason(s.Part, r)
		reason.Message = requestText(s.Part, r)
		return reason
	}
	return ReasonOf(s.Model, solver.Reason{Kind: solver.KindRule, Var: sel.Owner, Rule: sel.Rule})
}

// whereText names the namespace that is resolved.
func whereText(p *encode.Part) string {
	if p.Extension != nil {
		return " for ClusterExtension " + p.Extension.Name
	}
	return " in namespace " + p.Namespace
}
