package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// maxDecided is the size, in bundles, up to which warnings of an answer state what only
// solving again shows. Solving again costs as much as the answer did.
const maxDecided = 100

// Decided returns the warnings of the i-th scope with the deciding reason where one says that a
// choice is not the head, or not the best bundle, and lacks it. It leaves out reasons that
// need another solution if the answer is large; justifications have these. The demands of
// the solved problem have the order of the try's. The errors are those of package solver.
func Decided(t *world.Try, of solver.Problem, solution *solver.Solution, i int, warnings []result.Reason) ([]result.Reason, error) {
	if len(solution.Selected) > maxDecided {
		return warnings, nil
	}
	s, m := NewSolved(t), t.Problem
	s.Part, s.Requests, s.of, s.Solution = m.Scopes[i].Part, m.Scopes[i].Requests, of, solution
	warnings = slices.Clone(warnings)
	for n, w := range warnings {
		if w.Code() != code.BelowHead && w.Code() != code.ForcedChoice && w.Code() != code.NotListed || len(w.Because()) > 0 {
			continue
		}
		k := slices.IndexFunc(solution.Selected, func(sel solver.Selection) bool {
			return m.Model.Of(sel.Var) == s.Part && s.Part.NameOf(sel.Var) == w.Args().Subject
		})
		why, err := s.deciding(k, w.Args().Other)
		if err != nil {
			return nil, err
		}
		warnings[n] = result.New(w.Code(), w.Args(), why)
	}
	return warnings, nil
}

// deciding returns why the k-th selection is not a better bundle: what keeps that one out,
// small steps, or the order of preference, else the obligation of which it is no candidate.
func (s *Solved) deciding(k int, better string) (result.Reason, error) {
	sel := s.Solution.Selected[k]
	if sel.Leaf == nil {
		return ReasonOf(s.Problem, solver.Reason{Kind: solver.KindGiven, Var: sel.Var}), nil
	}
	candidates := slices.Concat(sel.Leaf.Candidates...)
	at := slices.IndexFunc(candidates, func(v solver.Var) bool {
		// Those of other namespaces are no alternatives.
		return s.Problem.Model.Of(v) == s.Part && s.Part.NameOf(v) == better
	})
	switch {
	case at < 0:
		return s.obligation(sel, result.Args{}), nil
	case at < sel.Place:
		why, err := s.Refusal(k, candidates[at])
		if err != nil {
			return result.Reason{}, err
		}
		return why.Reason, nil
	case sel.Owner == solver.None && s.Part.In.Options.SmallSteps && s.Part.AsInstalled(sel.Var) == nil:
		return missing.OneStep()[0], nil
	}
	return s.preferred(sel, at, candidates[at]), nil
}

// preferred states that a selection comes before v, which has a place among its candidates.
func (s *Solved) preferred(sel solver.Selection, at int, v solver.Var) result.Reason {
	name := s.Part.NameOf(sel.Var)
	return result.New(code.Preferred, result.Args{
		Subject: name, Bundle: name, Place: int32(sel.Place), Other: s.Part.NameOf(v), Count: int32(at),
	}, s.obligation(sel, result.Args{}))
}
