package model

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// ClusterLimits are the versions of the cluster, against which bundles state limits.
type ClusterLimits struct {
	// openShift is 0.0 if it is not known: no limit is lower.
	openShift  properties.MajorMinor
	kubernetes semver.Version
	knowsKube  bool
}

// noLimits is shared: it saves 4 % of the memory of a small resolution.
var noLimits ClusterLimits

// ReadLimits parses the versions of the cluster. The error is an *InvalidInput.
func ReadLimits(o *cluster.Objects) (*ClusterLimits, error) {
	if o.OpenShiftVersion == "" && o.KubernetesVersion == "" {
		return &noLimits, nil
	}
	var l ClusterLimits
	var err error
	parse := func(what, text, remedy string) (v semver.Version, known bool) {
		if text == "" || err != nil {
			return v, false
		}
		if v, err = semver.ParseTolerant(text); err != nil {
			err = &result.InvalidInput{Subject: what + " version", Err: words.Remedy(text, err, remedy)}
		}
		// Distributions append to the version. That must not make 1.31.0 a prerelease,
		// which would be older than 1.31.0.
		v.Pre, v.Build = nil, nil
		return v, true
	}
	v, _ := parse("OpenShift", o.OpenShiftVersion, "4.16 or 4.16.3")
	l.openShift = properties.MajorMinor{Major: v.Major, Minor: v.Minor}
	l.kubernetes, l.knowsKube = parse("Kubernetes", o.KubernetesVersion, "1.31 or v1.31.2")
	return &l, err
}

// Refuse returns why a bundle cannot run on these versions, empty if it can.
func (l *ClusterLimits) Refuse(set *properties.Set) words.Code {
	if limit, ok := set.MaxOpenShift(); ok && l.openShift.Compare(limit) > 0 {
		return words.OpenShift
	}
	return l.refuseKube(set)
}

func (l *ClusterLimits) refuseKube(set *properties.Set) words.Code {
	if m := set.Metadata(); m != nil && l.knowsKube && m.MinKubeVersion != "" {
		// An unparsable minimum is the catalog's fault and limits nothing.
		if least, err := semver.ParseTolerant(m.MinKubeVersion); err == nil && l.kubernetes.LT(least) {
			return words.Kubernetes
		}
	}
	return ""
}

// Limits returns the limits of the cluster.
func (m *Model) Limits() *ClusterLimits { return m.limits }

// OpenShift returns the version up to which a bundle may run, and that of the cluster.
func (l *ClusterLimits) OpenShift(set *properties.Set) (limit, has string) {
	stated, _ := set.MaxOpenShift()
	return stated.String(), l.openShift.String()
}

// Kubernetes returns the version that a bundle needs, and that of the cluster.
func (l *ClusterLimits) Kubernetes(set *properties.Set) (least, has string) {
	return set.Metadata().MinKubeVersion, l.kubernetes.String()
}

// Forbid returns why a catalog's bundle cannot be newly selected, and whether there is
// such a reason. Installed bundles may always stay. The first reason counts, in the order of
// this function. It is asked once per bundle, when the solver first needs its rules.
func (p *Part) Forbid(v solver.Var, catalog int, b *catalog.Bundle) (Origin, bool) {
	forbidden := func(why *result.Reason) (Origin, bool) {
		return Origin{Code: why.Code(), Bundle: v, Why: why}, true
	}
	if _, ok := p.Aliases[v]; ok {
		return Origin{Code: words.AlreadyInstalled, Bundle: v}, true
	}
	if b.Properties.Deprecated() {
		return Origin{Code: words.Deprecated, Bundle: v}, true
	}
	refuse := p.Model.limits.refuseKube // OLM installs what OpenShift is too new for
	if p.In.Options.EnforceOpenShiftLimit {
		refuse = p.Model.limits.Refuse
	}
	if c := refuse(b.Properties); c != "" {
		return Origin{Code: c, Bundle: v}, true // RuleReason makes the reason: many bundles, few reasons
	}
	if pin := p.Pinned(b); pin != nil {
		return forbidden(new(reason.Pinned(reason.About{}, pin.Bundle, pin.Version)))
	}
	if owned := p.Kind.Owner(p, b.Properties); owned != nil {
		return forbidden(owned)
	}
	if p.OperatorGroup != nil {
		if refused := p.OperatorGroup.Refuses(b.Properties, p.Model.resolves); refused != nil {
			return forbidden(refused)
		}
	}
	if _, id := p.Locate(v); p.Judge.Rules().JudgeCandidates() {
		if deny := denying(p.Judge.Breaches(catalog, id)); len(deny) > 0 {
			return forbidden(new(reason.Denied(reason.About{}, deny)))
		}
	}
	if p.In.Options.SystemConstraint != nil {
		if allowed, why := p.allows(catalog, b); !allowed {
			// Equal words count as one reason, wherever their lines break.
			return forbidden(new(reason.Forbidden(reason.About{}, words.OneLine(why))))
		}
	}
	return Origin{}, false
}

// allows calls the caller's SystemConstraint. A panic in it forbids the bundle.
func (p *Part) allows(c int, b *catalog.Bundle) (allowed bool, reason string) {
	if err := p.Pace.Ctx.Err(); err != nil {
		// The solver does not check the context at each bundle.
		p.Pace.Fail(err)
		return false, ""
	}
	candidate := policy.Candidate{
		Namespace:  p.Namespace,
		Bundle:     b.Key(p.Catalogs[c].Key),
		Version:    b.Version,
		Properties: b.Properties,
	}
	type verdict struct {
		allowed bool
		reason  string
	}
	v, err := detached.Call(p.Pace.Ctx, func() (v verdict) {
		v.allowed, v.reason = p.In.Options.SystemConstraint(p.Pace.Ctx, candidate)
		return v
	})
	switch {
	case err == nil:
		return v.allowed, v.reason
	case p.Pace.Ctx.Err() != nil:
		p.Pace.Fail(p.Pace.Ctx.Err())
		return false, ""
	}
	return false, words.ConstraintFailed(err)
}

// OwnedInCluster returns that an API of the bundle has an owner already, where each has one in the
// cluster; nil if it has none. The reason leaves the bundle out.
func (p *Part) OwnedInCluster(set *properties.Set) *result.Reason {
	for _, api := range set.GVKs() {
		if owner, ok := p.Owners[inventory.KindOf(api)]; ok {
			return new(reason.OwnedBeside(reason.About{}, api, &result.Request{Key: owner.Key()}, nil))
		}
		if owners := inventory.ProvidersIn(p.In.Cluster).Of(inventory.KindOf(api)); len(owners) > 0 {
			owner := &result.Owner{Namespace: owners[0].Namespace, Name: owners[0].Bundle}
			return new(reason.OwnedBeside(reason.About{}, api, nil, owner))
		}
	}
	return nil
}

// OwnedInNamespace returns that an API of the bundle has an owner in another namespace, by the
// options SingleOwner and SameVersions; nil if it has none. Namespaces that are resolved together do
// not count. The reason leaves the bundle out.
func (p *Part) OwnedInNamespace(set *properties.Set) *result.Reason {
	if !p.In.Options.SingleOwner && !p.In.Options.SameVersions {
		return nil
	}
	chosen := false
	kind, other, ok := inventory.ProvidersIn(p.In.Cluster).Conflict(p.In.Options, set, p.Model.resolves)
	if !ok {
		chosen = true
		kind, other, ok = p.In.Chosen.Conflict(p.In.Options, set, p.Model.resolves)
	}
	if !ok {
		return nil
	}
	owner := result.Owner{Namespace: other.Namespace, Name: other.Bundle, Chosen: chosen}
	if p.In.Options.SingleOwner {
		return new(reason.Owned(reason.About{}, kind, owner))
	}
	return new(reason.OtherVersions(reason.About{}, kind, inventory.VersionsOf(set.GVKs())[kind], other.Versions, owner))
}

// Counts reports whether a pin counts for a package in a namespace.
func Counts(pin *policy.Pin, pkg, namespace string) bool {
	return pin.Package == pkg && (pin.Namespace == "" || pin.Namespace == namespace)
}

// Pinned returns the pin that forbids a bundle, nil if none does.
func (p *Part) Pinned(b *catalog.Bundle) *policy.Pin {
	for i := range p.In.Options.Pins {
		pin := &p.In.Options.Pins[i]
		if Counts(pin, b.Package, p.Namespace) && !admits(pin, b) {
			return pin
		}
	}
	return nil
}

// admits reports whether the pin allows a bundle of its package.
func admits(pin *policy.Pin, b *catalog.Bundle) bool {
	return (pin.Bundle != "" || pin.Version != "") &&
		(pin.Bundle == "" || pin.Bundle == b.Name) &&
		(pin.Version == "" || pin.Version == b.Version.String())
}
