package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// maxKeeping bounds the contradictions that [Solved.Keeping] looks at, for each better bundle.
const maxKeeping = 20

// Keeping returns the requirements of installed bundles that keep each of the better bundles of
// a request from the place of what it has installed. Only requests that stay count, by their
// indices, and what they have installed. There are none if one of the better bundles could come
// without these requirements, or could not in any case.
func (s *Solved) Keeping(r *request.Request, better []solver.Var, stay map[int]bool) (why []result.Reason, err error) {
	var demands []solver.Rule
	var known []solver.Reason
	keepers, needed := map[solver.Var]bool{}, false
	for i := range s.Requests {
		if !stay[i] || s.Requests[i].Current < 0 {
			continue
		}
		keeper := s.Part.InstalledVar(s.Requests[i].Current)
		keepers[keeper], demands = true, append(demands, s.Part.Model.Demands[i])
		for _, rule := range s.Part.Rules(keeper) {
			s.Part.Pace.Step(1)
			needed = needed || model.Satisfies(rule.Formula, s.Part.InstalledVar(r.Current))
		}
	}
	if !needed {
		return nil, nil
	}
	codeOf := func(m solver.Reason) words.Code {
		_, origin := s.Part.Model.OriginOf(m.Var, m.Rule)
		return origin.Code
	}
	theirs := func(m solver.Reason) bool { return keepers[m.Var] && codeOf(m) == words.Requires }
	for _, v := range better {
		if keepers[v] { // it is installed for another request, and requires what this one has
			for i, rule := range s.Part.Rules(v) {
				m := solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}
				if theirs(m) && model.Satisfies(rule.Formula, s.Part.InstalledVar(r.Current)) {
					why = append(why, ReasonOf(s.Problem, m))
				}
			}
			if len(why) == 0 {
				return nil, nil
			}
			continue
		}
		// All that contradicts the bundle is set aside: first what is not theirs, then what they
		// require.
		p := model.Restricted{Model: s.Part.Model, Demands: demands, Without: map[solver.Reason]bool{}}
		keeps := false
		for tries := 0; ; tries++ {
			core, err := s.core(p, v, solver.Assume{Select: []solver.Var{v}})
			if err != nil {
				return nil, err
			}
			if core == nil && keeps {
				break
			}
			var others, required []solver.Reason
			for _, m := range core {
				switch {
				case m.Kind != solver.KindRule:
				case theirs(m):
					required = append(required, m)
				case codeOf(m) != words.Replaces:
					others = append(others, m)
				}
			}
			if len(others)+len(required) == 0 || tries == maxKeeping {
				return nil, nil
			}
			if len(others) == 0 {
				keeps, others = true, required
				for _, m := range required {
					if !slices.Contains(known, m) {
						known, why = append(known, m), append(why, ReasonOf(s.Problem, m))
					}
				}
			}
			for _, m := range others {
				p.Without[m] = true
			}
		}
	}
	return why, nil
}
