package catalogcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// updates finds what is odd about the update graphs of a package.
func (j *judged) updates(p *catalog.Package) {
	g := NewGraph(j.Checked.Snapshot, p)
	for _, channel := range g.channels {
		if j.ctx.Err() != nil {
			return // Run says so
		}
		if channel.Fault != "" {
			continue // reported already, and without an order there is nothing to judge
		}
		var published []publishedChannel
		if j.Checked.Directories {
			published = j.publishedChannels(channel.Channel)
		}
		j.unreachable(channel)
		j.dangling(channel, published)
		j.joins(channel.Channel, published)
		j.downgrades(channel)
		j.skipped(channel)
		if len(g.channels) > 1 {
			j.leftBehind(g, channel)
		}
	}
}

// note adds a finding about bundles of a channel.
func (j *judged) note(g channelGraph, severity Severity, code catalog.Code, bundles []string, format string, args ...any) {
	j.add(severity, code, g.Package, g.Name, bundles, format, args...)
}

// unreachable reports entries that are stuck below the head, first because of the
// channel alone, then because of bundles that cannot be installed.
func (j *judged) unreachable(g channelGraph) {
	top := g.top()
	if top < 0 {
		return
	}
	free := g.reaching(nil)
	report := func(code catalog.Code, stuck func(i int) bool, why func(i int) string) {
		byReason := map[string][]string{}
		var reasons []string
		for i := range g.Entries {
			e := &g.Entries[i]
			// What is stranded has a finding of its own.
			if e.Bundle == catalog.NoBundle || j.stranded[[3]string{g.Package, g.Name, e.Name}] || !stuck(i) {
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
			j.note(g, Warning, code, names,
				"no updates lead from %s to the head %s: %s", j.describe(g.Package, names), g.Entries[top].Name, reason)
		}
	}
	report(CodeHeadUnreachable, func(i int) bool { return !free[i] }, func(i int) string { return g.whyStuck(i, free, nil) })
	if j.blocked[g.Entries[top].Bundle] {
		return // all of the channel waits for the head, which is reported
	}
	usable := g.reaching(j.blocked)
	report(CodeUpdateBlocked,
		func(i int) bool { return free[i] && !usable[i] && !j.blocked[g.Entries[i].Bundle] },
		func(i int) string { return g.whyStuck(i, usable, j.blocked) })
}

// describe names a few bundles, or counts many.
func (j *judged) describe(pkg string, names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	compare := func(a, b string) int { return j.byVersion(pkg, a, b) }
	return fmt.Sprintf("%d bundles from %s to %s", len(names), slices.MinFunc(names, compare), slices.MaxFunc(names, compare))
}

// dangling reports edges that lead out of the channel, and of those that it is to
// be added to.
func (j *judged) dangling(g channelGraph, published []publishedChannel) {
	lists := func(name string) bool {
		return g.Entry(name) != nil || slices.ContainsFunc(published, func(p publishedChannel) bool { return p.channel.Entry(name) != nil })
	}
	for i := range g.Entries {
		e := &g.Entries[i]
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
			j.note(g, Note, CodeDanglingEdge, []string{e.Name},
				"it %s, which the channel does not list: that serves only users who have it from elsewhere; remove the edge if there are none", strings.Join(missing, " and "))
		}
	}
}

// downgrades reports skipRanges that offer an older bundle as an update.
func (j *judged) downgrades(g channelGraph) {
	for _, at := range g.Order {
		e := &g.Entries[at]
		if j.ctx.Err() != nil {
			return // Run says so
		}
		if !e.Candidate() {
			continue
		}
		var covered []string
		for _, i := range g.Order[:e.Depth] {
			above := &g.Entries[i]
			if b := g.bundle(int(i)); b != nil && e.SkipRange.Contains(b.Version) {
				covered = append(covered, above.Name)
			}
		}
		if len(covered) > 0 {
			j.note(g, Warning, CodeDowngrade, []string{e.Name},
				"its skipRange %s covers %s, nearer to the head than itself: OLM could offer it as an update of what is newer; end the range below its own version",
				e.SkipRange.Text(), j.describe(g.Package, covered))
		}
	}
}

// skipped reports what skips hide.
func (j *judged) skipped(g channelGraph) {
	var hidden []string
	for i := range g.Entries {
		e := &g.Entries[i]
		for _, name := range e.Skips {
			above := g.Entry(name)
			if above != nil && above.Depth >= 0 && e.Depth > above.Depth {
				j.note(g, Warning, CodeSkipsUpwards, []string{e.Name},
					"it skips %s, which stands nearer to the head than itself, and so hides a newer bundle: remove the skip", name)
			}
		}
		if e.Skipped && e.Bundle != catalog.NoBundle {
			hidden = append(hidden, e.Name)
		}
	}
	if len(hidden) > 0 {
		j.note(g, Note, CodeHidden, hidden,
			"%s cannot be chosen in this channel, because other entries skip them: only startingCSV leads there", j.describe(g.Package, hidden))
	}
}

// leftBehind reports the bundles that no other channel knows.
func (j *judged) leftBehind(all *Graph, g channelGraph) {
	if left := all.leftBehind(g.snapshot, g.Channel); len(left) > 0 {
		j.note(g, Note, CodeLeftBehind, left,
			"if the channel disappears, whoever has %s is left behind: no other channel lists or updates them", j.describe(g.Package, left))
	}
}
