package inventory

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Unmatched says what the selector of the only OperatorGroup of a namespace asks for and which labels
// the known namespaces have, if it matches none of them. It is empty if the group has a target.
func Unmatched(c *cluster.Index, namespace string) string {
	g := GroupOf(c, namespace)
	if g == nil || len(g.targets) > 0 {
		return ""
	}
	var instead []string
	if known := c.ClusterScoped().Namespaces; len(known) > 0 {
		for _, key := range slices.Sorted(maps.Keys(g.OperatorGroup.Selector.MatchLabels)) {
			instead = append(instead, otherValues(known, key, g.OperatorGroup.Selector.MatchLabels[key])...)
		}
	}
	return words.AsksFor(g.OperatorGroup.Selector.String(), instead)
}

// otherValues says which namespaces have a label with other values than the wanted one. It says
// nothing if some have that.
func otherValues(known []cluster.Namespace, key, want string) (list []string) {
	with := map[string][]string{}
	for _, n := range known {
		if value, ok := n.Labels[key]; ok {
			with[value] = append(with[value], n.Name)
		}
	}
	switch {
	case len(with[want]) > 0:
		return nil
	case len(with) == 0:
		return []string{words.HaveLabel(nil, key)}
	}
	for _, value := range slices.Sorted(maps.Keys(with)) {
		list = append(list, words.HaveLabel(slices.Sorted(slices.Values(with[value])), key+"="+value))
	}
	return list
}
