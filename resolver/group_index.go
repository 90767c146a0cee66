package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
)

// groupIndex holds what follows from the OperatorGroups of a cluster. It is
// immutable.
type groupIndex struct {
	facts map[*OperatorGroup]*groupFacts
	// providers are the groups that provide an API, by namespace and name.
	providers map[properties.GVK][]groupProvider
}

// groupProvider is a group that provides an API.
type groupProvider struct {
	*groupFacts
	// stated: its annotation says so, not only an installed member.
	stated bool
}

// groupFacts is an OperatorGroup with the namespaces that it watches.
type groupFacts struct {
	group *OperatorGroup
	// targets are sorted; a single allNamespaces stands for all.
	targets []string
}

// indexGroups derives the index; the installed bundles of every group's
// namespace are read for it.
func (c *Cluster) indexGroups() *groupIndex {
	index := &groupIndex{facts: map[*OperatorGroup]*groupFacts{}, providers: map[properties.GVK][]groupProvider{}}
	for _, namespace := range c.all {
		state := c.in(namespace)
		for i := range state.groups {
			group := &state.groups[i]
			facts := &groupFacts{group: group, targets: group.targets(c.objects.Namespaces)}
			index.facts[group] = facts
			seen := map[properties.GVK]bool{}
			provide := func(api properties.GVK, stated bool) {
				if !seen[api] {
					seen[api] = true
					index.providers[api] = append(index.providers[api], groupProvider{facts, stated})
				}
			}
			for _, api := range group.annotatedAPIs() {
				provide(api, true)
			}
			if group.StaticProvidedAPIs {
				continue
			}
			for _, b := range c.installed().in[namespace] {
				for _, api := range b.apis {
					provide(api, false)
				}
			}
		}
	}
	return index
}

// owner returns the first group of another namespace that provides the API and
// has a namespace in common with g. Installed members do not count where it is
// open what will be installed.
func (x *groupIndex) owner(api properties.GVK, g *groupFacts, open map[string]bool) *OperatorGroup {
	for _, other := range x.providers[api] {
		if open[other.group.Namespace] && !other.stated {
			continue
		}
		if other.group.Namespace != g.group.Namespace && intersect(g, other.groupFacts) {
			return other.group
		}
	}
	return nil
}

// groupOf returns what is known of the only group of a namespace, nil if there
// is none or several.
func (c *Cluster) groupOf(namespace string) *groupFacts {
	state := c.in(namespace)
	if len(state.groups) != 1 {
		return nil
	}
	return c.groups().facts[&state.groups[0]]
}

// watches reports whether the namespace is a target of the group.
func (g *groupFacts) watches(namespace string) bool {
	if len(g.targets) == 1 && g.targets[0] == allNamespaces {
		return true
	}
	_, found := slices.BinarySearch(g.targets, namespace)
	return found
}

// intersect reports whether two groups share a namespace. A group's own
// namespace always counts as one of its targets.
func intersect(a, b *groupFacts) bool {
	common := func(namespace string) bool {
		return namespace == allNamespaces || namespace == b.group.Namespace || b.watches(namespace)
	}
	return common(a.group.Namespace) || a.watches(b.group.Namespace) || slices.ContainsFunc(a.targets, common)
}

// targets returns the namespaces that a group watches, sorted; a single
// allNamespaces stands for all. known are the namespaces whose labels are
// known.
func (g *OperatorGroup) targets(known []Namespace) []string {
	targets := g.StatusNamespaces
	if len(targets) == 0 {
		targets = g.TargetNamespaces
	}
	if len(targets) == 0 {
		if g.Selector.Empty() {
			return []string{allNamespaces}
		}
		for _, n := range known {
			if g.Selector.Matches(n.Labels) {
				targets = append(targets, n.Name)
			}
		}
	}
	if slices.Contains(targets, allNamespaces) {
		return []string{allNamespaces}
	}
	targets = slices.Clone(targets)
	slices.Sort(targets)
	return slices.Compact(targets)
}
