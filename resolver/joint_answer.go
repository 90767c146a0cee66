package resolver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/solver"
)

// resolutions turns a solution into one answer a part.
func (j *joint) resolutions(s *solver.Solution) []*Resolution {
	selected := make([][]solver.Selection, len(j.parts))
	for _, sel := range s.Selected {
		part, local := j.at(sel.Var)
		own := sel
		own.Var = local
		switch {
		case sel.Owner == solver.None && sel.Rule >= 0:
			own.Rule -= part.firstRoot
		case sel.Owner != solver.None:
			// Only that it is a bundle matters, and it may be one of another part.
			own.Owner = local
		}
		selected[part.index] = append(selected[part.index], own)
	}
	foreign := make(map[*problem][]askedConstraint)
	for i, part := range j.parts {
		for _, n := range part.neighbours {
			for _, c := range part.asked(selected[i]) {
				c.formula = shifted(c.formula, -n.shift)
				foreign[n.problem] = append(foreign[n.problem], c)
			}
		}
	}
	resolutions := make([]*Resolution, len(j.parts))
	for i, part := range j.parts {
		resolutions[i] = part.resolution(selected[i], foreign[part.problem])
	}
	return resolutions
}

// failure turns the solver's error into the resolver's.
func (j *joint) failure(err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return j.explain(unsatisfiable.Core)
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return &InvalidInput{
			Subject: "namespaces " + strings.Join(j.namespaces(), ", "),
			Err:     &TooLarge{What: large.What, Limit: large.Limit},
		}
	}
	return solverFailure(err)
}

// explain turns a minimal core into a typed failure. Each reason says of which
// namespace it is.
func (j *joint) explain(core []solver.Reason) *NotSatisfiable {
	e := &NotSatisfiable{Namespace: strings.Join(j.namespaces(), ", ")}
	for _, r := range core {
		e.Constraints = append(e.Constraints, j.reason(r))
	}
	e.Explanation = &Explanation{Text: fmt.Sprintf("namespaces %s cannot be resolved together", e.Namespace)}
	for i := range e.Constraints {
		e.Explanation.Because = append(e.Explanation.Because, &Explanation{Reason: &e.Constraints[i], Text: e.Constraints[i].Message})
	}
	return e
}

func (j *joint) namespaces() []string {
	names := make([]string, len(j.parts))
	for i, part := range j.parts {
		names[i] = part.namespace
	}
	return names
}

func (j *joint) reason(r solver.Reason) Reason {
	if r.Kind == solver.KindGroup && j.keys[r.Group].part < 0 {
		kind := j.keys[r.Group].kind
		return Reason{Kind: ReasonOneAPI, Subject: kindText(kind), API: kind,
			Message: fmt.Sprintf("a cluster has at most one provider of %s", kindText(kind))}
	}
	var part *part
	var out Reason
	switch r.Kind {
	case solver.KindRoot:
		part = j.parts[0]
		for _, next := range j.parts {
			if next.firstRoot <= r.Rule {
				part = next
			}
		}
		r.Rule -= part.firstRoot
		out = part.reason(r)
	case solver.KindGroup:
		key := j.keys[r.Group]
		part = j.parts[key.part]
		r.Group = key.group
		out = part.reason(r)
	case solver.KindRule:
		origin := j.Rules(r.Var)[r.Rule].Origin
		part, _ = j.at(r.Var)
		out = part.ruleReason(part.origins[origin])
	default:
		part, r.Var = j.at(r.Var)
		out = part.reason(r)
	}
	out.Message = fmt.Sprintf("in namespace %s: %s", part.namespace, out.Message)
	return out
}
