package fix

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// editNamespace changes a copy of a namespace's objects.
func editNamespace(in *model.Inputs, namespace string, edit func(n *cluster.NamespaceObjects)) {
	alone := len(in.Scopes) == 1 && in.Scopes[0] == cluster.InNamespace(namespace)
	in.Cluster = in.Cluster.WithNamespace(namespace, alone, edit)
}

// editSubscription changes a copy of one Subscription.
func editSubscription(in *model.Inputs, namespace, name string, edit func(s *cluster.Subscription)) {
	editNamespace(in, namespace, func(n *cluster.NamespaceObjects) {
		n.Subscriptions = edited(n.Subscriptions, func(s *cluster.Subscription) bool { return s.Name == name }, edit)
	})
}

// editExtension changes a copy of one ClusterExtension.
func editExtension(in *model.Inputs, name string, edit func(e *cluster.ClusterExtension)) {
	in.Cluster = in.Cluster.WithObjects(func(o *cluster.Objects) {
		o.ClusterExtensions = edited(o.ClusterExtensions, func(e *cluster.ClusterExtension) bool { return e.Name == name }, edit)
	})
}

// makeAvailable changes a copy of a ClusterCatalog so that it can be used.
func makeAvailable(in *model.Inputs, name string) {
	in.Cluster = in.Cluster.WithObjects(func(o *cluster.Objects) {
		o.ClusterCatalogs = edited(o.ClusterCatalogs,
			func(known *cluster.ClusterCatalog) bool { return known.Name == name },
			func(known *cluster.ClusterCatalog) { known.Unavailable = false })
	})
}

// deleting deletes an installed bundle of a namespace, if csv names one, and the
// Subscriptions that drop names.
func deleting(namespace, csv string, drop func(s cluster.Subscription) bool) func(in *model.Inputs) {
	return func(in *model.Inputs) {
		editNamespace(in, namespace, func(n *cluster.NamespaceObjects) {
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
		if c.Namespace == namespace && c.Bundle == b.Bundle {
			return true, ""
		}
		return judge(ctx, c)
	}
}
