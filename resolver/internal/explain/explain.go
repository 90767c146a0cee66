// Package explain turns the core of a failure into an Explanation: along the
// obligations from the requests to the bundles that cannot be selected, each node
// a typed reason. It also says why a bundle is selected, and why another is not.
package explain

import (
	"errors"

	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Explain turns a minimal core into a typed failure, without fixes.
func Explain(m *engine.Problem, core []solver.Reason) *result.NotSatisfiable {
	m.Model.Pace.Doing = pace.Explaining
	e := &result.NotSatisfiable{Scopes: m.Model.In.Scopes}
	for _, r := range core {
		e.Constraints = append(e.Constraints, ReasonOf(m, r))
	}
	e.Explanation = derive(m, core, solver.None)
	return e
}

// Failure turns the solver's error into the resolver's.
func Failure(m *engine.Problem, err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return Explain(m, unsatisfiable.Core)
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return model.TooLarge(m.Model.In.Subject(), large.What, large.Limit)
	}
	if incomplete, ok := errors.AsType[*solver.Incomplete](err); ok {
		return &result.Incomplete{Phase: solverPhases[incomplete.Phase], Err: incomplete.Err}
	}
	return &result.Internal{Err: err}
}

// solverPhases are the stages of the solver as an *Incomplete names them.
var solverPhases = map[solver.Phase]string{
	solver.PhaseEncode:   "writing down what has to hold",
	solver.PhaseSearch:   "searching",
	solver.PhaseMinimise: "looking for the least reasons of a failure",
}

// RequestReason states a request with the bundles that satisfy it, or why none
// does.
func RequestReason(p *model.Part, r *request.Request) result.Reason {
	out := request.BareRequest(p, r)
	asked := out.Detail.(result.Requested)
	switch {
	case r.Fault != nil:
		out.Detail = result.Unsatisfied{Request: asked.Request, Fault: missing.FaultReason(p, r)}
	case asked.Request.Hold == nil:
		asked.Candidates = model.Refs(p.Model, r.List.Candidates)
		out.Detail = asked
	}
	return out
}

// ReasonOf states one member of a core.
func ReasonOf(m *engine.Problem, r solver.Reason) result.Reason {
	switch r.Kind {
	case solver.KindGiven:
		var d result.Detail
		if p := m.Model.Of(r.Var); p.ClusterWide {
			d = result.Stays{Request: m.Scopes[p.Index].Requests[0].Key()}
		}
		return model.BundleReason(m.Model, result.ReasonInstalled, r.Var, d)
	case solver.KindRoot:
		return RequestReason(m.Root(r.Rule))
	case solver.KindRule:
		return model.RuleReason(m.Model.OriginOf(r.Var, r.Rule))
	case solver.KindGroup:
		return model.GroupReason(m.Model.Grouped(r.Group))
	case solver.KindSelect:
		return model.BundleReason(m.Model, result.ReasonSelected, r.Var, nil)
	}
	return result.Reason{Kind: result.ReasonCommitted}
}
