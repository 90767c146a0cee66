package catalogcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// updates finds what is odd about the update graphs of a package.
func (r *runner) updates(c Catalog, p *catalog.Package, blocked map[catalog.ID]bool) {
	g := NewGraph(c.Checked.Snapshot, p)
	stranded := map[[2]string]bool{} // by channel and entry
	for _, f := range c.Checked.Faults {
		if f.Code == catalog.CodeStranded && f.Package == p.Name {
			stranded[[2]string{f.Channel, f.Bundle}] = true
		}
	}
	for i := range g.Channels {
		channel := &g.Channels[i]
		if channel.Channel.Fault != "" {
			continue // reported already, and without an order nothing else can be said
		}
		r.unreachable(c, channel, blocked, stranded)
		r.dangling(c, channel)
		if c.Checked.Directories {
			r.joins(c, channel.Channel)
		}
		r.downgrades(c, channel)
		r.skipped(c, channel)
		if len(g.Channels) > 1 {
			r.leftBehind(c, g, channel.Channel)
		}
	}
}

// unreachable reports entries that are stuck below the head, first by what the
// channel says alone, then because of bundles that cannot be installed.
func (r *runner) unreachable(c Catalog, g *ChannelGraph, blocked map[catalog.ID]bool, stranded map[[2]string]bool) {
	top := g.top()
	if top < 0 {
		return
	}
	free := g.reaching(nil)
	report := func(code catalog.Code, stuck func(i int) bool, why func(i int) string) {
		byReason := map[string][]string{}
		var reasons []string
		for i := range g.Channel.Entries {
			e := &g.Channel.Entries[i]
			// What is stranded has a finding of its own.
			if e.Bundle == catalog.NoBundle || stranded[[2]string{g.Channel.Name, e.Name}] || !stuck(i) {
				continue
			}
			reason := why(i)
			if byReason[reason] == nil {
				reasons = append(reasons, reason)
			}
			byReason[reason] = append(byReason[reason], e.Name)
		}
		for _, reason := range reasons {
			names := byReason[reason]
			r.add(c, Warning, code, g.Channel.Package, g.Channel.Name, names,
				"no updates lead from %s to the head %s: %s", r.describe(c, g.Channel.Package, names), g.Channel.Entries[top].Name, reason)
		}
	}
	report(CodeHeadUnreachable, func(i int) bool { return !free[i] }, func(i int) string { return g.whyStuck(i, free, nil) })
	if blocked[g.Channel.Entries[top].Bundle] {
		return // all of the channel waits for the head, which is reported
	}
	usable := g.reaching(blocked)
	report(CodeUpdateBlocked,
		func(i int) bool { return free[i] && !usable[i] && !blocked[g.Channel.Entries[i].Bundle] },
		func(i int) string { return g.whyStuck(i, usable, blocked) })
}

// describe names a few bundles, or counts many.
func (r *runner) describe(c Catalog, pkg string, names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	first, last := names[0], names[0]
	for _, name := range names {
		if r.byVersion(c.Key, pkg, name, first) < 0 {
			first = name
		}
		if r.byVersion(c.Key, pkg, name, last) > 0 {
			last = name
		}
	}
	return fmt.Sprintf("%d bundles from %s to %s", len(names), first, last)
}

// dangling reports edges that lead out of the channel.
func (r *runner) dangling(c Catalog, g *ChannelGraph) {
	lists := func(name string) bool { return g.Channel.Entry(name) != nil }
	if c.Checked.Directories {
		published := r.published(c, g.Channel)
		lists = func(name string) bool {
			return slices.ContainsFunc(append(published, publishedChannel{channel: g.Channel}), func(p publishedChannel) bool { return p.channel.Entry(name) != nil })
		}
	}
	for i := range g.Channel.Entries {
		e := &g.Channel.Entries[i]
		var missing []string
		if e.Replaces != "" && !lists(e.Replaces) {
			missing = append(missing, "replaces "+e.Replaces)
		}
		for _, name := range e.Skips {
			if !lists(name) {
				missing = append(missing, "skips "+name)
			}
		}
		if len(missing) > 0 {
			r.add(c, Note, CodeDanglingEdge, g.Channel.Package, g.Channel.Name, []string{e.Name},
				"it %s, which the channel does not list: that serves only users who have it from elsewhere; remove the edge if there are none", strings.Join(missing, " and "))
		}
	}
}

// downgrades reports skipRanges that offer an older bundle as an update.
func (r *runner) downgrades(c Catalog, g *ChannelGraph) {
	for _, at := range g.Channel.Order {
		e := &g.Channel.Entries[at]
		if !e.Candidate() {
			continue
		}
		var covered []string
		for _, i := range g.Channel.Order[:e.Depth] {
			above := &g.Channel.Entries[i]
			if b := g.bundle(int(i)); b != nil && e.SkipRange.Contains(b.Version) {
				covered = append(covered, above.Name)
			}
		}
		if len(covered) > 0 {
			r.add(c, Warning, CodeDowngrade, g.Channel.Package, g.Channel.Name, []string{e.Name},
				"its skipRange %s covers %s, nearer to the head than itself: OLM could offer it as an update of what is newer; end the range below its own version",
				e.SkipRange.Text(), r.describe(c, g.Channel.Package, covered))
		}
	}
}

// skipped reports what skips hide.
func (r *runner) skipped(c Catalog, g *ChannelGraph) {
	var hidden []string
	for i := range g.Channel.Entries {
		e := &g.Channel.Entries[i]
		for _, name := range e.Skips {
			above := g.Channel.Entry(name)
			if above != nil && above.Depth >= 0 && e.Depth > above.Depth {
				r.add(c, Warning, CodeSkipsUpwards, g.Channel.Package, g.Channel.Name, []string{e.Name},
					"it skips %s, which stands nearer to the head than itself, and so hides a newer bundle: remove the skip", name)
			}
		}
		if e.Skipped && e.Bundle != catalog.NoBundle {
			hidden = append(hidden, e.Name)
		}
	}
	if len(hidden) > 0 {
		r.add(c, Note, CodeHidden, g.Channel.Package, g.Channel.Name, hidden,
			"%s cannot be chosen in this channel, because other entries skip them: only startingCSV leads there", r.describe(c, g.Channel.Package, hidden))
	}
}

// leftBehind reports the bundles that no other channel knows.
func (r *runner) leftBehind(c Catalog, g *Graph, gone *catalog.Channel) {
	left := g.LeftBehind(gone)
	if len(left) > 0 {
		r.add(c, Note, CodeLeftBehind, g.Package.Name, gone.Name, left,
			"if the channel disappears, whoever has %s is left behind: no other channel lists or updates them", r.describe(c, g.Package.Name, left))
	}
}
