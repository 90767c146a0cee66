package resolver

import (
	"context"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/result"
)

// editNamespace changes a copy of a namespace's objects.
func (in *inputs) editNamespace(namespace string, edit func(n *namespaceState)) {
	state := *in.cluster.in(namespace)
	edit(&state)
	state.indexInstallers()
	changed := *in.cluster
	changed.namespaces = maps.Clone(changed.namespaces)
	changed.namespaces[namespace] = &state
	// Groups are looked up among all objects, too.
	changed.objects.OperatorGroups = slices.Clone(changed.objects.OperatorGroups)
	for i := range changed.objects.OperatorGroups {
		g := &changed.objects.OperatorGroups[i]
		if j := slices.IndexFunc(state.groups, func(o OperatorGroup) bool { return o.Name == g.Name }); j >= 0 && g.Namespace == namespace {
			*g = state.groups[j]
		}
	}
	if len(in.namespaces) != 1 || namespace != in.namespaces[0] {
		changed.lazyIndex = newLazyIndex() // others see the change
	}
	in.cluster = &changed
}

// editSubscription changes a copy of one Subscription.
func (in *inputs) editSubscription(namespace, name string, edit func(s *Subscription)) {
	in.editNamespace(namespace, func(n *namespaceState) {
		n.subscriptions = slices.Clone(n.subscriptions)
		for i := range n.subscriptions {
			if n.subscriptions[i].Name == name {
				edit(&n.subscriptions[i])
			}
		}
	})
}

// editExtension changes a copy of one ClusterExtension.
func (in *inputs) editExtension(name string, edit func(e *ClusterExtension)) {
	changed := *in.cluster
	changed.objects.ClusterExtensions = slices.Clone(changed.objects.ClusterExtensions)
	for i := range changed.objects.ClusterExtensions {
		if e := &changed.objects.ClusterExtensions[i]; e.Name == name {
			edit(e)
		}
	}
	changed.sortExtensions()
	in.cluster = &changed
}

// makeAvailable changes a copy of a ClusterCatalog so that it can be used.
func (in *inputs) makeAvailable(name string) {
	changed := *in.cluster
	changed.objects.ClusterCatalogs = slices.Clone(changed.objects.ClusterCatalogs)
	for i := range changed.objects.ClusterCatalogs {
		if c := &changed.objects.ClusterCatalogs[i]; c.Name == name {
			c.Unavailable = false
		}
	}
	in.cluster = &changed
}

// without returns a copy of the list without the elements that drop names.
func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// allowing returns a policy that allows one bundle in a namespace beside what
// judge allows.
func allowing(judge SystemConstraint, namespace string, b result.BundleRef) SystemConstraint {
	return func(ctx context.Context, c Candidate) (bool, string) {
		if c.Namespace == namespace && c.Bundle == b.Name && c.Package == b.Package && c.Catalog == b.Catalog {
			return true, ""
		}
		return judge(ctx, c)
	}
}
