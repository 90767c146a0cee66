package model

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// RuleReason returns the reason that states a rule of a bundle.
func RuleReason(m *Model, v solver.Var, rule int) result.Reason {
	p, o := m.OriginOf(v, rule)
	about := About(m, v)
	if o.Why != nil {
		return reason.WithAbout(*o.Why, about)
	}
	switch o.Code {
	case words.Replaces:
		return reason.Replaces(about, p.Replaced(o.Bundle))
	case words.AlreadyInstalled:
		return reason.AlreadyInstalled(about)
	case words.Deprecated:
		return reason.Deprecated(about)
	case words.OpenShift:
		limit, has := p.Model.limits.OpenShift(p.Bundle(o.Bundle).Properties)
		return reason.OpenShift(about, limit, has)
	case words.Kubernetes:
		least, has := p.Model.limits.Kubernetes(p.Bundle(o.Bundle).Properties)
		return reason.Kubernetes(about, least, has)
	}
	return reason.Requires(about, p.ConstraintOf(o).Expr)
}

// About returns what a reason about a bundle is about.
func About(m *Model, v solver.Var) reason.About {
	p := m.Of(v)
	p.Pace.Step(1)
	about := reason.About{Namespace: p.JointNamespace()}
	if b := p.AsInstalled(v); b != nil {
		about.Bundle, about.Package, about.Version = b.Name(), b.PackageName(), &b.Version
	} else {
		c, id := p.Locate(v)
		b := p.Catalogs[c].Snapshot.Bundle(id)
		about.Bundle, about.Package, about.Version, about.Catalog = b.Name, b.Package, &b.Version, p.Catalogs[c].Key
	}
	about.Subject = about.Bundle
	return about
}

// GroupReason returns the reason that at most one member of a group is selected. A group of
// no Part spans the cluster.
func GroupReason(p *Part, k GroupKey) result.Reason {
	namespace, inCluster := "", true
	if p != nil {
		namespace, inCluster = p.JointNamespace(), p.Kind.Span.OneInCluster
	}
	switch k.Code {
	case words.OnePackage:
		return reason.OnePackage(namespace, k.Name, inCluster)
	case words.OneName:
		return reason.OneName(namespace, k.Name, inCluster)
	}
	return reason.OneAPI(namespace, k.API, inCluster)
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
