package inventory

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// groupIndex holds what follows from the OperatorGroups of a cluster. It is
// immutable.
type groupIndex struct {
	facts     map[*cluster.OperatorGroup]*groupFacts
	providers map[properties.GVK]*apiProviders
}

// apiProviders are the groups that provide an API, each list by namespace and
// name.
type apiProviders struct {
	all []groupProvider
	// everywhere are those that target all namespaces; at lists the others by
	// the namespaces that they watch or stand in.
	everywhere []groupProvider
	at         map[string][]groupProvider
}

func (a *apiProviders) add(p groupProvider) {
	a.all = append(a.all, p)
	if p.everywhere() {
		a.everywhere = append(a.everywhere, p)
		return
	}
	if !slices.Contains(p.targets, p.group.Namespace) {
		a.at[p.group.Namespace] = append(a.at[p.group.Namespace], p)
	}
	for _, namespace := range p.targets {
		a.at[namespace] = append(a.at[namespace], p)
	}
}

// groupProvider is a group that provides an API.
type groupProvider struct {
	*groupFacts
	// stated: its annotation says so, not only an installed member.
	stated bool
}

// groupFacts is an OperatorGroup with the namespaces that it watches.
type groupFacts struct {
	group *cluster.OperatorGroup
	// targets are sorted; a single allNamespaces stands for all.
	targets []string
}

func newGroupIndex() *groupIndex {
	return &groupIndex{facts: map[*cluster.OperatorGroup]*groupFacts{}, providers: map[properties.GVK]*apiProviders{}}
}

// add reads the groups of a namespace with its installed bundles. Namespaces
// come in order; known are those whose labels are known.
func (x *groupIndex) add(state *Namespace, known []cluster.Namespace, members []installedFacts) {
	for i := range state.Groups {
		group := &state.Groups[i]
		facts := &groupFacts{group: group, targets: targets(group, known)}
		x.facts[group] = facts
		seen := map[properties.GVK]bool{}
		provide := func(api properties.GVK, stated bool) {
			if !seen[api] {
				seen[api] = true
				x.provide(api, groupProvider{facts, stated})
			}
		}
		for _, api := range annotatedAPIs(group) {
			provide(api, true)
		}
		if group.StaticProvidedAPIs {
			continue
		}
		for _, b := range members {
			for _, api := range b.apis {
				provide(api, false)
			}
		}
	}
}

func (x *groupIndex) provide(api properties.GVK, p groupProvider) {
	providers := x.providers[api]
	if providers == nil {
		providers = &apiProviders{at: map[string][]groupProvider{}}
		x.providers[api] = providers
	}
	providers.add(p)
}

// owner returns the first group of another namespace that provides the API and
// has a namespace in common with g. Installed members do not count where it is
// open what will be installed.
func (x *groupIndex) owner(api properties.GVK, g *groupFacts, open func(namespace string) bool) *cluster.OperatorGroup {
	providers := x.providers[api]
	if providers == nil {
		return nil
	}
	var first *cluster.OperatorGroup
	look := func(list []groupProvider) {
		for _, other := range list {
			if other.group.Namespace == g.group.Namespace || open(other.group.Namespace) && !other.stated {
				continue
			}
			if first == nil || other.group.Namespace < first.Namespace {
				first = other.group
			}
			return
		}
	}
	if g.everywhere() {
		look(providers.all)
		return first
	}
	look(providers.everywhere)
	look(providers.at[g.group.Namespace])
	for _, namespace := range g.targets {
		look(providers.at[namespace])
	}
	return first
}

// GroupOf returns what is known of the only group of a namespace, nil if there
// is none or several.
func (c *Cluster) GroupOf(namespace string) *groupFacts {
	state := c.In(namespace)
	if len(state.Groups) != 1 {
		return nil
	}
	return c.groupFacts(&state.Groups[0])
}

// groupFacts returns what is known of a group of the cluster, or of one that is
// only supposed.
func (c *Cluster) groupFacts(g *cluster.OperatorGroup) *groupFacts {
	if known, ok := c.groups().facts[g]; ok {
		return known
	}
	return &groupFacts{group: g, targets: targets(g, c.Objects.Namespaces)}
}

// everywhere reports whether the group targets all namespaces.
func (g *groupFacts) everywhere() bool { return len(g.targets) == 1 && g.targets[0] == allNamespaces }

// Watches reports whether the namespace is a target of the group.
func (g *groupFacts) Watches(namespace string) bool {
	_, found := slices.BinarySearch(g.targets, namespace)
	return found || g.everywhere()
}

// Intersect reports whether two groups share a namespace. A group's own
// namespace always counts as one of its targets.
func Intersect(a, b *groupFacts) bool {
	common := func(namespace string) bool { return namespace == b.group.Namespace || b.Watches(namespace) }
	return a.everywhere() || common(a.group.Namespace) || slices.ContainsFunc(a.targets, common)
}

// targets returns the namespaces that a group watches, sorted; a single
// allNamespaces stands for all. known are the namespaces whose labels are
// known.
func targets(g *cluster.OperatorGroup, known []cluster.Namespace) []string {
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
