package model

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
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

// Args returns the arguments of a code that [ClusterLimits.Refuse] has returned.
func (l *ClusterLimits) Args(c words.Code, set *properties.Set) result.Args {
	if c == words.Kubernetes {
		return result.Args{Limit: set.Metadata().MinKubeVersion, Has: l.kubernetes.String()}
	}
	limit, _ := set.MaxOpenShift()
	return result.Args{Limit: limit.String(), Has: l.openShift.String()}
}

// Forbid returns why a catalog's bundle cannot be newly selected, and whether there is
// such a reason. Installed bundles may always stay. The first reason counts, in the order of
// this function. It is asked once per bundle, when the solver first needs its rules.
func (p *Part) Forbid(v solver.Var, catalog int, b *catalog.Bundle) (Origin, bool) {
	forbidden := func(c words.Code, args *result.Args) (Origin, bool) {
		return Origin{Code: c, Bundle: v, Args: args}, true
	}
	if _, ok := p.Aliases[v]; ok {
		return forbidden(words.AlreadyInstalled, nil)
	}
	if b.Properties.Deprecated() {
		return forbidden(words.Deprecated, nil)
	}
	refuse := p.Model.limits.refuseKube // OLM installs what OpenShift is too new for
	if p.In.Options.EnforceOpenShiftLimit {
		refuse = p.Model.limits.Refuse
	}
	if c := refuse(b.Properties); c != "" {
		return forbidden(c, nil) // RuleReason adds the arguments: many bundles, few reasons
	}
	if pin := p.Pinned(b); pin != nil {
		return forbidden(words.Pinned, &result.Args{Other: pin.Bundle, Limit: pin.Version})
	}
	if c, owned := p.Kind.Owner(p, b.Properties); owned != nil {
		return forbidden(c, owned)
	}
	if p.OperatorGroup != nil {
		if c, refused := p.OperatorGroup.Refuses(b.Properties, p.Model.resolves); refused != nil {
			return forbidden(c, refused)
		}
	}
	if _, id := p.Locate(v); p.Judge.Rules().JudgeCandidates() {
		if why := denied(p.Judge.Breaches(catalog, id)); why != nil {
			return forbidden(words.Denied, why)
		}
	}
	if p.In.Options.SystemConstraint != nil {
		if allowed, why := p.allows(catalog, b); !allowed {
			// Equal words count as one reason, wherever their lines break.
			return forbidden(words.Forbidden, &result.Args{Said: words.OneLine(why)})
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

// OwnedInCluster returns the owner of an API of the bundle where each has one in the cluster.
func (p *Part) OwnedInCluster(set *properties.Set) (words.Code, *result.Args) {
	for _, api := range set.GVKs() {
		if owner, ok := p.Owners[inventory.KindOf(api)]; ok {
			return words.OwnedBeside, &result.Args{APIs: []properties.GVK{api}, Request: &result.Request{Key: owner.Key()}}
		}
		if owners := inventory.ProvidersIn(p.In.Cluster).Of(inventory.KindOf(api)); len(owners) > 0 {
			return words.OwnedBeside, &result.Args{APIs: []properties.GVK{api}, Owner: &result.Owner{Namespace: owners[0].Namespace, Name: owners[0].Bundle}}
		}
	}
	return "", nil
}

// OwnedInNamespace returns the owner of an API of the bundle in another namespace, by the
// options SingleOwner and SameVersions. Namespaces that are resolved together do not count.
func (p *Part) OwnedInNamespace(set *properties.Set) (words.Code, *result.Args) {
	if !p.In.Options.SingleOwner && !p.In.Options.SameVersions {
		return "", nil
	}
	chosen := false
	kind, other, ok := inventory.ProvidersIn(p.In.Cluster).Conflict(p.In.Options, set, p.Model.resolves)
	if !ok {
		chosen = true
		kind, other, ok = p.In.Chosen.Conflict(p.In.Options, set, p.Model.resolves)
	}
	args := &result.Args{APIs: []properties.GVK{kind}, Owner: &result.Owner{Namespace: other.Namespace, Name: other.Bundle, Chosen: chosen}}
	switch {
	case !ok:
		return "", nil
	case p.In.Options.SingleOwner:
		return words.Owned, args
	}
	args.Has, args.Limit = inventory.VersionsOf(set.GVKs())[kind], other.Versions
	return words.OtherVersions, args
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
