package check

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// compareEntries reports which updates of a channel came and went, which bundles it lists, and
// what else differs in its order. What follows from new bundles and bundles that are gone is
// left out: these are reported.
func (d *differ) compareEntries(was, is *catalog.Channel) {
	usable := func(e *catalog.Entry) bool { return e != nil && e.Bundle != catalog.NoBundle }
	edited := map[string]bool{} // names from which other updates lead than before
	stays := map[string]bool{}
	var comes, goes []string
	rangesDiffer := false
	for _, name := range entryNames(was, is) {
		if d.ctx.Err() != nil {
			return // Diff returns the error
		}
		before, after := was.Entry(name), is.Entry(name)
		switch had, has := usable(before), usable(after); {
		case had && has:
			stays[name] = true
		case has && d.before.Find(is.Package, name) != nil:
			comes = append(comes, name)
			continue
		case had && d.after.Find(is.Package, name) != nil:
			goes = append(goes, name)
			continue
		default:
			continue
		}
		covered := func(from string) bool { // whoever has it is updated by both ranges
			b, was := d.after.Find(is.Package, from), d.before.Find(is.Package, from)
			return b != nil && was != nil && before.SkipRange.Contains(was.Version) && after.SkipRange.Contains(b.Version)
		}
		gone, come := slices.DeleteFunc(edgesWithout(before, after), covered), slices.DeleteFunc(edgesWithout(after, before), covered)
		for _, from := range slices.Concat(gone, come) {
			edited[from] = true
		}
		if len(gone) > 0 {
			d.edgesGone(is, before, gone)
		}
		if len(come) > 0 {
			d.add(catalog.Note, changeEdges, is.Package, is.Name, append([]string{name}, come...), "%s updates %s now", name, finding.BundleNames(come))
		}
		if !sameVersions(before.SkipRange, after.SkipRange) {
			rangesDiffer = true
			d.add(catalog.Warning, changeEdges, is.Package, is.Name, []string{name}, "the skipRange of %s is %s, before: %s", name, rangeText(after.SkipRange), rangeText(before.SkipRange))
		}
		if was.Head() != nil && is.Head() != nil && before.Candidate() != after.Candidate() {
			text := "%s can be installed anew"
			if !after.Candidate() {
				text = "%s can be newly installed only by startingCSV, as it is skipped or not on the way from the head"
			}
			d.add(catalog.Warning, changeOrder, is.Package, is.Name, []string{name}, text, name)
		}
	}
	if len(comes) > 0 {
		d.add(catalog.Note, changeListed, is.Package, is.Name, comes, "it lists %s now", words.Listed(comes, words.MaxNamed))
	}
	if len(goes) > 0 {
		d.add(catalog.Warning, changeListed, is.Package, is.Name, goes, "it does not list %s any more", words.Listed(goes, words.MaxNamed))
	}
	if was.Head() != nil && is.Head() != nil && !rangesDiffer {
		d.compareOrder(was, is, edited, stays)
	}
}

// edgesGone reports bundles that an entry does not update any more.
func (d *differ) edgesGone(is *catalog.Channel, before *catalog.Entry, gone []string) {
	successor := before.Name
	severity, more := catalog.Warning, ""
	stuck := slices.DeleteFunc(slices.Clone(gone), func(name string) bool {
		b := d.after.Find(is.Package, name)
		if b == nil || is.Head() == nil || is.Head().Name == name {
			return true
		}
		for at := range is.Updates(name, &b.Version) {
			if at.At().Bundle != catalog.NoBundle {
				return true
			}
		}
		return false
	})
	if len(stuck) > 0 {
		severity, more = catalog.Error, "; nothing in the channel updates "+finding.BundleNames(stuck)
	}
	d.add(severity, changeEdges, is.Package, is.Name, append([]string{successor}, gone...), "%s does not update %s any more: %s%s", successor, finding.BundleNames(gone), lostEdges(before, gone), more)
}

// lostEdges says which fields of an entry led from names that it does not update any more.
func lostEdges(before *catalog.Entry, gone []string) string {
	var list []string
	if slices.Contains(gone, before.Replaces) {
		list = append(list, "replaces "+before.Replaces)
	}
	if skipped := slices.DeleteFunc(slices.Clone(gone), func(name string) bool { return !slices.Contains(before.Skips, name) }); len(skipped) > 0 {
		list = append(list, "skips "+words.Listed(skipped, words.MaxNamed))
	}
	return "its edge " + strings.Join(list, " and ") + " is gone"
}

// compareOrder reports another order of the bundles that stay, for new installs or for updates
// from names whose edges are the same.
func (d *differ) compareOrder(was, is *catalog.Channel, edited, stays map[string]bool) {
	chain := func(c *catalog.Channel) (names []string) {
		for at := range c.Chain() {
			if stays[at.At().Name] {
				names = append(names, at.At().Name)
			}
		}
		return names
	}
	before, after := chain(was), chain(is)
	if !slices.Equal(before, after) {
		if len(after) == 0 {
			return // each of them is said to be off the way from the head
		}
		d.add(catalog.Warning, changeOrder, is.Package, is.Name, nil, "from the head on its order is %s; before: %s", words.Listed(after, words.MaxNamed), words.Listed(before, words.MaxNamed))
		return
	}
	if slices.EqualFunc(was.Entries, is.Entries, func(a, b catalog.Entry) bool { return a.Name == b.Name && a.Replaces == b.Replaces }) {
		return // then the way from any name is the same
	}
	for _, from := range entryNames(was, is) {
		if edited[from] || d.ctx.Err() != nil {
			continue
		}
		var version *semver.Version
		if b := d.before.Find(is.Package, from); b != nil {
			version = &b.Version
		}
		updates := func(c *catalog.Channel) (names []string) {
			for at := range c.Updates(from, version) {
				if stays[at.At().Name] {
					names = append(names, at.At().Name)
				}
			}
			return names
		}
		if before, after := updates(was), updates(is); !slices.Equal(before, after) {
			d.add(catalog.Warning, changeOrder, is.Package, is.Name, []string{from}, "%s is updated to %s; before: %s", from, orNothing(after), orNothing(before))
		}
	}
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return words.Listed(names, words.MaxNamed)
}

// entryNames returns the names of the entries of both channels, sorted.
func entryNames(was, is *catalog.Channel) (names []string) {
	for _, c := range []*catalog.Channel{was, is} {
		for i := range c.Entries {
			names = append(names, c.Entries[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// edgesWithout returns the names that entry a replaces or skips, and b does not, sorted.
func edgesWithout(a, b *catalog.Entry) (names []string) {
	other := slices.Sorted(b.Edges())
	for name := range a.Edges() {
		if _, both := slices.BinarySearch(other, name); !both && name != a.Name {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names
}

// sameVersions reports whether two ranges contain the same versions.
func sameVersions(a, b versionrange.Range) bool {
	return a.Text() == b.Text() || !slices.ContainsFunc(slices.Concat(a.Samples(), b.Samples()), func(v semver.Version) bool { return a.Contains(v) != b.Contains(v) })
}

func rangeText(r versionrange.Range) string {
	if r.IsZero() {
		return "none"
	}
	return r.Text()
}
