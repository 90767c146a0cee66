package resolver

import (
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
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

// reasonOf states one member of a core.
func reasonOf(m *model, r solver.Reason) result.Reason {
	switch r.Kind {
	case solver.KindGiven:
		return bundleReason(m, result.ReasonInstalled, r.Var, nil)
	case solver.KindRoot:
		return requestReason(m.root(r.Rule))
	case solver.KindRule:
		return ruleReason(m.originOf(r.Var, r.Rule))
	case solver.KindGroup:
		return groupReason(m.grouped(r.Group))
	case solver.KindSelect:
		return bundleReason(m, result.ReasonSelected, r.Var, nil)
	}
	return result.Reason{Kind: result.ReasonCommitted}
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

// bareRequest states a request without the bundles that can meet it.
func bareRequest(p *problem, r *request) result.Reason {
	asked := p.requested(r)
	kind := result.ReasonSubscription
	switch {
	case r.extension != nil:
		kind = result.ReasonExtension
	case asked.Hold != nil && r.fault == nil:
		kind = result.ReasonHold
	}
	return result.Reason{
		Kind: kind, Namespace: asked.Namespace, Subject: asked.Name, Package: asked.Package,
		Detail: result.Requested{Request: asked},
	}
}

// requested is what a request asks for.
func (p *problem) requested(r *request) *result.Request {
	if e := r.extension; e != nil {
		asked := &result.Request{Kind: result.ClusterExtension, Name: e.Name, Package: e.Package, Channels: e.Channels, Version: e.Version}
		if e.Installed != nil {
			asked.Installed = e.Installed.Name
		}
		return asked
	}
	s := r.subscription
	asked := &result.Request{
		Kind: result.Subscription, Namespace: p.home(), Name: s.Name, Package: s.Package,
		Catalog: s.Catalog, StartingCSV: s.StartingCSV,
	}
	if s.Catalog != "" && s.CatalogNamespace != "" {
		asked.Catalog = cache.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String()
	}
	if s.Channel != "" {
		asked.Channels = []string{s.Channel}
	}
	if r.current >= 0 {
		b := &p.installed[r.current]
		asked.Installed, asked.Hold = b.name(), b.held()
	}
	return asked
}

// bundleReason is a reason about a bundle.
func bundleReason(m *model, kind result.ReasonKind, v solver.Var, d result.Detail) result.Reason {
	p := m.of(v)
	p.step(1)
	out := result.Reason{Kind: kind, Namespace: p.home(), Detail: d}
	if b := p.asInstalled(v); b != nil {
		out.Bundle, out.Package, out.Version = b.name(), b.packageName(), &b.version
	} else {
		c, id := p.locate(v)
		b := p.universe.catalogs[c].snapshot.Bundle(id)
		out.Bundle, out.Package, out.Version, out.Catalog = b.Name, b.Package, &b.Version, p.universe.catalogs[c].key
	}
	out.Subject = out.Bundle
	return out
}

// ruleReason states a rule of a bundle.
func ruleReason(p *problem, o origin) result.Reason {
	out := bundleReason(p.model, o.kind, o.bundle, o.detail)
	switch o.kind {
	case result.ReasonDependency:
		out.Constraint, out.Detail = p.constraintOf(o).Expr, result.Requires{}
	case result.ReasonReplaces:
		out.Detail = result.TakesPlace{Replaced: p.replaced(o.bundle)}
	}
	return out
}

// replaced names what an update excludes.
func (p *problem) replaced(v solver.Var) []string {
	names := make([]string, 0, 1)
	for _, cur := range p.excludes[v] {
		names = append(names, p.nameOf(cur))
	}
	slices.Sort(names)
	return names
}

// groupReason states that a group of a problem has one selected member at most;
// that of no problem is one of the cluster.
func groupReason(p *problem, k groupKey) result.Reason {
	out := result.Reason{Kind: k.kind, Subject: k.name}
	scope := result.AtMostOne{Cluster: p == nil || p.extension != nil}
	if p != nil {
		out.Namespace, scope.Namespace = p.home(), p.home()
	}
	switch k.kind {
	case result.ReasonOnePackage:
		out.Package = k.name
	case result.ReasonOneName:
		out.Bundle = k.name
	case result.ReasonOneAPI:
		out.API, out.Subject = k.api, result.APIName(k.api)
	}
	out.Detail = scope
	return out
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
