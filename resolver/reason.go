package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

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
		asked.Catalog = catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}.String()
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

// fact is a leaf that explains a member of the core.
func fact(r result.Reason) *result.Explanation { return &result.Explanation{Reason: r, Fact: true} }

// replaced names what an update excludes.
func (p *problem) replaced(v solver.Var) []string {
	names := make([]string, 0, 1)
	for _, cur := range p.excludes[v] {
		names = append(names, p.nameOf(cur))
	}
	slices.Sort(names)
	return names
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
