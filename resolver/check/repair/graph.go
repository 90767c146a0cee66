package repair

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// graph is a channel while edits of its entries are tried. It is immutable.
type graph struct {
	*catalog.Channel
	snapshot *catalog.Snapshot
	pkg      *catalog.Package
	blocked  map[catalog.ID]bool
	*facts
}

// facts are what no edit of a channel changes.
type facts struct {
	// versions are those of the bundles of the package, by name.
	versions map[string]*semver.Version
	// elsewhere are the entries of other channels.
	elsewhere map[string]bool
}

func graphOf(s *catalog.Snapshot, p *catalog.Package, c *catalog.Channel, blocked map[catalog.ID]bool) graph {
	f := &facts{map[string]*semver.Version{}, map[string]bool{}}
	for _, id := range p.Bundles {
		b := s.Bundle(id)
		f.versions[b.Name] = &b.Version
	}
	for _, other := range p.Channels {
		for i := range other.Entries {
			f.elsewhere[other.Entries[i].Name] = f.elsewhere[other.Entries[i].Name] || other.Name != c.Name
		}
	}
	return graph{c, s, p, blocked, f}
}

// with returns the graph after an edit, false if the edit changes nothing.
func (g graph) with(e edit.EntryEdit) (graph, bool) {
	c := &catalog.Channel{Name: g.Name, Package: g.Package, Entries: slices.Clone(g.Entries)}
	at, listed := g.Index(e.Entry)
	if listed == (e.Kind == edit.AddEntry) {
		return g, false
	}
	next := catalog.Entry{Name: e.Entry, Bundle: catalog.NoBundle}
	if listed {
		next = c.Entries[at]
	}
	switch e.Kind {
	case edit.AddEntry:
		next.Replaces = e.Name
		for _, id := range g.pkg.Bundles {
			if g.snapshot.Bundle(id).Name == e.Entry {
				next.Bundle = id
			}
		}
		c.Entries = slices.Insert(c.Entries, at, next)
	case edit.RemoveEntry:
		c.Entries = slices.Delete(c.Entries, at, at+1)
	case edit.SetReplaces:
		if next.Replaces == e.Name || e.Name == e.Entry {
			return g, false
		}
		next.Replaces = e.Name
	case edit.AddSkip, edit.RemoveSkip:
		i, skips := slices.BinarySearch(next.Skips, e.Name)
		if skips == (e.Kind == edit.AddSkip) || e.Name == e.Entry {
			return g, false
		}
		if skips {
			next.Skips = slices.Delete(slices.Clone(next.Skips), i, i+1)
		} else {
			next.Skips = slices.Insert(slices.Clone(next.Skips), i, e.Name)
		}
	case edit.SetRange:
		r, err := versionrange.Parse(e.Name)
		if err != nil && e.Name != "" || next.SkipRange.Text() == e.Name {
			return g, false
		}
		next.SkipRange = r
	}
	if e.Kind != edit.RemoveEntry {
		c.Entries[at] = next
	}
	c.SetOrder()
	g.Channel = c
	return g, true
}

// guessed returns the version of a bundle, or that which its name ends with.
func (g graph) guessed(name string) *semver.Version {
	if v := g.versions[name]; v != nil {
		return v
	}
	return finding.Named(name)
}

// known reports whether the package has a bundle or an entry of a name.
func (g graph) known(name string) bool {
	return g.versions[name] != nil || g.elsewhere[name] || g.Entry(name) != nil
}

// highest returns the highest version that a head of the channel has, or an entry where a circle
// leaves no head; nil if no such entry has a bundle.
func (g graph) highest() (high *semver.Version) {
	heads := g.heads(nil)
	if len(heads) == 0 {
		heads = g.everyEntry()
	}
	for name := range heads {
		if v := g.versions[name]; v != nil && (high == nil || v.GT(*high)) {
			high = v
		}
	}
	return high
}

// below reports whether a bundle has a lower version.
func (g graph) below(name string, version *semver.Version) bool {
	own := g.versions[name]
	return own != nil && version != nil && own.LT(*version)
}

// older reports whether an entry replaces one of a higher version.
func (g graph) older(e *catalog.Entry) bool { return g.below(e.Name, g.versions[e.Replaces]) }

// usable reports whether updates lead to an entry.
func (g graph) usable(e *catalog.Entry) bool { return e.Candidate() && !g.blocked[e.Bundle] }

// reaching returns the names from which updates lead to the first usable entry of the chain:
// entries, bundles of the package, and the names that are given.
func (g graph) reaching(names map[string]bool) map[string]bool {
	reach := make(map[string]bool, len(g.Entries))
	var leads []*catalog.Entry // usable ones that reach the top
	add := func(name string, version *semver.Version, below int32) bool {
		loose := version != nil && (g.versions[name] == nil || g.Entry(name) == nil)
		return slices.ContainsFunc(leads, func(e *catalog.Entry) bool {
			if e.Name == name || e.Depth >= below {
				return false
			}
			if own := g.versions[e.Name]; loose && own != nil && own.LT(*version) {
				return e.Updates(name, nil) // a range that leads back what the channel does not order is no way
			}
			return e.Updates(name, version)
		})
	}
	for _, i := range g.Order {
		e := &g.Entries[i]
		if len(leads) == 0 && g.usable(e) || add(e.Name, g.versions[e.Name], e.Depth) {
			reach[e.Name] = true
			if g.usable(e) {
				leads = append(leads, e)
			}
		}
	}
	depth := func(name string) int32 { // at which its replaces meet the chain
		e := g.Entry(name)
		for range g.Entries {
			if e == nil || e.Depth >= 0 {
				break
			}
			e = g.Entry(e.Replaces)
		}
		if e == nil || e.Depth < 0 {
			return int32(len(g.Order))
		}
		return e.Depth
	}
	visit := func(name string) {
		if e := g.Entry(name); !reach[name] && (e == nil || e.Depth < 0) && add(name, g.guessed(name), depth(name)) {
			reach[name] = true
		}
	}
	for name := range names {
		visit(name)
	}
	for i := range g.Entries {
		if g.Entries[i].Depth < 0 {
			visit(g.Entries[i].Name)
		}
	}
	for name := range g.versions {
		visit(name)
	}
	return reach
}

// problem is what is wrong with a graph, as far as its edges go.
type problem struct{ kind, entry, name string }

// problems returns what is wrong. names are those that must have a way to the head.
func (g graph) problems(names map[string]bool) map[problem]bool {
	found := map[problem]bool{}
	for name := range g.versions {
		if !g.elsewhere[name] && g.Entry(name) == nil {
			found[problem{"unlisted", name, ""}] = true
		}
	}
	for i := range g.Entries {
		e := &g.Entries[i]
		if e.Bundle == catalog.NoBundle {
			found[problem{"virtual", e.Name, ""}] = true
		}
		if g.older(e) {
			found[problem{"older", e.Name, e.Replaces}] = true
		}
	}
	if g.Fault != "" {
		found[problem{kind: "order"}] = true
		return found
	}
	reach := g.reaching(names)
	for name := range names {
		if !reach[name] {
			found[problem{"noWay", name, ""}] = true
		}
	}
	passed := false
	for at := range g.Chain() {
		if e := at.At(); e.Skipped {
			passed = true
		} else if passed {
			found[problem{"stranded", e.Name, ""}] = true
		}
	}
	for i := range g.Entries {
		e := &g.Entries[i]
		if e.Skipped && e.Bundle != catalog.NoBundle {
			found[problem{"hidden", e.Name, ""}] = true
		}
		if e.Depth < 0 && !e.Skipped {
			found[problem{"stranded", e.Name, ""}] = true
		}
		if len(reach) > 0 && e.Bundle != catalog.NoBundle && !reach[e.Name] && !found[problem{"stranded", e.Name, ""}] {
			found[problem{"noWay", e.Name, ""}] = true
		}
		if !e.Candidate() {
			continue
		}
		for name := range e.Edges() {
			if !g.elsewhere[name] && g.Entry(name) == nil {
				found[problem{"dangling", e.Name, name}] = true
			}
		}
		for _, j := range g.Order[:e.Depth] {
			above := &g.Entries[j]
			if slices.Contains(e.Skips, above.Name) {
				found[problem{"upwards", e.Name, above.Name}] = true
			}
			if v := g.versions[above.Name]; v != nil && e.SkipRange.Contains(*v) {
				found[problem{"downgrade", e.Name, ""}] = true
			}
		}
	}
	return found
}

// disorder returns how many edits the channel is from an order, roughly: 0 with one.
func (g graph) disorder() int {
	if g.Fault == "" {
		return 0
	}
	if heads := len(g.heads(nil)); heads > 1 {
		return heads - 1
	}
	return 1 << 16 // no head, or a circle: further than any number of heads
}

// heads returns which of some names and the entries no other entry supersedes.
func (g graph) heads(names map[string]bool) map[string]bool {
	heads := g.everyEntry()
	maps.Copy(heads, names)
	for i := range g.Entries {
		for name := range g.Entries[i].Edges() {
			if name != g.Entries[i].Name {
				delete(heads, name)
			}
		}
	}
	return heads
}

// cost orders edits: the natural ones first. Edges lead from a version to the next lower one.
func (g graph) cost(e edit.EntryEdit) int {
	low, high := g.guessed(e.Name), g.guessed(e.Entry)
	apart := 0
	if low != nil && high != nil && e.Kind != edit.SetRange {
		if low.GT(*high) && e.Kind != edit.RemoveSkip {
			apart = 100
		}
		for _, id := range g.pkg.Bundles {
			if v := g.snapshot.Bundle(id).Version; v.GT(*low) && v.LT(*high) {
				apart++
			}
		}
	}
	before := ""
	if own := g.Entry(e.Entry); own != nil {
		before = own.Replaces
	}
	switch {
	case e.Kind == edit.SetReplaces && e.Name == "":
		return 60
	case e.Kind == edit.SetReplaces && before != "" && g.Entry(before) != nil:
		return 10 + apart
	case e.Kind == edit.SetReplaces, e.Kind == edit.AddEntry:
		return 5 + apart
	case e.Kind == edit.AddSkip:
		return 30 + apart
	case e.Kind == edit.SetRange && e.Name == "":
		return 50
	case e.Kind == edit.SetRange:
		return 40
	case e.Kind == edit.RemoveEntry:
		return 80
	}
	return 45 + apart // what a publisher skips is offered again
}

// single returns the single edits of the graph that may help. With a focus, only those that
// concern one of its names count.
func (g graph) single(focus map[string]bool, mine func(name string) bool) []edit.EntryEdit {
	var list []edit.EntryEdit
	names := maps.Clone(focus)
	for i := range g.Entries {
		names[g.Entries[i].Name] = true
	}
	for name := range g.versions {
		if g.Entry(name) == nil && focus[name] && mine(name) {
			list = append(list, edit.AddEntry.Of(name, ""))
			for i := range g.Entries {
				list = append(list, edit.AddEntry.Of(name, g.Entries[i].Name))
			}
		}
	}
	for i := range g.Entries {
		e := &g.Entries[i]
		if !mine(e.Name) {
			continue
		}
		concerns := func(name string) bool { return len(focus) == 0 || focus[e.Name] || focus[name] }
		if e.Replaces != "" {
			list = append(list, edit.SetReplaces.Of(e.Name, ""))
		}
		if e.Bundle == catalog.NoBundle {
			list = append(list, edit.RemoveEntry.Of(e.Name, ""))
		}
		for _, name := range e.Skips {
			list = append(list, edit.RemoveSkip.Of(e.Name, name))
		}
		for name := range names {
			if concerns(name) && g.Entry(name) != nil {
				list = append(list, edit.SetReplaces.Of(e.Name, name))
			}
			if concerns(name) {
				list = append(list, edit.AddSkip.Of(e.Name, name))
			}
		}
		for _, text := range g.ranges(e, focus) {
			list = append(list, edit.SetRange.Of(e.Name, text))
		}
	}
	costs := make(map[edit.EntryEdit]int, len(list))
	for _, e := range list {
		costs[e] = g.cost(e)
	}
	slices.SortStableFunc(list, func(a, b edit.EntryEdit) int {
		return cmp.Or(cmp.Compare(costs[a], costs[b]), strings.Compare(a.Entry, b.Entry), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return slices.Compact(list)
}

// ranges returns skipRanges that an entry could have: its own one ended below its version, and
// those from the lowest version that needs it, of all and of those that are not closer to the
// head, and from the highest of these, which the others reach in order.
func (g graph) ranges(e *catalog.Entry, focus map[string]bool) (list []string) {
	version := g.versions[e.Name]
	if version == nil {
		return nil
	}
	below := " <" + version.String()
	if text := e.SkipRange.Text(); text != "" && !strings.Contains(text, "||") {
		list = append(list, text+below)
	}
	var lowest, lowestBelow, highestBelow *semver.Version
	for _, id := range g.pkg.Bundles {
		b := g.snapshot.Bundle(id)
		if !(focus[b.Name] || e.SkipRange.Contains(b.Version)) || !b.Version.LT(*version) {
			continue
		}
		if lowest == nil || b.Version.LT(*lowest) {
			lowest = &b.Version
		}
		above := g.Entry(b.Name)
		if closer := above != nil && above.Depth >= 0 && above.Depth < e.Depth; closer {
			continue
		}
		if lowestBelow == nil || b.Version.LT(*lowestBelow) {
			lowestBelow = &b.Version
		}
		if highestBelow == nil || b.Version.GT(*highestBelow) {
			highestBelow = &b.Version
		}
	}
	for _, from := range []*semver.Version{lowest, lowestBelow, highestBelow} {
		if from != nil {
			list = append(list, ">="+from.String()+below)
		}
	}
	if !e.SkipRange.IsZero() {
		list = append(list, "")
	}
	return list
}
