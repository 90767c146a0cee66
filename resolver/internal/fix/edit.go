package fix

import (
	"context"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// editNamespace changes a copy of a namespace's objects.
func editNamespace(in *encode.Inputs, namespace string, edit func(n *inventory.Namespace)) {
	state := *in.Cluster.In(namespace)
	edit(&state)
	state.IndexInstallers()
	changed := *in.Cluster
	changed.Namespaces = maps.Clone(changed.Namespaces)
	changed.Namespaces[namespace] = &state
	// Groups are looked up among all objects, too.
	changed.Objects.OperatorGroups = slices.Clone(changed.Objects.OperatorGroups)
	for i := range changed.Objects.OperatorGroups {
		g := &changed.Objects.OperatorGroups[i]
		if j := slices.IndexFunc(state.Groups, func(o cluster.OperatorGroup) bool { return o.Name == g.Name }); j >= 0 && g.Namespace == namespace {
			*g = state.Groups[j]
		}
	}
	if len(in.Namespaces) != 1 || namespace != in.Namespaces[0] {
		changed.LazyIndex = inventory.NewLazyIndex() // others see the change
	}
	in.Cluster = &changed
}

// editSubscription changes a copy of one Subscription.
func editSubscription(in *encode.Inputs, namespace, name string, edit func(s *cluster.Subscription)) {
	editNamespace(in, namespace, func(n *inventory.Namespace) {
		n.Subscriptions = edited(n.Subscriptions, func(s *cluster.Subscription) bool { return s.Name == name }, edit)
	})
}

// editCluster changes a copy of the cluster.
func editCluster(in *encode.Inputs, edit func(c *inventory.Cluster)) {
	changed := *in.Cluster
	edit(&changed)
	in.Cluster = &changed
}

// editExtension changes a copy of one ClusterExtension.
func editExtension(in *encode.Inputs, name string, edit func(e *cluster.ClusterExtension)) {
	editCluster(in, func(c *inventory.Cluster) {
		c.Objects.ClusterExtensions = edited(c.Objects.ClusterExtensions, func(e *cluster.ClusterExtension) bool { return e.Name == name }, edit)
		c.SortExtensions()
	})
}

// makeAvailable changes a copy of a ClusterCatalog so that it can be used.
func makeAvailable(in *encode.Inputs, name string) {
	editCluster(in, func(c *inventory.Cluster) {
		c.Objects.ClusterCatalogs = edited(c.Objects.ClusterCatalogs,
			func(known *cluster.ClusterCatalog) bool { return known.Name == name },
			func(known *cluster.ClusterCatalog) { known.Unavailable = false })
	})
}

// deleting deletes an installed bundle of a namespace, if csv names one, and the
// Subscriptions that drop names.
func deleting(namespace, csv string, drop func(s cluster.Subscription) bool) func(in *encode.Inputs) {
	return func(in *encode.Inputs) {
		editNamespace(in, namespace, func(n *inventory.Namespace) {
			n.CSVs = without(n.CSVs, func(o cluster.ClusterServiceVersion) bool { return o.Name == csv })
			n.Subscriptions = without(n.Subscriptions, drop)
		})
	}
}

// edited returns a copy of the list in which the elements of which is holds are changed.
func edited[T any](list []T, is func(*T) bool, edit func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		if is(&list[i]) {
			edit(&list[i])
		}
	}
	return list
}

// without returns a copy of the list without the elements that drop names.
func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// allowing returns a policy that allows one bundle in a namespace beside what
// judge allows.
func allowing(judge policy.SystemConstraint, namespace string, b result.BundleRef) policy.SystemConstraint {
	return func(ctx context.Context, c policy.Candidate) (bool, string) {
		if c.Namespace == namespace && c.Bundle == b.Name && c.Package == b.Package && c.Catalog == b.Catalog {
			return true, ""
		}
		return judge(ctx, c)
	}
}
