package cache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/constraints"
)

// addChannel makes the channel of blobs with one name.
func (b *builder) addChannel(group []*channelBlob, alike bool, bundles bundleRange) *Channel {
	blob := group[0]
	c := &Channel{Name: blob.name, Package: blob.pkg}
	if !alike {
		for i, one := range group {
			b.duplicate(one.origin, CodeDuplicateChannel, Fault{Package: c.Package, Channel: c.Name}, group[(i+1)%len(group)].origin)
		}
		c.Fault = "it is stated several times, and differently"
		return c
	}
	c.Entries = make([]Entry, 0, len(blob.entries))
	for entries, alike := range unify(blob.entries, func(e entryBlob) string { return e.name }, entryBlob.equal) {
		if !alike {
			c.Entries = append(c.Entries, b.differingEntries(blob, entries))
			continue
		}
		e := &entries[0]
		c.Entries = append(c.Entries, Entry{
			Name: e.name, Replaces: e.replaces, Skips: e.skips,
			SkipRange: b.skipRange(blob, e), Bundle: b.find(bundles, e.name),
		})
	}
	code := setOrder(c)
	switch {
	case blob.fault != "":
		// An edge may be lost, so whatever order is left may be a wrong one.
		dropOrder(c, blob.fault)
	case code != "":
		f := blob.origin.fault(code, "the channel has no order, so Subscriptions and dependencies cannot use it: "+c.Fault)
		f.Package, f.Channel, f.Quarantines = c.Package, c.Name, true
		b.faults = append(b.faults, f)
	}
	return c
}

// differingEntries makes one virtual entry of several that share a name: with
// all that they skip, and with what they replace if they agree on it. Leaving
// them out would open the chain at their place and offer what they supersede.
func (b *builder) differingEntries(blob *channelBlob, entries []entryBlob) Entry {
	f := blob.origin.fault(CodeDuplicateEntry, "the channel has several entries of this name, and they differ; the bundle cannot be reached here: keep one")
	f.Package, f.Channel, f.Bundle, f.Quarantines = blob.pkg, blob.name, entries[0].name, true
	b.faults = append(b.faults, f)

	merged := Entry{Name: entries[0].name, Replaces: entries[0].replaces, Bundle: NoBundle}
	for _, e := range entries {
		if e.replaces != merged.Replaces {
			merged.Replaces = ""
		}
		merged.Skips = append(merged.Skips, e.skips...)
	}
	slices.Sort(merged.Skips)
	merged.Skips = slices.Compact(merged.Skips)
	return merged
}

func (b *builder) skipRange(blob *channelBlob, e *entryBlob) constraints.Range {
	if strings.TrimSpace(e.skipRange) == "" {
		return constraints.Range{}
	}
	r, err := b.parser.Range(e.skipRange)
	if err != nil {
		f := blob.origin.fault(CodeSkipRange, fmt.Sprintf("skipRange covers nothing, because it cannot be read: %v", err))
		f.Package, f.Channel, f.Bundle = blob.pkg, blob.name, e.name
		b.faults = append(b.faults, f)
	}
	return r
}
