package inventory

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Beside names an OperatorGroup that provides APIs of a failed bundle. label is the one by which alone it
// has the namespace of the bundle as a target, empty if there is none.
func Beside(c *cluster.Index, failed *cluster.ClusterServiceVersion, group *cluster.OperatorGroup) (name, label string) {
	name = words.GroupProvides(group.Namespace, group.Name, words.Mapped(sharedAPIs(c, failed, group), words.APIText))
	failing, other := GroupOf(c, failed.Namespace), GroupOf(c, group.Namespace)
	if failing == nil || other == nil || failing.Everywhere() || other.Everywhere() || len(group.TargetNamespaces) > 0 || group.Selector == nil {
		return name, ""
	}
	for namespace := range failing.At() {
		if shared := namespace == group.Namespace || other.Watches(namespace); shared != (namespace == failed.Namespace) {
			return name, ""
		}
	}
	for _, key := range slices.Sorted(maps.Keys(group.Selector.MatchLabels)) {
		return name, key
	}
	return name, ""
}

// sharedAPIs are those of a failed bundle that an OperatorGroup provides: by its annotation, or by what is
// installed in its namespace.
func sharedAPIs(c *cluster.Index, failed *cluster.ClusterServiceVersion, group *cluster.OperatorGroup) []properties.GVK {
	stated := annotatedAPIs(NewGroup(group))
	return slices.DeleteFunc(slices.Clone(failed.Provides), func(api properties.GVK) bool {
		return !slices.Contains(stated, api) && !slices.ContainsFunc(Counting(c.In(group.Namespace)), func(v *cluster.ClusterServiceVersion) bool { return slices.Contains(v.Provides, api) })
	})
}
