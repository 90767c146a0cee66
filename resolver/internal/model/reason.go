package model

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// RuleReason returns the reason that states a rule of a bundle. args are further arguments.
func RuleReason(m *Model, v solver.Var, rule int, args result.Args, because ...result.Reason) result.Reason {
	p, o := m.OriginOf(v, rule)
	if o.Args != nil {
		args = *o.Args
	}
	switch o.Code {
	case words.Requires:
		args.Constraint = p.ConstraintOf(o).Expr
	case words.Replaces:
		args.Names = p.Replaced(o.Bundle)
	case words.OpenShift, words.Kubernetes:
		args = p.Model.limits.Args(o.Code, p.Bundle(o.Bundle).Properties)
	}
	return BundleReason(m, o.Code, v, args, because...)
}

// BundleReason returns a reason about a bundle. args are further arguments.
func BundleReason(m *Model, c words.Code, v solver.Var, args result.Args, because ...result.Reason) result.Reason {
	p := m.Of(v)
	p.Pace.Step(1)
	args.Namespace = p.JointNamespace()
	if b := p.AsInstalled(v); b != nil {
		args.Bundle, args.Package, args.Version = b.Name(), b.PackageName(), &b.Version
	} else {
		c, id := p.Locate(v)
		b := p.Catalogs[c].Snapshot.Bundle(id)
		args.Bundle, args.Package, args.Version, args.Catalog = b.Name, b.Package, &b.Version, p.Catalogs[c].Key
	}
	args.Subject = args.Bundle
	return result.New(c, args, because...)
}

// GroupReason returns the reason that at most one member of a group is selected. A group of
// no Part spans the cluster.
func GroupReason(p *Part, k GroupKey) result.Reason {
	args := result.Args{Subject: k.Name, OneInCluster: p == nil || p.Kind.Span.OneInCluster}
	if p != nil {
		args.Namespace = p.JointNamespace()
	}
	switch k.Code {
	case words.OnePackage:
		args.Package = k.Name
	case words.OneName:
		args.Bundle = k.Name
	case words.OneAPI:
		args.APIs, args.Subject = []properties.GVK{k.API}, words.APIName(k.API)
	}
	return result.New(k.Code, args)
}

// Ref returns the reference to a bundle in results.
func Ref(m *Model, v solver.Var) result.BundleRef { return m.Of(v).Ref(v) }

// Refs returns the references to bundles in results.
func Refs(m *Model, list []solver.Var) []result.BundleRef {
	return words.Mapped(list, func(v solver.Var) result.BundleRef { return Ref(m, v) })
}

// Fact returns a leaf of an Explanation.
func Fact(r result.Reason) *result.Explanation { return &result.Explanation{Reason: r, Fact: true} }

// Replaced returns the names of the installed bundles that an update replaces, sorted.
func (p *Part) Replaced(v solver.Var) []string {
	names := p.NamesOf(p.Excludes[v])
	slices.Sort(names)
	return names
}
