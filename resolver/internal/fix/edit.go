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
		n.Subscriptions = slices.Clone(n.Subscriptions)
		for i := range n.Subscriptions {
			if n.Subscriptions[i].Name == name {
				edit(&n.Subscriptions[i])
			}
		}
	})
}

// editExtension changes a copy of one ClusterExtension.
func editExtension(in *encode.Inputs, name string, edit func(e *cluster.ClusterExtension)) {
	changed := *in.Cluster
	changed.Objects.ClusterExtensions = slices.Clone(changed.Objects.ClusterExtensions)
	for i := range changed.Objects.ClusterExtensions {
		if e := &changed.Objects.ClusterExtensions[i]; e.Name == name {
			edit(e)
		}
	}
	changed.SortExtensions()
	in.Cluster = &changed
}

// makeAvailable changes a copy of a ClusterCatalog so that it can be used.
func makeAvailable(in *encode.Inputs, name string) {
	changed := *in.Cluster
	changed.Objects.ClusterCatalogs = slices.Clone(changed.Objects.ClusterCatalogs)
	for i := range changed.Objects.ClusterCatalogs {
		if c := &changed.Objects.ClusterCatalogs[i]; c.Name == name {
			c.Unavailable = false
		}
	}
	in.Cluster = &changed
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
