package inventory

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Group is an OperatorGroup with the namespaces that it watches.
type Group struct {
	*cluster.OperatorGroup
	// targets are sorted; a single allNamespaces stands for all.
	targets []string
}

// allNamespaces is the target that stands for all.
const allNamespaces = ""

// newGroup reads a group; known are the namespaces whose labels are known.
func newGroup(g *cluster.OperatorGroup, known []cluster.Namespace) *Group {
	targets := g.StatusNamespaces
	if len(targets) == 0 {
		targets = g.TargetNamespaces
	}
	switch {
	case len(targets) > 0:
	case g.Selector.Empty():
		targets = []string{allNamespaces}
	default:
		for _, n := range known {
			if g.Selector.Matches(n.Labels) {
				targets = append(targets, n.Name)
			}
		}
	}
	if slices.Contains(targets, allNamespaces) {
		return &Group{g, []string{allNamespaces}}
	}
	return &Group{g, slices.Compact(slices.Sorted(slices.Values(targets)))}
}

func (g *Group) everywhere() bool { return len(g.targets) == 1 && g.targets[0] == allNamespaces }

// Watches reports whether the namespace is a target of the group.
func (g *Group) Watches(namespace string) bool {
	_, found := slices.BinarySearch(g.targets, namespace)
	return found || g.everywhere()
}

// Intersects reports whether two groups share a namespace. A group's own
// namespace always counts as one of its targets.
func (g *Group) Intersects(other *Group) bool {
	common := func(namespace string) bool { return namespace == other.Namespace || other.Watches(namespace) }
	return g.everywhere() || common(g.Namespace) || slices.ContainsFunc(g.targets, common)
}

// GroupOf returns the only group of a namespace, nil if there is none or several.
func (c *Cluster) GroupOf(namespace string) *Group {
	state := c.In(namespace)
	if len(state.Groups) != 1 {
		return nil
	}
	if g, ok := c.groups().groups[&state.Groups[0]]; ok {
		return g
	}
	return newGroup(&state.Groups[0], c.Objects.Namespaces) // of a changed copy
}

// groupIndex finds the OperatorGroups of a cluster that provide an API. It is
// immutable once made.
type groupIndex struct {
	groups    map[*cluster.OperatorGroup]*Group
	providers map[properties.GVK]*apiProviders
}

// apiProviders are the groups that provide an API, each list by namespace and
// name: all of them, and those at each target or own namespace.
type apiProviders struct {
	all []groupProvider
	at  map[string][]groupProvider
}

// groupProvider is a group that provides an API.
type groupProvider struct {
	*Group
	// stated: its annotation says so, not only an installed member.
	stated bool
}

// add reads the groups of a namespace with its installed bundles. Namespaces
// come in order; known are those whose labels are known.
func (x *groupIndex) add(state *Namespace, known []cluster.Namespace, members []Installed) {
	for i := range state.Groups {
		group := newGroup(&state.Groups[i], known)
		x.groups[group.OperatorGroup] = group
		seen := map[properties.GVK]bool{}
		provide := func(apis []properties.GVK, stated bool) {
			for _, api := range apis {
				if !seen[api] {
					seen[api] = true
					x.provide(api, groupProvider{group, stated})
				}
			}
		}
		provide(annotatedAPIs(group), true)
		if group.StaticProvidedAPIs {
			continue
		}
		for _, b := range members {
			provide(b.Properties.GVKs(), false)
		}
	}
}

func (x *groupIndex) provide(api properties.GVK, p groupProvider) {
	a := x.providers[api]
	if a == nil {
		a = &apiProviders{at: map[string][]groupProvider{}}
		x.providers[api] = a
	}
	a.all = append(a.all, p)
	if !slices.Contains(p.targets, p.Namespace) {
		a.at[p.Namespace] = append(a.at[p.Namespace], p)
	}
	for _, namespace := range p.targets {
		a.at[namespace] = append(a.at[namespace], p)
	}
}

// owner returns the first group of another namespace that provides the API and
// has a namespace in common with g. Installed members do not count where it is
// open what will be installed.
func (x *groupIndex) owner(api properties.GVK, g *Group, open func(namespace string) bool) *Group {
	a := x.providers[api]
	if a == nil {
		return nil
	}
	var first *Group
	check := func(list []groupProvider) {
		for _, other := range list {
			if other.Namespace == g.Namespace || open(other.Namespace) && !other.stated {
				continue
			}
			if first == nil || other.Namespace < first.Namespace {
				first = other.Group
			}
			return
		}
	}
	if g.everywhere() {
		check(a.all)
		return first
	}
	check(a.at[allNamespaces])
	check(a.at[g.Namespace])
	for _, namespace := range g.targets {
		check(a.at[namespace])
	}
	return first
}
