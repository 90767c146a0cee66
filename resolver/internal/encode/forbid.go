package encode

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// clusterLimits are the versions of the cluster, where they are known.
type clusterLimits struct {
	openShift      properties.MajorMinor
	knowsOpenShift bool
	kubernetes     semver.Version
	knowsKube      bool
}

// readLimits parses the versions that the caller gave.
func readLimits(o *cluster.Objects) (clusterLimits, error) {
	var l clusterLimits
	if o.OpenShiftVersion != "" {
		v, err := semver.ParseTolerant(o.OpenShiftVersion)
		if err != nil {
			return l, &result.InvalidInput{Subject: "OpenShift version", Err: fmt.Errorf("%q: %w; give it as 4.16 or 4.16.3", o.OpenShiftVersion, err)}
		}
		l.openShift, l.knowsOpenShift = properties.MajorMinor{Major: v.Major, Minor: v.Minor}, true
	}
	if o.KubernetesVersion != "" {
		v, err := semver.ParseTolerant(o.KubernetesVersion)
		if err != nil {
			return l, &result.InvalidInput{Subject: "Kubernetes version", Err: fmt.Errorf("%q: %w; give it as 1.31 or v1.31.2", o.KubernetesVersion, err)}
		}
		// Distributions append to the version; a pre-release of 1.31.0 must not
		// count as older than 1.31.0.
		v.Pre, v.Build = nil, nil
		l.kubernetes, l.knowsKube = v, true
	}
	return l, nil
}

// Forbid says what keeps a catalog bundle from being newly selected, if
// anything does. Installed bundles are never asked about.
func (p *Part) Forbid(v solver.Var, catalog int, b *cache.Bundle) (Origin, bool) {
	forbidden := func(kind result.ReasonKind, format string, args ...any) (Origin, bool) {
		return Origin{Kind: kind, Bundle: v, Detail: fmt.Sprintf(format, args...)}, true
	}
	if _, ok := p.Aliases[v]; ok {
		return forbidden(result.ReasonInstalled, "is installed")
	}
	if b.Properties.Deprecated() {
		return forbidden(result.ReasonDeprecated, "is marked olm.deprecated by its publisher: never newly installed")
	}
	if limit, ok := b.Properties.MaxOpenShift(); ok && p.limits.knowsOpenShift && p.limits.openShift.Compare(limit) > 0 {
		return forbidden(result.ReasonOpenShift, "runs on OpenShift up to %s, and this cluster has %s", limit, p.limits.openShift)
	}
	if m := b.Properties.Metadata(); m != nil && p.limits.knowsKube && m.MinKubeVersion != "" {
		// An unparsable minimum is the catalog's fault and limits nothing.
		if least, err := semver.ParseTolerant(m.MinKubeVersion); err == nil && p.limits.kubernetes.LT(least) {
			return forbidden(result.ReasonKubernetes, "needs Kubernetes %s or newer, and this cluster has %s", m.MinKubeVersion, p.limits.kubernetes)
		}
	}
	if why, pinned := p.pinned(b); pinned {
		return forbidden(result.ReasonPin, "%s", why)
	}
	for _, api := range b.Properties.GVKs() {
		if owner, ok := p.owners[inventory.KindOf(api)]; ok {
			return forbidden(result.ReasonOneAPI, "provides %s, which %s owns already; a kind has one owner in a cluster", api.Describe(), owner)
		}
	}
	if why, owned := p.ownedElsewhere(b.Properties); owned {
		return forbidden(result.ReasonOneAPI, "%s", why)
	}
	if p.OperatorGroup != nil {
		if why, refused := p.OperatorGroup.Refuses(b.Properties, p.Model.resolves); refused {
			return forbidden(result.ReasonOperatorGroup, "%s", why)
		}
	}
	if p.Options.SystemConstraint != nil {
		if allowed, reason := p.askSystem(catalog, b); !allowed {
			return forbidden(result.ReasonSystem, "is not allowed here: %s", result.OneLine(reason))
		}
	}
	return Origin{}, false
}

// askSystem calls the caller's function; a panic in it forbids the bundle.
func (p *Part) askSystem(catalog int, b *cache.Bundle) (allowed bool, reason string) {
	if err := p.Ctx.Err(); err != nil {
		// The solver looks at the context now and then only.
		p.Fail(err)
		return false, ""
	}
	candidate := policy.Candidate{
		Namespace:  p.Namespace,
		Catalog:    p.Universe.Catalogs[catalog].Key,
		Bundle:     b.Name,
		Package:    b.Package,
		Version:    b.Version.String(),
		Properties: b.Properties,
	}
	type verdict struct {
		allowed bool
		reason  string
	}
	v, err := detached.Call(p.Ctx, func() (v verdict) {
		v.allowed, v.reason = p.Options.SystemConstraint(p.Ctx, candidate)
		return v
	})
	switch {
	case err == nil:
		return v.allowed, v.reason
	case p.Ctx.Err() != nil:
		p.Fail(p.Ctx.Err())
		return false, ""
	}
	return false, "the system constraint failed: " + err.Error()
}

// ownedElsewhere says why what other namespaces have installed, or what was chosen
// for them, keeps a bundle out, where the caller wants a kind to have one owner,
// or one set of versions, in the cluster. Namespaces that are resolved together
// are not asked.
func (p *Part) ownedElsewhere(set *properties.Set) (string, bool) {
	if !p.Options.SingleOwner && !p.Options.SameVersions || p.Extension != nil {
		return "", false
	}
	kind, other, ok := inventory.OwnedBy(p.Options, set, p.Cluster.Installed().Kinds, p.Model.resolves)
	subject, already := inventory.CSVSubject(other.Namespace, other.Bundle), " already"
	if !ok && p.Model.Chosen != nil {
		kind, other, ok = inventory.OwnedBy(p.Options, set, p.Model.Chosen, p.Model.resolves)
		subject, already = other.Bundle+", chosen for namespace "+other.Namespace+",", ""
	}
	switch {
	case !ok:
		return "", false
	case p.Options.SingleOwner:
		return fmt.Sprintf("provides %s, which %s owns%s; a kind has one owner in the cluster", result.KindText(kind), subject, already), true
	}
	return fmt.Sprintf("provides %s as %s, and %s provides it as %s; a kind has one set of versions in the cluster",
		result.KindText(kind), inventory.VersionsOf(set.GVKs())[kind], subject, other.Versions), true
}

// pinned says which pin keeps a bundle from being newly selected, if one does.
func (p *Part) pinned(b *cache.Bundle) (string, bool) {
	for i := range p.Options.Pins {
		pin := &p.Options.Pins[i]
		if pin.Package == b.Package && (pin.Namespace == "" || pin.Namespace == p.Namespace) && !admits(pin, b) {
			return fmt.Sprintf("is not allowed: package %s is pinned to %s", pin.Package, text(pin)), true
		}
	}
	return "", false
}
