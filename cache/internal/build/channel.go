package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/constraints/versionrange"
)

// addChannel makes the channel of blobs with one name.
func (b *builder) addChannel(group []*collect.Channel, alike bool, bundles bundleRange) *catalog.Channel {
	blob := group[0]
	c := &catalog.Channel{Name: blob.Name, Package: blob.Pkg}
	if !alike {
		for i, one := range group {
			b.duplicate(one.Origin, catalog.CodeDuplicateChannel, catalog.Fault{Package: c.Package, Channel: c.Name}, group[(i+1)%len(group)].Origin)
		}
		c.Fault = "it is stated several times, and differently"
		return c
	}
	c.Entries = make([]catalog.Entry, 0, len(blob.Entries))
	for entries, alike := range collect.Groups(blob.Entries, func(e collect.Entry) string { return e.Name }, collect.Entry.Equal) {
		if !alike {
			c.Entries = append(c.Entries, b.differingEntries(blob, entries))
			continue
		}
		e := &entries[0]
		c.Entries = append(c.Entries, catalog.Entry{
			Name: e.Name, Replaces: e.Replaces, Skips: e.Skips,
			SkipRange: b.skipRange(blob, e), Bundle: b.find(bundles, e.Name),
		})
	}
	code := setOrder(c)
	switch {
	case blob.Fault != "":
		// An edge may be lost, so whatever order is left may be a wrong one.
		dropOrder(c, blob.Fault)
	case code != "":
		f := blob.Origin.Fault(code, "the channel has no order, so Subscriptions and dependencies cannot use it: "+c.Fault)
		f.Package, f.Channel, f.Quarantines = c.Package, c.Name, true
		b.faults = append(b.faults, f)
	}
	return c
}

// differingEntries makes one virtual entry of several that share a name: with
// all that they skip, and with what they replace if they agree on it. Leaving
// them out would open the chain at their place and offer what they supersede.
func (b *builder) differingEntries(blob *collect.Channel, entries []collect.Entry) catalog.Entry {
	f := blob.Origin.Fault(catalog.CodeDuplicateEntry, "the channel has several entries of this name, and they differ; the bundle cannot be reached here: keep one")
	f.Package, f.Channel, f.Bundle, f.Quarantines = blob.Pkg, blob.Name, entries[0].Name, true
	b.faults = append(b.faults, f)

	merged := catalog.Entry{Name: entries[0].Name, Replaces: entries[0].Replaces, Bundle: catalog.NoBundle}
	for _, e := range entries {
		if e.Replaces != merged.Replaces {
			merged.Replaces = ""
		}
		merged.Skips = append(merged.Skips, e.Skips...)
	}
	slices.Sort(merged.Skips)
	merged.Skips = slices.Compact(merged.Skips)
	return merged
}

func (b *builder) skipRange(blob *collect.Channel, e *collect.Entry) versionrange.Range {
	if strings.TrimSpace(e.SkipRange) == "" {
		return versionrange.Range{}
	}
	r, err := b.parser.Range(e.SkipRange)
	if err != nil {
		f := blob.Origin.Fault(catalog.CodeSkipRange, fmt.Sprintf("skipRange covers nothing, because it cannot be read: %v", err))
		f.Package, f.Channel, f.Bundle = blob.Pkg, blob.Name, e.Name
		b.faults = append(b.faults, f)
	}
	return r
}
