package oracle

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"
)

// Extension is a request of OLM v1. A Problem that has one is resolved for it
// alone: its catalogs are those of the cluster, what is installed stays as it
// is, and Subscriptions say nothing.
type Extension struct {
	Package  string
	Channels []string
	// Range is one that both languages of ranges read alike.
	Range         string
	SelfCertified bool
	// Catalog is the only one that a selector leaves; empty without a selector.
	Catalog string
	// Installed and InstalledVersion are what the extension has installed.
	Installed, InstalledVersion string
}

// extensionWorld holds what the extension has installed, what else is installed,
// and all bundles.
func extensionWorld(p *Problem) *world {
	w := &world{Problem: p, installed: map[string]int{}, bundles: map[bundleKey]int{}}
	e := p.Extension
	first := -1
	if e.Installed != "" {
		first = 0
		w.nodes = append(w.nodes, node{
			name: e.Installed, catalog: -1, packages: []string{e.Package},
			stated: e.Package, statedVersion: e.InstalledVersion, version: e.InstalledVersion,
		})
	}
	owned := map[string]bool{}
	for _, i := range p.Installed {
		w.nodes = append(w.nodes, node{
			name: i.Name, catalog: -1, foreign: true, given: true, provides: i.Provides, labels: i.Labels,
			stated: i.Package, statedVersion: i.PackageVersion,
		})
		for _, kind := range i.Provides {
			owned[kind] = true
		}
	}
	for _, c := range w.byPreference() {
		for _, b := range p.Catalogs[c].Bundles {
			if first >= 0 && b.Package == e.Package && b.Version == e.InstalledVersion {
				if _, known := w.installed[e.Installed]; !known {
					w.nodes[first].stateAs(b, c)
				}
				w.installed[e.Installed] = first
				w.bundles[bundleKey{c, b.Package, b.Name}] = first
				continue
			}
			w.offer(c, b, slices.ContainsFunc(b.Provides, func(kind string) bool { return owned[kind] }))
		}
	}
	return w
}

// stateAs lets an installed bundle state what a catalog's bundle states.
func (n *node) stateAs(b Bundle, catalog int) {
	n.provides, n.labels, n.requires, n.origin = b.Provides, b.Labels, b.Requires, catalog+1
}

// byPreference lists the catalogs, the higher priority first, then by name.
func (w *world) byPreference() []int {
	all := make([]int, len(w.Catalogs))
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(i, j int) int {
		return cmp.Or(cmp.Compare(w.Catalogs[j].Priority, w.Catalogs[i].Priority), cmp.Compare(w.Catalogs[i].Name, w.Catalogs[j].Name))
	})
	return all
}

// better orders bundles: not outdated ones first, then the higher version and
// release.
func better(a, b Bundle) int {
	v, w := semver.MustParse(a.Version), semver.MustParse(b.Version)
	return cmp.Or(trueFirst(!a.Outdated, !b.Outdated), w.Compare(v), slices.Compare(w.Build, v.Build))
}

// extensionRequest lists what the best catalog offers, and whether several
// catalogs are equally good.
func (w *world) extensionRequest() (candidates []place, updates []int, ambiguous bool) {
	offers := map[int][]Bundle{}
	var catalogs []int // that offer something
	for i, c := range w.Catalogs {
		for _, b := range c.Bundles {
			if w.offered(c, b) {
				offers[i] = append(offers[i], b)
			}
		}
		if len(offers[i]) > 0 {
			slices.SortFunc(offers[i], better)
			catalogs = append(catalogs, i)
		}
	}
	rank := func(i, j int) int {
		x, offersX := w.selectable(i, offers[i])
		y, offersY := w.selectable(j, offers[j])
		return cmp.Or(trueFirst(offersX, offersY), trueFirst(!x.Outdated, !y.Outdated), cmp.Compare(w.Catalogs[j].Priority, w.Catalogs[i].Priority))
	}
	slices.SortFunc(catalogs, rank)
	if len(catalogs) == 0 {
		return nil, nil, false
	}
	if len(catalogs) > 1 && rank(catalogs[0], catalogs[1]) == 0 {
		return nil, nil, true
	}
	best := catalogs[0]
	w.stateAsOffered(best)
	for _, b := range offers[best] {
		n := w.bundles[bundleKey{best, b.Package, b.Name}]
		candidates = append(candidates, w.extensionPlace(best, n, b, w.Extension.Channels))
		if w.nodes[n].catalog >= 0 && w.Extension.Installed != "" {
			updates = append(updates, n)
		}
	}
	return candidates, updates, false
}

// stateAsOffered lets what the extension has installed state what the best catalog
// says, if that has it.
func (w *world) stateAsOffered(best int) {
	e := w.Extension
	for _, b := range w.Catalogs[best].Bundles {
		if e.Installed != "" && b.Package == e.Package && b.Version == e.InstalledVersion {
			w.nodes[0].stateAs(b, best)
			return
		}
	}
}

// selectable returns the best of the bundles of a catalog that is not deprecated
// for good, unless it is what the extension has installed; without any, the best
// one, and false.
func (w *world) selectable(catalog int, offers []Bundle) (Bundle, bool) {
	for _, b := range offers {
		if n := w.bundles[bundleKey{catalog, b.Package, b.Name}]; !b.Deprecated || w.nodes[n].catalog < 0 {
			return b, true
		}
	}
	return offers[0], false
}

// selects reports whether the selector leaves a catalog.
func (e *Extension) selects(c Catalog) bool { return e.Catalog == "" || e.Catalog == c.Name }

// offered reports whether a catalog's bundle meets the request.
func (w *world) offered(c Catalog, b Bundle) bool {
	e := w.Extension
	if !e.selects(c) || b.Package != e.Package || e.Range != "" && !InRange(e.Range, b.Version) {
		return false
	}
	listed, succeeds := len(e.Channels) == 0, e.Installed == "" || e.SelfCertified || b.Version == e.InstalledVersion
	for _, p := range c.Packages {
		for _, ch := range p.Channels {
			if p.Name != e.Package || len(e.Channels) > 0 && !slices.Contains(e.Channels, ch.Name) || !ch.lists(b.Name) {
				continue
			}
			listed = true
			entry := ch.entry(b.Name)
			succeeds = succeeds || entry.Replaces == e.Installed || slices.Contains(entry.Skips, e.Installed) ||
				entry.SkipRange != "" && InRange(entry.SkipRange, e.InstalledVersion)
		}
	}
	return listed && succeeds
}

// extensionPlace is the first channel that lists a bundle, of those allowed.
func (w *world) extensionPlace(catalog, n int, b Bundle, allowed []string) place {
	p, _ := w.pkg(catalog, b.Package)
	for _, ch := range p.channels() {
		if (len(allowed) == 0 || slices.Contains(allowed, ch.Name)) && ch.lists(b.Name) {
			return place{node: n, channel: ch.Name, replaces: ch.entry(b.Name).Replaces}
		}
	}
	return place{node: n}
}

// everythingByVersion lists all bundles as a dependency of an extension prefers
// them.
func (w *world) everythingByVersion(dependent int) []place {
	var all []place
	for i := range w.nodes {
		if w.nodes[i].catalog < 0 {
			all = append(all, place{node: i})
		}
	}
	order := w.byPreference()
	if dependent >= 0 {
		first := w.nodes[dependent].catalog
		if first < 0 {
			first = w.nodes[dependent].origin - 1
		}
		slices.SortStableFunc(order, func(i, j int) int { return trueFirst(i == first, j == first) })
	}
	for _, outdated := range []bool{false, true} {
		for _, c := range order {
			bundles := slices.DeleteFunc(slices.Clone(w.Catalogs[c].Bundles), func(b Bundle) bool { return b.Outdated != outdated })
			slices.SortFunc(bundles, func(a, b Bundle) int { return cmp.Or(cmp.Compare(a.Package, b.Package), better(a, b)) })
			for _, b := range bundles {
				n := w.bundles[bundleKey{c, b.Package, b.Name}]
				all = append(all, w.extensionPlace(c, n, b, nil))
			}
		}
	}
	return best(all)
}
