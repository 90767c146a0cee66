package model

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// RuleReason states a rule of a bundle.
func RuleReason(p *Part, o Origin) result.Reason {
	out := BundleReason(p.Model, o.Kind, o.Bundle, o.Detail)
	switch o.Kind {
	case result.ReasonDependency:
		out.Constraint, out.Detail = p.ConstraintOf(o).Expr, result.Requires{}
	case result.ReasonReplaces:
		out.Detail = result.TakesPlace{Replaced: p.Replaced(o.Bundle)}
	}
	return out
}

// BundleReason returns a reason about a bundle.
func BundleReason(m *Model, kind result.ReasonKind, v solver.Var, d result.Detail) result.Reason {
	p := m.Of(v)
	p.Pace.Step(1)
	out := result.Reason{Kind: kind, Namespace: p.JointNamespace(), Detail: d}
	if b := p.AsInstalled(v); b != nil {
		out.Bundle, out.Package, out.Version = b.Name(), b.PackageName(), &b.Version
	} else {
		c, id := p.Locate(v)
		b := p.Catalogs[c].Snapshot.Bundle(id)
		out.Bundle, out.Package, out.Version, out.Catalog = b.Name, b.Package, &b.Version, p.Catalogs[c].Key
	}
	out.Subject = out.Bundle
	return out
}

// GroupReason states that a group of a Part has one selected member at most; that
// of no Part is one of the cluster.
func GroupReason(p *Part, k candidate.GroupKey) result.Reason {
	out := result.Reason{Kind: k.Kind, Subject: k.Name}
	scope := result.AtMostOne{Cluster: p == nil || p.ClusterWide}
	if p != nil {
		out.Namespace, scope.Namespace = p.JointNamespace(), p.JointNamespace()
	}
	switch k.Kind {
	case result.ReasonOnePackage:
		out.Package = k.Name
	case result.ReasonOneName:
		out.Bundle = k.Name
	case result.ReasonOneAPI:
		out.API, out.Subject = k.API, result.APIName(k.API)
	}
	out.Detail = scope
	return out
}

// Ref returns what results name a bundle by.
func Ref(m *Model, v solver.Var) result.BundleRef { return m.Of(v).Ref(v) }

// Refs returns what results name bundles by.
func Refs(m *Model, list []solver.Var) []result.BundleRef {
	refs := make([]result.BundleRef, len(list))
	for i, v := range list {
		refs[i] = Ref(m, v)
	}
	return refs
}

// Fact returns a leaf of an Explanation.
func Fact(r result.Reason) *result.Explanation { return &result.Explanation{Reason: r, Fact: true} }

// Replaced returns the names of what an update takes the place of.
func (p *Part) Replaced(v solver.Var) []string {
	names := make([]string, 0, 1)
	for _, cur := range p.Excludes[v] {
		names = append(names, p.NameOf(cur))
	}
	slices.Sort(names)
	return names
}
