package explain

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Solved is an answer about which questions are asked.
type Solved struct {
	Ctx      context.Context
	Model    *encode.Model
	Part     *encode.Part // the only part
	Solution *solver.Solution
	session  *solver.Session
	// places are the indices of the selected bundles.
	places map[solver.Var]int
}

// Justification justifies the k-th selection.
func (s *Solved) Justification(k int) (result.Justification, error) {
	sel := s.Solution.Selected[k]
	j := result.Justification{Bundle: s.Part.Ref(sel.Var), Why: s.chain(k)}
	if sel.Leaf == nil {
		return j, nil
	}
	candidates := slices.Concat(sel.Leaf.Candidates...)
	for _, v := range candidates[:min(sel.Place, len(candidates))] {
		core, err := s.Refusal(k, v)
		if err != nil {
			return j, err
		}
		why := DeriveAsked(s.Model, core, v)
		if n := len(j.Better); n > 0 && sameCauses(s.Part, j.Better[n-1].Why, why) {
			j.Better[n-1].Bundles = append(j.Better[n-1].Bundles, s.Part.Ref(v))
			continue
		}
		j.Better = append(j.Better, result.Refusal{Bundles: []result.BundleRef{s.Part.Ref(v)}, Why: why})
	}
	return j, nil
}

// sameCauses reports whether two explanations end in the same facts, whatever
// bundle they begin with.
func sameCauses(p *encode.Part, a, b *result.Explanation) bool {
	causes := func(e *result.Explanation) []string {
		var list []string
		for l := range e.Leaves {
			p.Step(1)
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

// Refusal returns the core that says why v could not be taken in place of the
// k-th selection: beside what was selected and decided before.
func (s *Solved) Refusal(k int, v solver.Var) ([]solver.Reason, error) {
	assume := solver.Assume{Select: make([]solver.Var, 0, k+1)}
	for _, before := range s.Solution.Selected[:k] {
		assume.Select = append(assume.Select, before.Var)
	}
	assume.Select = append(assume.Select, v)
	for _, c := range s.Solution.Commitments {
		if c.After <= k {
			assume.Hold = append(assume.Hold, c.Or.Parts[c.Part])
		}
	}
	return s.core(assume, v)
}

// core asks the session, which is made when the first question needs it.
func (s *Solved) core(assume solver.Assume, further solver.Var) ([]solver.Reason, error) {
	if s.session == nil {
		session, err := solver.NewSession(s.Ctx, s.Model, encode.SolverOptions(s.Model.Options), further)
		if err != nil {
			return nil, err
		}
		s.session = session
	}
	return s.session.Core(s.Ctx, assume)
}
