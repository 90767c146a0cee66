package resolver

import (
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
)

// updateGraph leads from the bundles of a package, by name, to those that a
// Subscription may update them to.
type updateGraph map[string][]string

// updateGraph reads the edges that the request would have with each bundle of
// its package installed, whatever else is installed.
func (p *problem) updateGraph(r *request) updateGraph {
	graph := updateGraph{}
	cur := &p.installed[r.current]
	graph[cur.name()] = p.updatesOf(r, cur.name(), cur.version)
	for _, c := range p.universe.catalogs {
		for b := range c.bundles(r.subscription.Package) {
			if _, known := graph[b.Name]; !known {
				graph[b.Name] = p.updatesOf(r, b.Name, b.Version)
			}
		}
	}
	return graph
}

// bundles walks the bundles of a package, those nearest to a head first.
func (c *visibleCatalog) bundles(pkg string) iter.Seq[*catalog.Bundle] {
	return func(yield func(*catalog.Bundle) bool) {
		found := c.snapshot.Package(pkg)
		if found == nil {
			return
		}
		for _, id := range found.Bundles {
			if !yield(c.snapshot.Bundle(id)) {
				return
			}
		}
	}
}

// updatesOf lists what the request could update a bundle to.
func (p *problem) updatesOf(r *request, name string, version semver.Version) []string {
	rd := subscriptionReader{p: p, s: r.subscription, cur: &installedBundle{
		csv:     &ClusterServiceVersion{Name: name},
		version: version,
	}}
	var names []string
	named, _ := rd.namedCatalogs()
	for c := range p.universe.catalogs {
		pkg := p.universe.catalogs[c].snapshot.Package(r.subscription.Package)
		if pkg == nil || p.options.Updates == UpdatesNamed && !slices.Contains(named, c) {
			continue
		}
		for _, at := range rd.updateEntries(rd.updateChannels(pkg)) {
			names = append(names, at.at().Name)
		}
	}
	return names
}

// distances returns the least number of edges from each bundle to the target.
func (g updateGraph) distances(target string) map[string]int {
	reversed := updateGraph{}
	for from, list := range g {
		for _, to := range list {
			reversed[to] = append(reversed[to], from)
		}
	}
	distance := map[string]int{target: 0}
	for queue := []string{target}; len(queue) > 0; queue = queue[1:] {
		for _, next := range reversed[queue[0]] {
			if _, known := distance[next]; !known {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return distance
}

// reach lists what can be reached from a bundle, by number of edges.
func (g updateGraph) reach(from string) []string {
	reached := []string{from}
	seen := map[string]bool{from: true}
	for i := 0; i < len(reached); i++ {
		for _, next := range g[reached[i]] {
			if !seen[next] {
				seen[next] = true
				reached = append(reached, next)
			}
		}
	}
	return reached
}

// target returns the bundle that is meant by a name or version, or the head of
// the request's channel; empty if there is none.
func (p *problem) target(r *request, to string) string {
	cur := &p.installed[r.current]
	rd := subscriptionReader{p: p, s: r.subscription, r: &request{}, cur: cur}
	named, _ := rd.namedCatalogs()
	for _, c := range named {
		catalog := &p.universe.catalogs[c]
		pkg := catalog.snapshot.Package(r.subscription.Package)
		if pkg == nil {
			continue
		}
		if to == "" {
			for _, channel := range rd.updateChannels(pkg) {
				return channel.Head().Name
			}
		}
		for b := range catalog.bundles(pkg.Name) {
			if b.Name == to || b.Version.String() == to {
				return b.Name
			}
		}
	}
	if to == cur.name() || to == cur.version.String() {
		return cur.name()
	}
	return ""
}

// bundleNames walks the names of all bundles of a package.
func (p *problem) bundleNames(pkg string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range p.universe.catalogs {
			for b := range p.universe.catalogs[i].bundles(pkg) {
				if !yield(b.Name) {
					return
				}
			}
		}
	}
}
