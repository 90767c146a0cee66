package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// StateOf returns the state of a request that gets its candidate with the index at. head is the name
// of its head; stays is true if what it has installed stays as well.
func StateOf(p *model.Part, r *request.Request, head string, at int, stays bool) result.State {
	v := r.List.Candidates[at]
	kept := r.Current >= 0 && v == p.InstalledVar(r.Current)
	switch {
	case kept && p.NameOf(v) == head:
		return result.StateCurrent
	case kept && p.Installed[r.Current].Held() != nil:
		return result.StateHeld
	case kept && at == 0:
		return result.StateAtDeadEnd
	case kept, r.Current >= 0 && stays && p.AsInstalled(v) != nil: // the latter serves another request
		return result.StateBlocked
	case r.Current < 0:
		return result.StateNotInstalled
	}
	return result.StateUpdateAvailable
}

// Kept returns why requests are kept, by their indices: by what requests require that are where
// they can be. It takes the states of all, and of what is blocked the bundles that are better than
// the one that it gets.
func (s *Solved) Kept(states []result.State, better [][]solver.Var) (map[int][]result.Reason, error) {
	stay, kept := map[int]bool{}, map[int][]result.Reason{}
	for i, state := range states {
		if state == result.StateCurrent {
			stay[i] = true
		}
	}
	for again := true; again; {
		again = false
		for i, state := range states {
			if state != result.StateBlocked || stay[i] || len(better[i]) == 0 {
				continue
			}
			why, err := s.keeping(&s.Requests[i], better[i], stay)
			if err != nil {
				return nil, err
			}
			if len(why) > 0 {
				kept[i], stay[i], again = why, true, true
			}
		}
	}
	return kept, nil
}

// keeping returns the requirements of installed bundles that keep each of the better bundles of
// a request from the place of what it has installed. Only requests that stay count, by their
// indices, and what they have installed. There are none if one of the better bundles could come
// without these requirements, or could not in any case.
func (s *Solved) keeping(r *request.Request, better []solver.Var, stay map[int]bool) (why []result.Reason, err error) {
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
