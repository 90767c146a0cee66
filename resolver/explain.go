package resolver

import (
	"errors"
	"strings"

	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// explain turns a minimal core into a typed failure, without fixes.
func explain(m *model, core []solver.Reason) *result.NotSatisfiable {
	m.doing = explaining
	e := &result.NotSatisfiable{Namespace: strings.Join(m.namespaces, ", "), Extension: m.extension, Printer: m.options.Printer}
	for _, r := range core {
		e.Constraints = append(e.Constraints, reasonOf(m, r))
	}
	e.Explanation = derive(m, core)
	return e
}

// failure turns the solver's error into the resolver's.
func failure(m *model, err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return explain(m, unsatisfiable.Core)
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return tooLarge(m.subject(), large.What, large.Limit)
	}
	return solverFailure(err)
}

// solverFailure turns any other error of the solver into the resolver's.
func solverFailure(err error) error {
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

// requestReason states a request with the bundles that can meet it, or why none
// can.
func requestReason(p *problem, r *request) result.Reason {
	out := bareRequest(p, r)
	asked := out.Detail.(result.Requested)
	switch {
	case r.fault != nil:
		out.Detail = result.Unmet{Request: asked.Request, Fault: faultReason(p, r)}
	case asked.Request.Hold == nil:
		asked.Candidates = refs(p.model, r.candidates)
		out.Detail = asked
	}
	return out
}

// reasonOf states one member of a core.
func reasonOf(m *model, r solver.Reason) result.Reason {
	switch r.Kind {
	case solver.KindGiven:
		return bundleReason(m, result.ReasonInstalled, r.Var, result.MustStay{})
	case solver.KindRoot:
		return requestReason(m.root(r.Rule))
	case solver.KindRule:
		return ruleReason(m.originOf(r.Var, r.Rule))
	case solver.KindGroup:
		return groupReason(m.grouped(r.Group))
	case solver.KindSelect:
		return bundleReason(m, result.ReasonSelected, r.Var, result.ChosenBefore{})
	}
	return result.Reason{Kind: result.ReasonCommitted, Detail: result.Committed{}}
}
