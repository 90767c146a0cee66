package resolver

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
)

// ResolveNamespaces resolves each of the namespaces by itself, on as many
// processors as Go may use. The outcomes are in the order of the namespaces.
//
// With Options.SingleOwner or SameVersions a namespace obeys, beside what is
// installed elsewhere, what was chosen for the namespaces before it in the list.
func (r *Resolver) ResolveNamespaces(ctx context.Context, namespaces []string, cluster *Cluster, catalogs *cache.View) []result.Outcome {
	outcomes := r.resolveEach(ctx, namespaces, r.inputs(cluster, catalogs))
	answer.WarnVersions(cluster.inventory, outcomes)
	return outcomes
}

// resolveEach is ResolveNamespaces without warnings of what other namespaces provide.
func (r *Resolver) resolveEach(ctx context.Context, namespaces []string, in encode.Inputs) []result.Outcome {
	outcomes := make([]result.Outcome, len(namespaces))
	pace.Parallel(len(namespaces), func(i int) {
		o, in := &outcomes[i], in
		o.Namespace, in.Namespaces = namespaces[i], namespaces[i:i+1]
		o.Resolution, o.Err = r.resolveOne(ctx, in)
	})
	if in.Options.SingleOwner || in.Options.SameVersions {
		r.settle(ctx, outcomes, in)
	}
	return outcomes
}

// settle resolves those namespaces again whose choices do not go with the choices
// for the namespaces before them. What goes with them is the right answer as it
// is: no other one would be preferred.
func (r *Resolver) settle(ctx context.Context, outcomes []result.Outcome, in encode.Inputs) {
	in.Chosen = inventory.Providers{}
	done := map[string]bool{}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Resolution != nil && clashes(&in, o) {
			in.Namespaces = []string{o.Namespace}
			o.Resolution, o.Err = r.resolveOne(ctx, in)
		}
		if o.Resolution == nil || done[o.Namespace] {
			continue
		}
		done[o.Namespace] = true
		for j := range o.Resolution.Installs {
			install := &o.Resolution.Installs[j]
			in.Chosen.Add(o.Namespace, install.Bundle, install.Properties)
		}
	}
}

// clashes reports whether the choices for a namespace break the rule that a kind
// has one owner, or one set of versions, with what was chosen for others.
func clashes(in *encode.Inputs, o *result.Outcome) bool {
	for i := range o.Resolution.Installs {
		set := o.Resolution.Installs[i].Properties
		if _, _, ok := in.Chosen.Conflict(in.Options, set, func(namespace string) bool { return namespace == o.Namespace }); ok {
			return true
		}
	}
	return false
}

// ResolveExtensions resolves each of the ClusterExtensions by itself, against
// what is installed, as ResolveNamespaces does with namespaces.
func (r *Resolver) ResolveExtensions(ctx context.Context, names []string, cluster *Cluster, catalogs *cache.View) []result.Outcome {
	outcomes := make([]result.Outcome, len(names))
	pace.Parallel(len(names), func(i int) {
		o := &outcomes[i]
		o.Extension = names[i]
		o.Resolution, o.Err = r.ResolveExtension(ctx, names[i], cluster, catalogs)
	})
	return outcomes
}

// ResolveJointly resolves namespaces as one problem: all requests hold, in the
// order of namespace and name, or none is answered. A bundle of another namespace
// whose OperatorGroup targets this one can satisfy its constraints: those that are
// installed there come after its own installed ones and before its new ones, and new
// bundles there come last. So updates that need
// each other succeed together. Bundles of namespaces whose groups have targets
// in common do not provide one API, wherever they are chosen.
//
// The resolutions are in order of namespace. The error is one of those of
// Resolve, of the first namespace that has one; where the namespaces cannot hold
// together it is one *NotSatisfiable of all, in which everything names its
// namespace. With Options.Partial, requests are left out in the order of all.
func (r *Resolver) ResolveJointly(ctx context.Context, namespaces []string, cluster *Cluster, catalogs *cache.View) ([]*result.Resolution, error) {
	if len(namespaces) == 0 {
		return nil, nil
	}
	namespaces = slices.Compact(slices.Sorted(slices.Values(namespaces)))
	resolutions, err := r.resolve(ctx, r.inputs(cluster, catalogs, namespaces...))
	if err != nil {
		return nil, err
	}
	outcomes := make([]result.Outcome, len(resolutions))
	for i, resolution := range resolutions {
		outcomes[i] = result.Outcome{Namespace: resolution.Namespace, Resolution: resolution}
	}
	answer.WarnVersions(cluster.inventory, outcomes)
	return resolutions, nil
}
