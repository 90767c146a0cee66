package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Differing is the fault of a channel whose blobs differ.
const Differing = "it is stated several times, and differently"

// addChannel makes the channel of a group of blobs with one name.
func (b *builder) addChannel(group []*Channel, alike bool, bundles bundleRange) *catalog.Channel {
	blob := group[0]
	c := &catalog.Channel{Name: blob.Name, Package: blob.Pkg}
	if !alike {
		duplicates(b, group, code.DuplicateChannel, catalog.Fault{Package: c.Package, Channel: c.Name}, keepOne)
		c.Fault = Differing
		return c
	}
	c.Entries = make([]catalog.Entry, 0, len(blob.Entries))
	for entries, alike := range groups(blob.Entries) {
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
	c.Fault = blob.fault // lost edges could make the order wrong
	if code := c.SetOrder(); code != "" {
		b.fault(blob.Origin, code, catalog.Fault{Package: c.Package, Channel: c.Name, Quarantines: true},
			"the channel has no order, so Subscriptions and dependencies cannot use it: "+c.Fault)
	}
	return c
}

// differingEntries merges entries of one name into one virtual entry. It skips all that
// they skip, and replaces what they replace if they agree. Without it, the chain would
// break there and offer bundles that they supersede.
func (b *builder) differingEntries(blob *Channel, entries []Entry) catalog.Entry {
	b.fault(blob.Origin, code.DuplicateEntry, catalog.Fault{Package: blob.Pkg, Channel: blob.Name, Bundle: entries[0].Name, Quarantines: true},
		"the channel has several entries of this name, and they differ; the bundle cannot be reached here: keep one")
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

func (b *builder) skipRange(blob *Channel, e *Entry) versionrange.Range {
	if strings.TrimSpace(e.SkipRange) == "" {
		return versionrange.Range{}
	}
	r, err := b.parser.Range(e.SkipRange)
	if err != nil {
		b.fault(blob.Origin, code.SkipRange, catalog.Fault{Package: blob.Pkg, Channel: blob.Name, Bundle: e.Name},
			fmt.Sprintf("skipRange covers nothing, because it cannot be read: %v", err))
	}
	return r
}
