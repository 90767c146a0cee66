package inventory

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Group is an OperatorGroup with the namespaces that it watches.
type Group struct {
	OperatorGroup *cluster.OperatorGroup
	// targets are sorted; a single allNamespaces stands for all.
	targets []string
	// stated has the APIs of the group's annotation. installed has those of the namespace's
	// installed bundles. All groups of the namespace share it; one that is static has none.
	stated, installed map[properties.GVK]bool
}

// provides reports whether the group provides an API, and whether its annotation states it.
func (g *Group) provides(api properties.GVK) (stated, provided bool) {
	stated = g.stated[api]
	return stated, stated || g.installed[api]
}

// allNamespaces is the target that stands for all.
const allNamespaces = ""

// newGroup reads a group; its selector chooses among the known namespaces.
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
		return &Group{OperatorGroup: g, targets: []string{allNamespaces}}
	}
	if len(targets) > 1 {
		targets = slices.Compact(slices.Sorted(slices.Values(targets)))
	}
	return &Group{OperatorGroup: g, targets: targets}
}

// Everywhere reports whether the group has all namespaces as its target.
func (g *Group) Everywhere() bool { return len(g.targets) == 1 && g.targets[0] == allNamespaces }

// Targets names the namespaces that the group watches, for display.
func (g *Group) Targets() string {
	switch {
	case g.Everywhere():
		return "all namespaces"
	case len(g.targets) == 0:
		return "no namespace"
	}
	return "namespace" + words.Plural(len(g.targets)) + " " + words.Listed(g.targets, words.MaxNamed)
}

// Watches reports whether the namespace is a target of the group.
func (g *Group) Watches(namespace string) bool {
	_, found := slices.BinarySearch(g.targets, namespace)
	return found || g.Everywhere()
}

// WatchesMore reports whether the group watches a namespace that another one does not.
func (g *Group) WatchesMore(other *Group) bool {
	return g.Everywhere() && !other.Everywhere() || slices.ContainsFunc(g.targets, func(namespace string) bool { return !other.Watches(namespace) })
}

// Lacks returns the first install mode that the targets of the group require and that
// metadata does not support, empty if there is none or the metadata states no modes.
func (g *Group) Lacks(m *properties.Metadata) properties.InstallMode {
	return lacks(modesFor(g.OperatorGroup.Namespace, g.targets), m)
}

func lacks(modes []properties.InstallMode, m *properties.Metadata) properties.InstallMode {
	at := slices.IndexFunc(modes, func(mode properties.InstallMode) bool { return m.StatesModes() && !m.Supports(mode) })
	if at < 0 {
		return ""
	}
	return modes[at]
}

// OwnOnly reports whether the only target of a group is its namespace.
func OwnOnly(g *cluster.OperatorGroup) bool {
	targets := g.StatusNamespaces
	if len(targets) == 0 {
		targets = g.TargetNamespaces
	}
	return len(targets) == 1 && targets[0] == g.Namespace
}

// Intersects reports whether two groups share a namespace. A group's own
// namespace always counts as one of its targets.
func (g *Group) Intersects(other *Group) bool {
	common := func(namespace string) bool {
		return namespace == other.OperatorGroup.Namespace || other.Watches(namespace)
	}
	return g.Everywhere() || common(g.OperatorGroup.Namespace) || slices.ContainsFunc(g.targets, common)
}

// NewGroup returns the group of an object without a selector.
func NewGroup(g *cluster.OperatorGroup) *Group { return newGroup(g, nil) }

// ReadGroup returns the only group of a namespace as its object states it.
func ReadGroup(c *cluster.Index, namespace string) *Group {
	return newGroup(&c.In(namespace).Groups[0], c.ClusterScoped().Namespaces)
}

// GroupOf returns the only group of a namespace, nil if there is none or several.
func GroupOf(c *cluster.Index, namespace string) *Group {
	state := c.In(namespace)
	if len(state.Groups) != 1 {
		return nil
	}
	for _, g := range derivedOf(c).groups.in.Of(namespace) {
		if g.OperatorGroup == &state.Groups[0] {
			return g
		}
	}
	return ReadGroup(c, namespace) // of a changed copy
}

// FitsNow reports whether OLM failed what is installed for its OperatorGroup, and the namespace has
// had one since that fits: OLM goes on by itself once it sees that.
func FitsNow(c *cluster.Index, v *cluster.ClusterServiceVersion) bool {
	if g := GroupOf(c, v.Namespace); g == nil || len(g.targets) == 0 || v.Phase != "Failed" || g.Lacks(v.Metadata) != "" {
		return false
	}
	switch v.Reason {
	case noGroup, tooManyGroups, "NoTargetNamespaces":
		return true
	}
	return v.Reason == unsupportedGroup && v.Metadata.StatesModes() // else OLM knows better
}

// OwnerBeside returns what provides an API of a failed bundle, nil if nothing known does: another bundle
// of its namespace, or one of a namespace whose OperatorGroup, which is returned as well, shares a namespace
// with that of the failed one. It may be that OperatorGroup alone, by its annotation.
func OwnerBeside(c *cluster.Index, failed *cluster.ClusterServiceVersion) (*cluster.ClusterServiceVersion, *cluster.OperatorGroup) {
	for _, name := range slices.Concat([]string{failed.Namespace}, c.Namespaces()) {
		here, n := name == failed.Namespace, c.In(name)
		if !here && (len(n.Groups) != 1 || len(c.In(failed.Namespace).Groups) != 1 || !ReadGroup(c, name).Intersects(ReadGroup(c, failed.Namespace))) {
			continue
		}
		for _, v := range Counting(n) {
			if v.Name == failed.Name && here || !slices.ContainsFunc(v.Provides, func(api properties.GVK) bool { return slices.Contains(failed.Provides, api) }) {
				continue
			}
			if here {
				return v, nil
			}
			return v, &n.Groups[0]
		}
		if !here && len(sharedAPIs(c, failed, &n.Groups[0])) > 0 {
			return nil, &n.Groups[0]
		}
	}
	return nil, nil
}

// CopyBeside returns the copy of a bundle that provides an API of a failed one in its namespace, and the namespace of
// which it is a copy, of which nothing was given; nil if there is none. What is copied there, and works, serves that
// namespace.
func CopyBeside(c *cluster.Index, failed *cluster.ClusterServiceVersion) (*cluster.ClusterServiceVersion, string) {
	list := c.In(failed.Namespace).CSVs
	for i := range list {
		v := &list[i]
		from := cmp.Or(v.Labels[cluster.LabelCopiedFrom], v.Annotations[words.AnnotationOperatorNamespace])
		if n := c.In(from); Copied(v) && v.Phase == "Succeeded" && from != "" && len(n.CSVs)+len(n.Groups) == 0 && slices.ContainsFunc(v.Provides, func(api properties.GVK) bool { return slices.Contains(failed.Provides, api) }) {
			return v, from
		}
	}
	return nil, ""
}

// Unfit reports whether OLM failed what is installed, as its OperatorGroup does not fit it.
func Unfit(c *cluster.Index, v *cluster.ClusterServiceVersion) bool {
	return v.Phase == "Failed" && v.Reason == unsupportedGroup && !FitsNow(c, v)
}

// groupIndex finds OperatorGroups, each list by namespace and name. It takes room for
// the targets and the APIs of each group, but not for each pair of groups.
type groupIndex struct {
	// in lists the groups of a namespace, at those that watch it or are in it.
	in, at lists[string, *Group]
	// providers lists the groups that provide an API.
	providers lists[properties.GVK, *Group]
	// selects is true if a group chooses namespaces by their labels.
	selects bool
}

// add adds a group of a namespace whose installed bundles provide APIs. The caller adds
// groups by namespace and name. first is the first of its namespace that is not static: no
// other group needs to be found by what is installed.
func (x *groupIndex) add(group *Group, first bool) {
	g := group.OperatorGroup
	x.selects = x.selects || !g.Selector.Empty()
	x.in.add(g.Namespace, group)
	for namespace := range group.At() {
		x.at.add(namespace, group)
	}
	group.stated = map[properties.GVK]bool{}
	for _, api := range annotatedAPIs(group) {
		if !group.stated[api] {
			group.stated[api] = true
			x.providers.add(api, group)
		}
	}
	for api := range group.installed {
		if first && !group.stated[api] {
			x.providers.add(api, group)
		}
	}
}

// neighbors lists the groups of other namespaces that share a namespace with g. g must
// not watch all namespaces.
func (x *groupIndex) neighbors(g *Group) []*Group {
	var list []*Group
	seen := map[*Group]bool{}
	collect := func(groups []*Group) {
		for _, other := range groups {
			if other.OperatorGroup.Namespace != g.OperatorGroup.Namespace && !seen[other] {
				seen[other] = true
				list = append(list, other)
			}
		}
	}
	collect(x.at.Of(allNamespaces))
	for namespace := range g.At() {
		collect(x.at.Of(namespace))
	}
	slices.SortFunc(list, compareGroups)
	return list
}

// At yields the targets of the group, then its own namespace.
func (g *Group) At() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, namespace := range g.targets {
			if namespace != g.OperatorGroup.Namespace && !yield(namespace) {
				return
			}
		}
		yield(g.OperatorGroup.Namespace)
	}
}

func compareGroups(a, b *Group) int {
	return cmp.Or(strings.Compare(a.OperatorGroup.Namespace, b.OperatorGroup.Namespace), strings.Compare(a.OperatorGroup.Name, b.OperatorGroup.Name))
}

// Neighbors lists the other namespaces whose OperatorGroups share a namespace with one of
// this namespace's groups. It reads every group of the cluster.
func Neighbors(c *cluster.Index, namespace string) []string {
	own, known := c.In(namespace).Groups, c.ClusterScoped().Namespaces
	var groups []*Group
	for i := range own {
		groups = append(groups, newGroup(&own[i], known))
	}
	return slices.DeleteFunc(slices.Clone(c.Namespaces()), func(other string) bool {
		return other == namespace || !slices.ContainsFunc(c.In(other).Groups, func(g cluster.OperatorGroup) bool {
			return slices.ContainsFunc(groups, newGroup(&g, known).Intersects)
		})
	})
}
