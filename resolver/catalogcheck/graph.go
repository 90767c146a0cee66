package catalogcheck

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Graph is the update graph of a package: which bundle can be updated to which,
// in each of its channels.
type Graph struct {
	Package *catalog.Package
	// Channels are sorted by name.
	Channels []ChannelGraph

	snapshot *catalog.Snapshot
}

// ChannelGraph is the update graph of a channel.
type ChannelGraph struct {
	Channel *catalog.Channel

	snapshot *catalog.Snapshot
}

// EdgeKind says why a bundle can be updated.
type EdgeKind string

// The kinds of edges.
const (
	Replaces  EdgeKind = "replaces"
	Skips     EdgeKind = "skips"
	SkipRange EdgeKind = "skipRange"
)

// NewGraph returns the update graph of a package of the snapshot.
func NewGraph(s *catalog.Snapshot, p *catalog.Package) *Graph {
	g := &Graph{Package: p, snapshot: s}
	for _, channel := range p.Channels {
		g.Channels = append(g.Channels, ChannelGraph{Channel: channel, snapshot: s})
	}
	return g
}

// Bundle returns the bundle of an entry, nil for a virtual one.
func (g *ChannelGraph) bundle(i int) *catalog.Bundle {
	return g.snapshot.Bundle(g.Channel.Entries[i].Bundle)
}

// top returns the candidate nearest to the head, -1 if the channel has none.
func (g *ChannelGraph) top() int {
	for _, i := range g.Channel.Order {
		if g.Channel.Entries[i].Candidate() {
			return int(i)
		}
	}
	return -1
}

// edge says how an installed bundle of that name and version can be updated to
// an entry, "" if it cannot. What stands below the installed bundle is no update
// of it.
func (g *ChannelGraph) edge(name string, version *semver.Version, to int) EdgeKind {
	e := &g.Channel.Entries[to]
	if e.Name == name || !e.Candidate() || g.below(name, e) {
		return ""
	}
	switch {
	case e.Replaces == name:
		return Replaces
	case slices.Contains(e.Skips, name):
		return Skips
	case version != nil && e.SkipRange.Contains(*version):
		return SkipRange
	}
	return ""
}

// below reports whether following replaces from the entry of that name leads to
// e, which is on the chain.
func (g *ChannelGraph) below(name string, e *catalog.Entry) bool {
	from := g.Channel.Entry(name)
	// A channel with an order has no circle, so this ends.
	for from != nil && from.Depth < 0 {
		from = g.Channel.Entry(from.Replaces)
	}
	return from != nil && (from.Depth < e.Depth || from == e)
}

// entryEdge is edge for an entry of the channel itself.
func (g *ChannelGraph) entryEdge(from, to int) EdgeKind {
	var version *semver.Version
	if b := g.bundle(from); b != nil {
		version = &b.Version
	}
	return g.edge(g.Channel.Entries[from].Name, version, to)
}

// reaching tells of each entry whether updates lead from it to the top, by way
// of bundles that are not blocked.
func (g *ChannelGraph) reaching(blocked map[catalog.ID]bool) []bool {
	reach := make([]bool, len(g.Channel.Entries))
	top := g.top()
	if top < 0 {
		return reach
	}
	reach[top] = true
	// Updates lead up the chain, so one pass from the head decides it; entries
	// off the chain are never updated to, and come last.
	var steps []int
	visit := func(i int) {
		for _, to := range steps {
			if reach[i] {
				break
			}
			reach[i] = g.entryEdge(i, to) != ""
		}
		e := &g.Channel.Entries[i]
		if reach[i] && e.Candidate() && !blocked[e.Bundle] {
			steps = append(steps, i)
		}
	}
	for _, i := range g.Channel.Order {
		visit(int(i))
	}
	for i := range g.Channel.Entries {
		if g.Channel.Entries[i].Depth < 0 {
			visit(i)
		}
	}
	return reach
}

// whyStuck says in one sentence what stands between an entry and the head.
func (g *ChannelGraph) whyStuck(i int, reach []bool, blocked map[catalog.ID]bool) string {
	e := &g.Channel.Entries[i]
	if e.Depth < 0 {
		return g.whyStuckAside(e)
	}
	// Along the chain upwards, the first entry that is passed over is the reason;
	// entries below it only share it.
	for depth := e.Depth - 1; depth >= 0; depth-- {
		at := g.Channel.Order[depth]
		above := &g.Channel.Entries[at]
		switch {
		case above.Bundle == catalog.NoBundle:
			return fmt.Sprintf("%s, which would be the next one, has no bundle; add it, or have a newer entry skip or cover what is below it", above.Name)
		case above.Skipped:
			return fmt.Sprintf("%s, which would be the next one, is skipped, and what skips it does not lead on from below; skip or cover these too", above.Name)
		case blocked[above.Bundle]:
			return fmt.Sprintf("%s, which would be the next one, cannot be installed; have a newer entry skip or cover what is below it", above.Name)
		case reach[at]:
			return fmt.Sprintf("%s does not replace, skip or cover it", above.Name)
		}
	}
	return "no entry replaces it"
}

// whyStuckAside is whyStuck for an entry off the chain.
func (g *ChannelGraph) whyStuckAside(e *catalog.Entry) string {
	for i := range g.Channel.Entries {
		above := &g.Channel.Entries[i]
		if above.Name == e.Name || above.Replaces != e.Name && !slices.Contains(above.Skips, e.Name) {
			continue
		}
		switch {
		case above.Skipped:
			return "what replaces or skips it is itself skipped; have a newer entry skip or cover it, too"
		case above.Bundle == catalog.NoBundle:
			return fmt.Sprintf("%s, which replaces or skips it, has no bundle; have a newer entry skip or cover both", above.Name)
		}
	}
	return "no entry that can be chosen replaces or skips it, or covers it with its skipRange"
}

// LeftBehind returns the bundles of a channel of the graph that no other channel
// of it lists or updates, by name.
func (g *Graph) LeftBehind(channel *catalog.Channel) []string { return g.leftOf(g.snapshot, channel) }

// leftOf is LeftBehind for a channel of any state of the catalog.
func (g *Graph) leftOf(s *catalog.Snapshot, channel *catalog.Channel) []string {
	var left []string
	for i := range channel.Entries {
		e := &channel.Entries[i]
		b := s.Bundle(e.Bundle)
		if b == nil {
			continue
		}
		known := slices.ContainsFunc(g.Channels, func(c ChannelGraph) bool {
			return c.Channel != channel && c.Channel.Fault == "" && (c.Channel.Entry(e.Name) != nil || c.leadsOn(e.Name, b))
		})
		if !known {
			left = append(left, e.Name)
		}
	}
	return left
}

// leadsOn reports whether the channel has an update for what is installed.
func (g *ChannelGraph) leadsOn(name string, b *catalog.Bundle) bool {
	for to := range g.Channel.Entries {
		if g.edge(name, &b.Version, to) != "" {
			return true
		}
	}
	return false
}
