package check

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Graph is the update graph of a package: its channels with their update edges.
type Graph struct {
	pkg      *catalog.Package
	channels []channelGraph // in order of preference
	marks    marks
}

// marks are what pictures show beside the graph.
type marks struct {
	blocked map[catalog.ID]bool // not installable
	// found has the codes of findings, by channel and bundle.
	found map[inChannel][]string
	// installed has, by bundle, the number of requests that have it installed.
	installed map[string]int
}

type inChannel struct{ channel, bundle string }

// channelGraph is the update graph of a channel, as it is drawn.
type channelGraph struct{ finding.Updates }

// NewGraph returns the update graph of a package of the snapshot.
func NewGraph(s *catalog.Snapshot, p *catalog.Package) *Graph {
	g := &Graph{pkg: p, marks: marks{blocked: map[catalog.ID]bool{}, found: map[inChannel][]string{}}}
	for _, u := range finding.UpdatesOf(s, p) {
		g.channels = append(g.channels, channelGraph{u})
	}
	return g
}

// Only drops all channels but one, and reports whether that exists.
func (g *Graph) Only(channel string) bool {
	g.channels = slices.DeleteFunc(g.channels, func(c channelGraph) bool { return c.Name != channel })
	return len(g.channels) > 0
}

// Mark makes pictures mark the bundles that cannot be installed, and those of the package that
// other findings are about.
func (g *Graph) Mark(uninstallable []result.Uninstallable, found []Finding) {
	for _, u := range uninstallable {
		g.marks.blocked[u.Bundle] = true
	}
	for i := range found {
		for _, at := range found[i].Places {
			for _, c := range g.channels {
				if found[i].Package != g.pkg.Name || found[i].Code == CodeUninstallable || at.Channel != "" && at.Channel != c.Name {
					continue
				}
				for _, bundle := range at.Bundles {
					key := inChannel{c.Name, bundle}
					g.marks.found[key] = words.Distinct(append(g.marks.found[key], string(found[i].Code)))
				}
			}
		}
	}
}

// MarkInstalled makes pictures mark installed bundles. requests has, by bundle, the number of
// requests that have it installed.
func (g *Graph) MarkInstalled(requests map[string]int) { g.marks.installed = requests }
