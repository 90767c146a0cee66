package check

import (
	"context"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/model"
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

// channelGraph is the update graph of a channel.
type channelGraph struct {
	*catalog.Channel
	snapshot *catalog.Snapshot
	// chainDepth has, by entry, the depth at which following replaces meets the chain from
	// the head, -1 if it never does.
	chainDepth []int
	// stated has, by name, the candidates that replace or skip it. ranged are the candidates
	// with a skipRange.
	stated map[string][]int
	ranged []int
}

func newChannelGraph(c *catalog.Channel, s *catalog.Snapshot) channelGraph {
	const unknown = -2
	g := channelGraph{Channel: c, snapshot: s, chainDepth: make([]int, len(c.Entries)), stated: map[string][]int{}}
	for i := range c.Entries {
		g.chainDepth[i] = unknown
		if c.Entries[i].Depth >= 0 {
			g.chainDepth[i] = int(c.Entries[i].Depth)
		}
	}
	// Each entry is visited once, which takes linear time.
	for i := range c.Entries {
		var way []int
		at, listed := i, true
		for listed && g.chainDepth[at] == unknown {
			g.chainDepth[at] = -1 // a cycle ends here
			way = append(way, at)
			at, listed = c.Index(c.Entries[at].Replaces)
		}
		if !listed {
			continue
		}
		for _, passed := range way {
			g.chainDepth[passed] = g.chainDepth[at]
		}
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		if !e.Candidate() {
			continue
		}
		for name := range e.Edges() {
			g.stated[name] = append(g.stated[name], i)
		}
		if !e.SkipRange.IsZero() {
			g.ranged = append(g.ranged, i)
		}
	}
	return g
}

// NewGraph returns the update graph of a package of the snapshot.
func NewGraph(s *catalog.Snapshot, p *catalog.Package) *Graph {
	g := &Graph{pkg: p, marks: marks{blocked: map[catalog.ID]bool{}, found: map[inChannel][]string{}}}
	for _, channel := range model.PreferredChannels(p) {
		g.channels = append(g.channels, newChannelGraph(channel, s))
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

// bundle returns the bundle of an entry, nil for a virtual one.
func (g channelGraph) bundle(i int) *catalog.Bundle {
	return g.snapshot.Bundle(g.Entries[i].Bundle)
}

// top returns the candidate closest to the head, -1 if the channel has none.
func (g channelGraph) top() int {
	for at := range g.Chain() {
		if at.At().Candidate() {
			return at.Entry
		}
	}
	return -1
}

// walk yields the indices of the entries: the chain from the head, then the others by name.
func (g channelGraph) walk(yield func(int) bool) {
	for at := range g.Chain() {
		if !yield(at.Entry) {
			return
		}
	}
	for i := range g.Entries {
		if g.Entries[i].Depth < 0 && !yield(i) {
			return
		}
	}
}

// updated reports whether an installed bundle of that name and version can be updated to an
// entry that satisfies the condition. An entry below the installed bundle is no update.
func (g channelGraph) updated(name string, version *semver.Version, satisfies func(to int) bool) bool {
	depth := -1
	if from, listed := g.Index(name); listed {
		depth = g.chainDepth[from]
	}
	updates := func(to int) bool {
		e := &g.Entries[to]
		below := depth >= 0 && depth <= int(e.Depth)
		return satisfies(to) && !below && e.Name != name && e.Updates(name, version)
	}
	return slices.ContainsFunc(g.stated[name], updates) || slices.ContainsFunc(g.ranged, updates)
}

// reaching returns, by entry, whether updates lead from it to the top through bundles that
// are not blocked. The result is incomplete if the context ends.
func (g channelGraph) reaching(ctx context.Context, blocked map[catalog.ID]bool) []bool {
	reach := make([]bool, len(g.Entries))
	top := g.top()
	if top < 0 {
		return reach
	}
	reach[top] = true
	// Updates lead up the chain, so one pass from the head suffices. No update leads to an
	// entry off the chain; those come last.
	leads := make([]bool, len(g.Entries))
	for i := range g.walk {
		if ctx.Err() != nil {
			break
		}
		e := &g.Entries[i]
		var version *semver.Version
		if b := g.bundle(i); b != nil {
			version = &b.Version
		}
		reach[i] = reach[i] || g.updated(e.Name, version, func(to int) bool { return leads[to] })
		leads[i] = reach[i] && e.Candidate() && !blocked[e.Bundle]
	}
	return reach
}

// obstacle is what keeps an entry from the head.
type obstacle struct {
	// entry is the index of an entry on the way, -1 if none is at fault.
	entry int
	why   string // the end of a sentence
}

// obstacles returns a function from an entry that does not reach the head to its
// obstacle: the one closest to the head, which entries further below share.
func (g channelGraph) obstacles(reach []bool, blocked map[catalog.ID]bool) func(i int) obstacle {
	known := map[int]obstacle{}
	return func(i int) obstacle {
		var way []int
		o, done := known[i]
		for at := i; !done; {
			way = append(way, at)
			o = g.obstacle(at, reach, blocked)
			known[at] = o // a cycle ends here
			if at, done = o.entry, o.entry < 0 || reach[o.entry]; !done {
				if above, ok := known[at]; ok {
					o, done = above, true
				}
			}
		}
		for _, passed := range way {
			known[passed] = o
		}
		return o
	}
}

// obstacle returns the first obstacle above an entry.
func (g channelGraph) obstacle(i int, reach []bool, blocked map[catalog.ID]bool) obstacle {
	e := &g.Entries[i]
	if e.Depth < 0 {
		return g.obstacleAside(e)
	}
	for depth := e.Depth - 1; depth >= 0; depth-- {
		next := int(g.Order[depth])
		above := &g.Entries[next]
		if why := passedOver(above, blocked); why != "" {
			return obstacle{next, why}
		}
		if reach[next] {
			return obstacle{next, above.Name + " does not replace, skip or cover what is below it"}
		}
	}
	return obstacle{-1, "no entry replaces the bundle"}
}

// obstacleAside is [channelGraph.obstacle] for an entry off the chain.
func (g channelGraph) obstacleAside(e *catalog.Entry) obstacle {
	for i := range g.Entries {
		above := &g.Entries[i]
		if above.Name == e.Name || !above.Updates(e.Name, nil) {
			continue
		}
		if why := passedOver(above, nil); why != "" {
			return obstacle{i, why}
		}
	}
	return obstacle{-1, "no entry that can be chosen replaces, skips or covers the bundle"}
}

// passedOver returns why no update leads to an entry, empty if one may.
func passedOver(e *catalog.Entry, blocked map[catalog.ID]bool) string {
	const skipOrCover = "have a newer entry skip or cover what is below it"
	switch {
	case e.Bundle == catalog.NoBundle:
		return e.Name + ", which is on the way, has no bundle; add it, or " + skipOrCover
	case e.Skipped:
		return e.Name + ", which is on the way, is skipped by an entry that does not lead on from below it; " + skipOrCover
	case blocked[e.Bundle]:
		return e.Name + ", which is on the way, cannot be installed; " + skipOrCover
	}
	return ""
}

// leftBehind returns the bundles of a channel that no other channel of the graph lists or
// updates, by name. s is the snapshot of the channel; it may be another state of the catalog.
func (g *Graph) leftBehind(s *catalog.Snapshot, channel *catalog.Channel) []string {
	var left []string
	for i := range channel.Entries {
		e := &channel.Entries[i]
		b := s.Bundle(e.Bundle)
		if b != nil && !slices.ContainsFunc(g.channels, func(c channelGraph) bool {
			return c.Channel != channel && c.Fault == "" && (c.Entry(e.Name) != nil || c.leadsOn(e.Name, b))
		}) {
			left = append(left, e.Name)
		}
	}
	return left
}

// leadsOn reports whether the channel has an update of a bundle with this name.
func (g channelGraph) leadsOn(name string, b *catalog.Bundle) bool {
	return g.updated(name, &b.Version, func(int) bool { return true })
}
