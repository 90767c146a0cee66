package resolver

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/detached"
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
func readLimits(o *Objects) (clusterLimits, error) {
	var l clusterLimits
	if o.OpenShiftVersion != "" {
		v, err := semver.ParseTolerant(o.OpenShiftVersion)
		if err != nil {
			return l, &InvalidInput{Subject: "OpenShift version", Err: fmt.Errorf("%q: %w; give it as 4.16 or 4.16.3", o.OpenShiftVersion, err)}
		}
		l.openShift, l.knowsOpenShift = properties.MajorMinor{Major: v.Major, Minor: v.Minor}, true
	}
	if o.KubernetesVersion != "" {
		v, err := semver.ParseTolerant(o.KubernetesVersion)
		if err != nil {
			return l, &InvalidInput{Subject: "Kubernetes version", Err: fmt.Errorf("%q: %w; give it as 1.31 or v1.31.2", o.KubernetesVersion, err)}
		}
		// Distributions append to the version; a pre-release of 1.31.0 must not
		// count as older than 1.31.0.
		v.Pre, v.Build = nil, nil
		l.kubernetes, l.knowsKube = v, true
	}
	return l, nil
}

// forbid says what keeps a catalog bundle from being newly selected, if
// anything does. Installed bundles are never asked about.
func (p *problem) forbid(v solver.Var, catalog int, b *catalog.Bundle) (origin, bool) {
	forbidden := func(kind ReasonKind, format string, args ...any) (origin, bool) {
		return origin{kind: kind, bundle: v, detail: fmt.Sprintf(format, args...)}, true
	}
	if _, ok := p.aliases[v]; ok {
		return forbidden(ReasonInstalled, "is installed")
	}
	if b.Properties.Deprecated() {
		return forbidden(ReasonDeprecated, "is marked olm.deprecated by its publisher: never newly installed")
	}
	if limit, ok := b.Properties.MaxOpenShift(); ok && p.limits.knowsOpenShift && p.limits.openShift.Compare(limit) > 0 {
		return forbidden(ReasonOpenShift, "runs on OpenShift up to %s, and this cluster has %s", limit, p.limits.openShift)
	}
	if m := b.Properties.Metadata(); m != nil && p.limits.knowsKube && m.MinKubeVersion != "" {
		// An unparsable minimum is the catalog's fault and limits nothing.
		if least, err := semver.ParseTolerant(m.MinKubeVersion); err == nil && p.limits.kubernetes.LT(least) {
			return forbidden(ReasonKubernetes, "needs Kubernetes %s or newer, and this cluster has %s", m.MinKubeVersion, p.limits.kubernetes)
		}
	}
	if why, pinned := p.pinned(b); pinned {
		return forbidden(ReasonPin, "%s", why)
	}
	for _, api := range b.Properties.GVKs() {
		if owner, ok := p.owners[kindOf(api)]; ok {
			return forbidden(ReasonOneAPI, "provides %s, which %s owns already; a kind has one owner in a cluster", api.Describe(), owner)
		}
	}
	if why, owned := p.ownedElsewhere(b.Properties); owned {
		return forbidden(ReasonOneAPI, "%s", why)
	}
	if p.operatorGroup != nil {
		if why, refused := p.operatorGroup.refuses(b.Properties, p.together); refused {
			return forbidden(ReasonOperatorGroup, "%s", why)
		}
	}
	if p.options.SystemConstraint != nil {
		if allowed, reason := p.askSystem(catalog, b); !allowed {
			return forbidden(ReasonSystem, "is not allowed here: %s", oneLine(reason))
		}
	}
	return origin{}, false
}

// askSystem calls the caller's function; a panic in it forbids the bundle.
func (p *problem) askSystem(catalog int, b *catalog.Bundle) (allowed bool, reason string) {
	if err := p.ctx.Err(); err != nil {
		// The solver looks at the context now and then only.
		p.fail(err)
		return false, ""
	}
	candidate := Candidate{
		Namespace:  p.namespace,
		Catalog:    p.universe.catalogs[catalog].key,
		Bundle:     b.Name,
		Package:    b.Package,
		Version:    b.Version.String(),
		Properties: b.Properties,
	}
	type verdict struct {
		allowed bool
		reason  string
	}
	v, err := detached.Call(p.ctx, func() (v verdict) {
		v.allowed, v.reason = p.options.SystemConstraint(p.ctx, candidate)
		return v
	})
	switch {
	case err == nil:
		return v.allowed, v.reason
	case p.ctx.Err() != nil:
		p.fail(p.ctx.Err())
		return false, ""
	}
	return false, "the system constraint failed: " + err.Error()
}
