package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/check/internal/baseline"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// updates notes the findings about the update graph of a package.
func (j *judged) updates(p *catalog.Package) {
	g := NewGraph(j.Checked.Snapshot, p)
	for _, channel := range g.channels {
		if j.ctx.Err() != nil {
			return // Run returns the error
		}
		if channel.Fault != "" {
			continue // the fault is reported, and there is no order to judge
		}
		j.unreachable(channel)
		j.dangling(p, channel)
		j.downgrades(channel)
		j.dropped(channel)
		j.skipped(channel)
		j.unreadRanges(p, channel)
		j.unsupported(p, channel)
		j.holdsBack(channel)
		if channel.Name != p.DefaultChannel {
			j.leftBehind(g, channel)
		}
	}
}

// note adds a finding about an entry of a channel.
func (j *judged) note(g channelGraph, severity catalog.Severity, code catalog.Code, entry, cause, format string, args ...any) {
	j.add(severity, Identity{Code: code, Package: g.Package, Channel: g.Name, Bundle: entry, Cause: cause}, []string{entry}, format, args...)
}

// noteCause adds a note about an entry. Notes with equal texts are joined into one, whose
// format takes the causes of all.
func (j *judged) noteCause(g channelGraph, place Place, code catalog.Code, entry, cause, text, format string) {
	id := Identity{Code: code, Package: g.Package, Channel: g.Name, Bundle: entry, Cause: cause}
	j.observe(&observation{Identity: id, severity: catalog.Note, bundles: []string{entry}, place: place, text: text, sentence: func(all *joined) string {
		return all.subject(id) + fmt.Sprintf(format, words.Listed(all.causes, words.MaxNamed))
	}})
}

// unreachable reports entries from which no updates lead to the head: first because of the
// channel alone, then because of bundles that cannot be installed.
func (j *judged) unreachable(g channelGraph) {
	top := g.top()
	if top < 0 {
		return
	}
	free := g.reaching(j.ctx, nil)
	report := func(code catalog.Code, stuck func(i int) bool, obstacleOf func(i int) obstacle) {
		for i := range g.Entries {
			if j.ctx.Err() != nil {
				return // Run returns the error
			}
			e := &g.Entries[i]
			// A stranded entry has a finding of its own.
			if e.Bundle == catalog.NoBundle || j.stranded[[3]string{g.Package, g.Name, e.Name}] || !stuck(i) {
				continue
			}
			o := obstacleOf(i)
			at := ""
			if o.entry >= 0 {
				at = g.Entries[o.entry].Name
			}
			j.note(g, catalog.Warning, code, e.Name, at, "no updates lead to the head %s, because %s", g.Entries[top].Name, o.why)
		}
	}
	report(codeHeadUnreachable, func(i int) bool { return !free[i] }, g.obstacles(free, nil))
	if j.blocked[g.Entries[top].Bundle] {
		return // the head is reported, and everything below waits for it
	}
	usable := g.reaching(j.ctx, j.blocked)
	report(codeUpdateBlocked, func(i int) bool { return free[i] && !usable[i] && !j.blocked[g.Entries[i].Bundle] }, g.obstacles(usable, j.blocked))
}

// dangling reports edges from names that no channel of the package lists. An edge from an
// entry of another channel serves users who change channels.
func (j *judged) dangling(p *catalog.Package, g channelGraph) {
	place := placeOf(j.Checked.Place(g.Package, g.Name, ""))
	for i := range g.Entries {
		e := &g.Entries[i]
		if j.ctx.Err() != nil {
			return // Run returns the error
		}
		if !e.Candidate() {
			continue // nobody follows its edges
		}
		for name := range e.Edges() {
			kind := "skips"
			if name == e.Replaces {
				kind = "replaces"
			}
			if !slices.ContainsFunc(p.Channels, func(c *catalog.Channel) bool { return c.Entry(name) != nil }) {
				j.noteCause(g, place, codeDanglingEdge, e.Name, baseline.EdgeCause(kind, name), "",
					"%s, which no channel of the package lists: such edges serve only users of older catalogs; remove them if there are none")
			}
		}
	}
}

// downgrades reports skipRanges that cover entries closer to the head.
func (j *judged) downgrades(g channelGraph) {
	for at := range g.Chain() {
		e := at.At()
		if j.ctx.Err() != nil {
			return // Run returns the error
		}
		covers := func(i int32) bool {
			b := g.bundle(int(i))
			return b != nil && e.SkipRange.Contains(b.Version)
		}
		if e.Candidate() && !e.SkipRange.IsZero() && slices.ContainsFunc(g.Order[:e.Depth], covers) {
			j.note(g, catalog.Warning, codeDowngrade, e.Name, "skipRange "+e.SkipRange.Text(),
				"skipRange %s covers entries closer to the head, so OLM could offer an older bundle as an update of a newer one; end the range below the bundle's own version",
				e.SkipRange.Text())
		}
	}
}

// unreadRanges reports entries without a skipRange whose ClusterServiceVersion states one that covers an
// older bundle of the package that they do not update: OLM reads the entries of file-based catalogs alone.
func (j *judged) unreadRanges(p *catalog.Package, g channelGraph) {
	for i := range g.Entries {
		e, b := &g.Entries[i], g.bundle(i)
		if j.ctx.Err() != nil {
			return // Run returns the error
		}
		if b == nil || !e.Candidate() {
			continue
		}
		text := skipRangeOf(b)
		stated, err := versionrange.Parse(text)
		if text == "" || err != nil || !coversMore(p, g, b, stated) {
			continue
		}
		j.noteCause(g, placeOf(j.Checked.Place(g.Package, g.Name, "")), codeUnreadRange, e.Name, annotationSkipRange+" "+text, "",
			"the ClusterServiceVersion states %s, and its entry none, which is all that OLM reads of a catalog: add it to the entry if these updates are meant")
	}
}

// coversMore reports whether a range covers an older bundle of the package that no entry of b updates. It
// does not if an entry of b has a range.
func coversMore(p *catalog.Package, g channelGraph, b *catalog.Bundle, r versionrange.Range) bool {
	var entries []*catalog.Entry
	for _, c := range p.Channels {
		if e := c.Entry(b.Name); e != nil {
			entries = append(entries, e)
		}
	}
	if slices.ContainsFunc(entries, func(e *catalog.Entry) bool { return !e.SkipRange.IsZero() }) {
		return false
	}
	return slices.ContainsFunc(p.Bundles, func(id catalog.ID) bool {
		old := g.snapshot.Bundle(id)
		return old.Version.LT(b.Version) && r.Contains(old.Version) &&
			!slices.ContainsFunc(entries, func(e *catalog.Entry) bool { return e.Updates(old.Name, &old.Version) })
	})
}

// skipRangeOf returns the skipRange that the ClusterServiceVersion of a bundle states, empty if it states none.
func skipRangeOf(b *catalog.Bundle) string {
	for key, text := range b.Properties.Metadata().Annotations() {
		if key == annotationSkipRange {
			return text
		}
	}
	return ""
}

// annotationSkipRange is that of a ClusterServiceVersion.
const annotationSkipRange = "olm.skipRange"

// dropped reports updates that drop a version of an API, and those that a cluster refuses. The update of an entry is the one
// closest to the head.
func (j *judged) dropped(g channelGraph) {
	for i := range g.Entries {
		from, next := g.bundle(i), int32(-1)
		if j.ctx.Err() != nil {
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
		if next < 0 {
			continue
		}
		to := g.bundle(int(next))
		j.refused(g, from, to)
		for _, api := range without(from.Properties.GVKs(), to.Properties.GVKs()) {
			j.noteCause(g, nowhere, codeDroppedVersion, to.Name, api.Describe(), to.Name,
				"an update to it drops %s, in which custom resources may be stored: serve them until those are converted")
		}
	}
}

// refused reports CustomResourceDefinitions that a cluster with one bundle does not take from its
// update: the version in which they store resources goes, or what no API server changes.
func (j *judged) refused(g channelGraph, from, to *catalog.Bundle) {
	objects := from.Properties.Objects()
	if objects == nil {
		return
	}
	for i := range objects.Definitions {
		d := &objects.Definitions[i]
		next, has := to.Properties.Objects().Definition(d.Name()), cluster.Definition{Name: d.Name(), Definition: *d}
		if next == nil {
			continue
		}
		if version := d.Stores(); version != "" {
			has.Stored = []string{version}
		}
		for _, reason := range request.RefusedDefinition(&has, next, to.Name) {
			args, of := reason.Args(), d.Name()+" of "
			id := Identity{Code: codeRefusedUpdate, Package: g.Package, Channel: g.Name, Bundle: to.Name, Cause: of + from.Name}
			j.observe(&observation{Identity: id, severity: catalog.Warning, bundles: []string{to.Name}, place: nowhere, text: to.Name + " " + reason.Message(), sentence: func(all *joined) string {
				clusters := words.Listed(words.Mapped(all.causes, func(cause string) string { return strings.TrimPrefix(cause, of) }), words.MaxNamed)
				if args.Said != "" {
					return all.subject(id) + fmt.Sprintf("changes %s of CustomResourceDefinition %s from %s to %s: no API server that had %s takes the update", args.Said, d.Name(), args.Has, args.Limit, clusters)
				}
				return all.subject(id) + fmt.Sprintf("removes version %s from CustomResourceDefinition %s, in which resources are stored where %s ran: OLM refuses the update as a risk of data loss; keep the version until all of them are written anew", d.Stores(), d.Name(), clusters)
			}})
		}
	}
}

// unsupported reports a head whose support has ended on cluster.Objects.Date.
func (j *judged) unsupported(p *catalog.Package, g channelGraph) {
	top := g.top()
	if j.options.Cluster == nil || top < 0 || g.bundle(top) == nil {
		return
	}
	date := j.options.Cluster.ClusterScoped().Date
	if l := p.Lifecycle(g.bundle(top).Version); l != nil && date != "" {
		if s := l.On(date); s.Ended() {
			j.note(g, catalog.Warning, codeSupportEnded, g.Entries[top].Name, "", "the support of version %s ended on %s: offer a supported version as the head, or deprecate the channel", s.Minor, s.Until)
		}
	}
}

// skipped reports entries that skips hide.
func (j *judged) skipped(g channelGraph) {
	for i := range g.Entries {
		e := &g.Entries[i]
		for _, name := range e.Skips {
			above := g.Entry(name)
			if above != nil && above.Depth >= 0 && e.Depth > above.Depth {
				j.note(g, catalog.Warning, codeSkipsUpwards, e.Name, baseline.EdgeCause("skips", name),
					"skips %s, which stands closer to the head, and so hides a newer bundle: remove the skip", name)
			}
		}
		if e.Skipped && e.Bundle != catalog.NoBundle {
			j.note(g, catalog.Note, codeHidden, e.Name, "", "skipped by other entries, so that only startingCSV leads there")
		}
	}
}

// leftBehind reports a head that no other channel lists or updates. The caller leaves out the
// default channel, which nobody needs to leave.
func (j *judged) leftBehind(all *Graph, g channelGraph) {
	top := g.top()
	if top < 0 {
		return
	}
	head := g.Entries[top].Name
	if slices.Contains(all.leftBehind(g.snapshot, g.Channel), head) {
		j.add(catalog.Note, Identity{Code: codeLeftBehind, Package: g.Package, Channel: g.Name}, []string{head},
			"no other channel lists or updates the head of this one, so whoever has it cannot change the channel")
	}
}
