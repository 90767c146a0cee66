package finding

import (
	"context"
	"iter"
	"slices"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Updates is the update graph of a channel.
type Updates struct {
	*catalog.Channel
	pkg *catalog.Package
	// graphs are those of all channels of the package.
	graphs   []Updates
	Snapshot *catalog.Snapshot
	// chainDepth has, by entry, the depth at which following replaces meets the chain from
	// the head, -1 if it never does.
	chainDepth []int
	// stated has, by name, the candidates that replace or skip it. ranged are the candidates
	// with a skipRange.
	stated map[string][]int
	ranged []int
}

// UpdatesOf returns the update graphs of a package, in order of preference.
func UpdatesOf(s *catalog.Snapshot, p *catalog.Package) []Updates {
	graphs := words.Mapped(p.Preferred(), func(c *catalog.Channel) Updates { return NewUpdates(c, s) })
	for i := range graphs {
		graphs[i].pkg, graphs[i].graphs = p, graphs
	}
	return graphs
}

// NewUpdates returns the update graph of a channel, without those beside it.
func NewUpdates(c *catalog.Channel, s *catalog.Snapshot) Updates {
	const unknown = -2
	g := Updates{Channel: c, Snapshot: s, chainDepth: make([]int, len(c.Entries)), stated: map[string][]int{}}
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

// Bundle returns the bundle of an entry, nil for a virtual one.
func (g Updates) Bundle(i int) *catalog.Bundle {
	return g.Snapshot.Bundle(g.Entries[i].Bundle)
}

// top returns the candidate closest to the head, -1 if the channel has none.
func (g Updates) top() int {
	for at := range g.Chain() {
		if at.At().Candidate() {
			return at.Entry
		}
	}
	return -1
}

// Walk yields the indices of the entries: the chain from the head, then the others by name.
func (g Updates) Walk(yield func(int) bool) {
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
func (g Updates) updated(name string, version *semver.Version, satisfies func(to int) bool) bool {
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

// next yields the bundles that state an API or an object, each with its update closest to the head.
func (g Updates) next(ctx context.Context) iter.Seq2[*catalog.Bundle, *catalog.Bundle] {
	return func(yield func(from, to *catalog.Bundle) bool) {
		for i := range g.Entries {
			from, next := g.Bundle(i), int32(-1)
			if ctx.Err() != nil {
				return // Run returns the error
			}
			if from == nil || len(from.Properties.GVKs()) == 0 && from.Properties.Objects() == nil {
				continue
			}
			g.updated(g.Entries[i].Name, &from.Version, func(to int) bool {
				if next < 0 || g.Entries[to].Depth < g.Entries[next].Depth {
					next = int32(to)
				}
				return false
			})
			if next >= 0 && !yield(from, g.Bundle(int(next))) {
				return
			}
		}
	}
}

// Reaching returns, by entry, whether updates lead from it to the top through bundles that
// are not blocked. The result is incomplete if the context ends.
func (g Updates) Reaching(ctx context.Context, blocked map[catalog.ID]bool) []bool {
	reach := make([]bool, len(g.Entries))
	top := g.top()
	if top < 0 {
		return reach
	}
	reach[top] = true
	// Updates lead up the chain, so one pass from the head suffices. No update leads to an
	// entry off the chain; those come last.
	leads := make([]bool, len(g.Entries))
	for i := range g.Walk {
		if ctx.Err() != nil {
			break
		}
		e := &g.Entries[i]
		var version *semver.Version
		if b := g.Bundle(i); b != nil {
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
func (g Updates) obstacles(reach []bool, blocked map[catalog.ID]bool) func(i int) obstacle {
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
func (g Updates) obstacle(i int, reach []bool, blocked map[catalog.ID]bool) obstacle {
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
func (g Updates) obstacleAside(e *catalog.Entry) obstacle {
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

// LeadsOn reports whether the channel has an update of a bundle with this name.
func (g Updates) LeadsOn(name string, b *catalog.Bundle) bool {
	return g.updated(name, &b.Version, func(int) bool { return true })
}

// Without returns the APIs that are in a and not in b.
func Without(a, b []properties.GVK) []properties.GVK {
	return slices.DeleteFunc(slices.Clone(a), func(api properties.GVK) bool { return slices.Contains(b, api) })
}
