package oracle

import (
	"cmp"
	"slices"
)

// node is a bundle that can be selected: an installed one, or one of a catalog.
type node struct {
	name     string
	catalog  int // index into Problem.Catalogs; -1: installed
	packages []string
	provides []string
	labels   []string
	requires []Constraint
	// stated is the olm.package property, if there is one.
	stated, statedVersion string
	// version is what skipRanges are compared with.
	version   string
	given     bool // installed, without a Subscription
	forbidden bool
	// foreign bundles are installed outside of what is resolved.
	foreign bool
	// origin is one more than the catalog that an extension's installed bundle is
	// known from, 0 for none.
	origin int
}

// matches reports whether one bundle satisfies a constraint by itself.
func (n *node) matches(c Constraint) bool {
	switch {
	case c.Kind != "":
		return slices.Contains(n.provides, c.Kind)
	case c.Package != "":
		return n.stated == c.Package && InRange(c.Range, n.statedVersion)
	case c.Label != "":
		return slices.Contains(n.labels, c.Label)
	case c.Rule != nil && c.Rule.Label != "":
		return slices.Contains(n.labels, c.Rule.Label)
	case c.Rule != nil && c.Rule.Package != "":
		return n.stated == c.Rule.Package && atLeast(n.statedVersion, c.Rule.AtLeast)
	case c.All != nil:
		return !slices.ContainsFunc(c.All, func(c Constraint) bool { return !n.matches(c) })
	case c.Any != nil:
		return slices.ContainsFunc(c.Any, n.matches)
	case c.Not != nil:
		return !slices.ContainsFunc(c.Not, n.matches)
	}
	return false // a rule that fails
}

// place is where an obligation finds a bundle.
type place struct {
	node     int
	channel  string
	replaces string
}

// world holds the bundles of a problem.
type world struct {
	*Problem
	nodes []node
	// base is what the search adds to the indices of nodes.
	base int
	// installed and bundles find nodes: by name, and by catalog, package, name.
	installed map[string]int
	bundles   map[bundleKey]int
}

type bundleKey struct {
	catalog   int
	pkg, name string
}

func newWorld(p *Problem) *world {
	if p.Extension != nil {
		return extensionWorld(p)
	}
	w := &world{Problem: p, installed: map[string]int{}, bundles: map[bundleKey]int{}}
	installed := slices.Clone(p.Installed)
	slices.SortFunc(installed, func(a, b Installed) int { return cmp.Compare(a.Name, b.Name) })
	for _, i := range installed {
		if p.counts(i) {
			w.installed[i.Name] = len(w.nodes)
			w.nodes = append(w.nodes, w.installedNode(i))
		}
	}
	for _, c := range w.visible() {
		for _, b := range p.Catalogs[c].Bundles {
			w.offer(c, b, p.refuses(b))
		}
	}
	return w
}

// offer adds a bundle of a catalog.
func (w *world) offer(catalog int, b Bundle, refused bool) {
	w.bundles[bundleKey{catalog, b.Package, b.Name}] = len(w.nodes)
	w.nodes = append(w.nodes, node{
		name: b.Name, catalog: catalog, packages: []string{b.Package}, provides: b.Provides, labels: b.Labels, requires: b.Requires,
		stated: b.Package, statedVersion: b.Version, version: b.Version,
		forbidden: b.Deprecated || slices.Contains(w.Denied, b.Name) || w.TooNew && w.Enforced && b.Limited || refused,
	})
}

// installedNode applies the rules for the properties, packages and version of a
// ClusterServiceVersion.
func (w *world) installedNode(i Installed) node {
	n := node{name: i.Name, catalog: -1, provides: i.Provides, requires: i.Requires, given: true}
	var subscribed []string
	for _, s := range w.Subscriptions {
		if s.InstalledCSV == i.Name {
			n.given = false
			if !slices.Contains(subscribed, s.Package) {
				subscribed = append(subscribed, s.Package)
			}
		}
	}
	if i.Annotated {
		n.labels = i.Labels
		n.stated, n.statedVersion = i.Package, i.PackageVersion
	} else if len(subscribed) == 1 {
		n.stated, n.statedVersion = subscribed[0], cmp.Or(i.Version, "0.0.0")
	}
	n.version = cmp.Or(i.Version, n.statedVersion, "0.0.0")
	n.packages = subscribed
	if n.stated != "" && !slices.Contains(n.packages, n.stated) {
		n.packages = append(n.packages, n.stated)
	}
	return n
}

// alias returns the installed bundle that an entry with this name is.
func (w *world) alias(pkg, name string) (int, bool) {
	i, ok := w.installed[name]
	if !ok || w.nodes[i].given || !slices.Contains(w.nodes[i].packages, pkg) {
		return 0, false
	}
	return i, true
}

// lookup returns the bundle of an entry. An entry whose bundle the catalog does not
// have is never a candidate, not even where something of its name is installed.
func (w *world) lookup(catalog int, pkg, name string) (int, bool) {
	offered, ok := w.bundles[bundleKey{catalog, pkg, name}]
	if cur, is := w.alias(pkg, name); ok && is {
		return cur, true
	}
	return offered, ok
}

// visible lists the catalogs that the namespace sees, in the order in which a
// request without a preferred catalog tries them.
func (w *world) visible() []int {
	var all []int
	globals := w.Globals
	if w.Group != nil && w.Group.OwnCatalogs {
		globals = nil
	}
	for i, c := range w.Catalogs {
		if c.Namespace == w.Namespace || slices.Contains(globals, c.Namespace) {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(i, j int) int {
		a, b := w.Catalogs[i], w.Catalogs[j]
		return cmp.Or(
			cmp.Compare(b.Priority, a.Priority),
			trueFirst(a.Namespace == w.Namespace, b.Namespace == w.Namespace),
			cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Name, b.Name))
	})
	return all
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// named lists the visible catalogs that a Subscription names, in order.
func (w *world) named(s Subscription) []int {
	return slices.DeleteFunc(w.visible(), func(i int) bool {
		c := w.Catalogs[i]
		return s.Source != "" && (c.Name != s.Source || s.SourceNamespace != "" && c.Namespace != s.SourceNamespace)
	})
}

// preferred puts the given catalogs before the other visible ones.
func (w *world) preferred(first []int) []int {
	all := slices.Clone(first)
	for _, c := range w.visible() {
		if !slices.Contains(first, c) {
			all = append(all, c)
		}
	}
	return all
}

// own is the catalog that a bundle's dependencies come from first: for an
// installed one that of the Subscription that installed it, the first one if
// there are several.
func (w *world) own(n int) []int {
	if n < 0 {
		return nil
	}
	if c := w.nodes[n].catalog; c >= 0 {
		return []int{c}
	}
	for _, s := range w.requests() {
		if s.InstalledCSV == w.nodes[n].name {
			if named := w.named(s); s.Source != "" && len(named) > 0 {
				return named[:1]
			}
			return nil
		}
	}
	return nil
}

// requests lists the Subscriptions in their order.
func (w *world) requests() []Subscription {
	all := slices.Clone(w.Subscriptions)
	slices.SortFunc(all, func(a, b Subscription) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// chain is the order of a channel: names from the head along replaces.
func (c Channel) chain() (names []string, ordered bool) {
	replaces := map[string]string{}
	for _, e := range c.Entries {
		replaces[e.Name] = e.Replaces
	}
	var heads []string
	for _, e := range c.Entries {
		covered := slices.ContainsFunc(c.Entries, func(o Entry) bool {
			return o.Name != e.Name && (o.Replaces == e.Name || slices.Contains(o.Skips, e.Name))
		})
		if !covered {
			heads = append(heads, e.Name)
		}
		if slices.Contains(c.below(e.Name), e.Name) {
			return nil, false // a cycle
		}
	}
	if len(heads) != 1 {
		return nil, false
	}
	return append(heads, c.below(heads[0])...), true
}

// below lists the entries that follow one along replaces.
func (c Channel) below(name string) []string {
	var names []string
	for {
		i := slices.IndexFunc(c.Entries, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return names
		}
		name = c.Entries[i].Replaces
		if name == "" || slices.Contains(names, name) || !c.lists(name) {
			return names
		}
		names = append(names, name)
	}
}

func (c Channel) lists(name string) bool {
	return slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Name == name })
}

func (c Channel) entry(name string) Entry {
	i := slices.IndexFunc(c.Entries, func(e Entry) bool { return e.Name == name })
	return c.Entries[i]
}

// candidates lists the names that a channel offers, nearest to the head first.
func (c Channel) candidates() []string {
	names, _ := c.chain()
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(c.Entries, func(o Entry) bool {
			return o.Name != name && slices.Contains(o.Skips, name)
		})
	})
}

// channels lists a package's channels, the default one first, then by name.
func (p Package) channels() []Channel {
	all := slices.Clone(p.Channels)
	slices.SortFunc(all, func(a, b Channel) int {
		return cmp.Or(trueFirst(a.Name == p.Default, b.Name == p.Default), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// everything lists all bundles in the order in which a dependency of a bundle
// prefers them, each at its best place.
func (w *world) everything(dependent int) []place {
	if w.Extension != nil {
		return w.everythingByVersion(dependent)
	}
	var all []place
	for i := range w.nodes {
		if w.nodes[i].catalog < 0 { // in order of name already
			all = append(all, place{node: i})
		}
	}
	for _, c := range w.preferred(w.own(dependent)) {
		packages := slices.Clone(w.Catalogs[c].Packages)
		slices.SortFunc(packages, func(a, b Package) int { return cmp.Compare(a.Name, b.Name) })
		for _, byDefault := range []bool{true, false} {
			for _, p := range packages {
				for _, ch := range p.channels() {
					if (ch.Name == p.Default) == byDefault {
						all = append(all, w.places(c, p.Name, ch, ch.candidates())...)
					}
				}
			}
		}
	}
	return best(all)
}

// places finds the bundles of entries; those that are missing are left out.
func (w *world) places(catalog int, pkg string, ch Channel, names []string) []place {
	var all []place
	for _, name := range names {
		if n, ok := w.lookup(catalog, pkg, name); ok {
			all = append(all, place{node: n, channel: ch.Name, replaces: ch.entry(name).Replaces})
		}
	}
	return all
}

// best keeps the first place of each bundle.
func best(all []place) []place {
	seen := map[int]bool{}
	return slices.DeleteFunc(all, func(p place) bool {
		again := seen[p.node]
		seen[p.node] = true
		return again
	})
}
