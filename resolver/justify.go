package resolver

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// solved is an answer about which questions are asked.
type solved struct {
	ctx      context.Context
	m        *model
	p        *problem // the only part
	solution *solver.Solution
	session  *solver.Session
}

// justification justifies the k-th selection.
func (s *solved) justification(k int) (result.Justification, error) {
	sel := s.solution.Selected[k]
	j := result.Justification{Bundle: s.p.ref(sel.Var), Why: s.chain(k)}
	if sel.Leaf == nil {
		return j, nil
	}
	candidates := slices.Concat(sel.Leaf.Candidates...)
	for _, v := range candidates[:min(sel.Place, len(candidates))] {
		core, err := s.refusal(k, v)
		if err != nil {
			return j, err
		}
		why := deriveAsked(s.m, core, v)
		if n := len(j.Better); n > 0 && s.p.sameCauses(j.Better[n-1].Why, why) {
			j.Better[n-1].Bundles = append(j.Better[n-1].Bundles, s.p.ref(v))
			continue
		}
		j.Better = append(j.Better, result.Refusal{Bundles: []result.BundleRef{s.p.ref(v)}, Why: why})
	}
	return j, nil
}

// sameCauses reports whether two explanations end in the same facts, whatever
// bundle they begin with.
func (p *problem) sameCauses(a, b *result.Explanation) bool {
	causes := func(e *result.Explanation) []string {
		var list []string
		for l := range e.Leaves {
			p.step(1)
			switch l.Reason.Kind {
			case result.ReasonAsked:
			case result.ReasonDependency:
				list = append(list, l.Reason.Package+l.Reason.Constraint.String())
			case result.ReasonProvides:
				list = append(list, l.Reason.Package+l.Reason.API.String())
			default:
				list = append(list, string(l.Reason.Kind)+l.Text())
			}
		}
		return list
	}
	return slices.Equal(causes(a), causes(b))
}

// refusal returns the core that says why v could not be taken in place of the
// k-th selection: beside what was selected and decided before.
func (s *solved) refusal(k int, v solver.Var) ([]solver.Reason, error) {
	assume := solver.Assume{Select: make([]solver.Var, 0, k+1)}
	for _, before := range s.solution.Selected[:k] {
		assume.Select = append(assume.Select, before.Var)
	}
	assume.Select = append(assume.Select, v)
	for _, c := range s.solution.Commitments {
		if c.After <= k {
			assume.Hold = append(assume.Hold, c.Or.Parts[c.Part])
		}
	}
	return s.core(assume, v)
}

// core asks the session, which is made when the first question needs it.
func (s *solved) core(assume solver.Assume, further solver.Var) ([]solver.Reason, error) {
	if s.session == nil {
		session, err := solver.NewSession(s.ctx, s.m, solverOptions(s.m.options), further)
		if err != nil {
			return nil, err
		}
		s.session = session
	}
	return s.session.Core(s.ctx, assume)
}
