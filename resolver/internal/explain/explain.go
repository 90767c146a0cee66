// Package explain turns the core of a failure into an Explanation. This follows the
// obligations from the requests to the bundles that cannot be selected; each node is a typed
// reason. The package also explains why a bundle is selected, and why another is not; and why
// nothing satisfies a constraint or a request: what no catalog has, what exists instead, and
// where.
package explain

import (
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Explain turns causes into a typed failure, without fixes.
func Explain(m *world.Problem, causes ...cause.Cause) *result.NotSatisfiable {
	m.Model.Pace.Doing = pace.Explaining
	e := &result.NotSatisfiable{Scopes: m.Model.In.Scopes, Help: result.Help{Home: m.Home()}}
	e.MoreCauses = max(0, len(causes)-maxDerived)
	for _, c := range causes[:len(causes)-e.MoreCauses] {
		told := result.Cause{Group: c.Group, Explanation: derive(m, c.Core, solver.None, c.Apart, nil)}
		for _, r := range c.Core {
			told.Constraints = append(told.Constraints, ReasonOf(m, r))
		}
		head := told.Explanation.Reason.Args().Conflict
		for i, root := range c.Requests {
			p, asked := m.Root(root)
			told.Requests = append(told.Requests, asked.Key())
			if i > 0 {
				head.Alike = append(head.Alike, asked.Stated(p, asked))
			}
		}
		e.Causes = append(e.Causes, told)
	}
	e.Constraints, e.Explanation = e.Causes[0].Constraints, e.Causes[0].Explanation
	return e
}

// Failure turns the solver's error into the resolver's.
func Failure(m *world.Problem, err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return Explain(m, cause.Of(unsatisfiable.Core))
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return model.TooLarge(m.Model.In.Subject(), large.What, large.Limit)
	}
	if incomplete, ok := errors.AsType[*solver.Incomplete](err); ok {
		if _, limit := errors.AsType[*result.InvalidInput](m.Model.Pace.Err); limit {
			return m.Model.Pace.Ended() // the solver saw that the context of the call has ended
		}
		return &result.Incomplete{Phase: incomplete.Phase, Err: incomplete.Err}
	}
	if result.Of(err) != result.ResultInternal {
		return err // why the problem is refused
	}
	return &result.Internal{Err: err}
}

// Causes turns the solver's error into the resolver's, with all causes. It has only the
// first one if the search for them was cut off. sorted is nil if the failure is of another
// kind.
func Causes(m *world.Problem, err error) (*cause.Sorted, error) {
	unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
	if !ok {
		return nil, Failure(m, err)
	}
	sorted, cutOff := cause.Find(m, unsatisfiable.Core)
	switch {
	case cutOff == nil:
		return sorted, Explain(m, sorted.Causes...)
	case m.Model.In.Options.Partial:
		return nil, Failure(m, cutOff)
	}
	sorted = &cause.Sorted{Causes: []cause.Cause{cause.Of(unsatisfiable.Core)}}
	failure := Explain(m, sorted.Causes...)
	failure.CutOff = cutOff
	return sorted, failure
}

// RequestReason states a request and the bundles that satisfy it, or why none does.
func RequestReason(p *model.Part, r *request.Request) result.Reason {
	switch {
	case r.Fault != nil:
		return request.Reason(p, r, nil, FaultReason(p, r))
	case r.Current < 0 || p.Installed[r.Current].Held() == nil:
		return request.Reason(p, r, model.Refs(p.Model, r.List.Candidates))
	}
	return request.Reason(p, r, nil)
}

// ReasonOf states one member of a core.
func ReasonOf(m *world.Problem, r solver.Reason) result.Reason {
	switch r.Kind {
	case solver.KindGiven:
		p := m.Model.Of(r.Var)
		requests := m.Scopes[p.Index].Requests
		at := slices.IndexFunc(requests, func(q request.Request) bool { return q.Current >= 0 && p.InstalledVar(q.Current) == r.Var })
		switch about := model.About(m.Model, r.Var); {
		case at >= 0:
			return reason.StaysLeftOut(about, requests[at].Key())
		case p.AsInstalled(r.Var).Foreign:
			return reason.Stays(about, requests[0].Key())
		default:
			return reason.Installed(about, inventory.ReplacedBy(p.State, p.AsInstalled(r.Var).Name()))
		}
	case solver.KindRoot:
		return RequestReason(m.Root(r.Rule))
	case solver.KindRule:
		return model.RuleReason(m.Model, r.Var, r.Rule)
	case solver.KindGroup:
		return model.GroupReason(m.Model.Grouped(r.Group))
	case solver.KindSelect:
		return reason.Selected(model.About(m.Model, r.Var))
	}
	return reason.Committed()
}
