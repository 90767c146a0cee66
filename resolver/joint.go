package resolver

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
)

// ResolveJointly resolves namespaces as one problem: all requests hold, in the
// order of namespace and name, or none is answered. An obligation in a namespace
// can be met from another one whose OperatorGroup targets it, after what the
// namespace has installed and before new bundles of its own come those that the
// other has installed, and new bundles there come last. So updates that need
// each other succeed together. Bundles of namespaces whose groups have targets
// in common do not provide one API, wherever they are chosen.
//
// The resolutions are in order of namespace. The error is one of those of
// Resolve, of the first namespace that has one; where the namespaces cannot hold
// together it is one *NotSatisfiable of all, in which everything names its
// namespace. With Options.Partial, requests are left out in the order of all.
func (r *Resolver) ResolveJointly(ctx context.Context, namespaces []string, cluster *Cluster, catalogs *cache.View) ([]*Resolution, error) {
	namespaces = slices.Compact(slices.Sorted(slices.Values(namespaces)))
	resolutions, err := r.resolve(ctx, r.inputs(cluster, catalogs, namespaces...))
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(resolutions))
	for i, resolution := range resolutions {
		outcomes[i] = Outcome{Namespace: resolution.Namespace, Resolution: resolution}
	}
	cluster.warnVersions(outcomes)
	return resolutions, nil
}
