package catalogcheck

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// publishedChannel is a channel that bundle directories are to be added to.
type publishedChannel struct {
	catalog catalog.Key
	channel *catalog.Channel
}

// publishedChannels returns the channels of that name that bundle directories are
// to be added to.
func (j *judged) publishedChannels(channel *catalog.Channel) []publishedChannel {
	var list []publishedChannel
	for _, c := range j.published {
		if p := c.Snapshot.Package(channel.Package); p != nil && p.Channel(channel.Name) != nil {
			list = append(list, publishedChannel{c.Key, p.Channel(channel.Name)})
		}
	}
	return list
}

// joins reports bundle directories that would leave a published channel without
// a single head.
func (j *judged) joins(channel *catalog.Channel, published []publishedChannel) {
	for _, p := range published {
		heads := joinedHeads(p.channel, channel)
		if p.channel.Fault != "" || len(heads) == 1 {
			continue // it has no order as it is, or keeps it
		}
		problem := "no head, because its entries replace each other in a circle"
		if len(heads) > 1 {
			problem = "several heads: " + strings.Join(heads, ", ")
		}
		j.add(catalog.Error, catalog.CodeSeveralHeads, channel.Package, channel.Name, nil,
			"added to catalog %s, the channel would have %s; have the new bundle replace or skip %s", p.catalog, problem, p.channel.Head().Name)
	}
}

// joinedHeads returns the entries that no other replaces or skips when the
// entries of both channels are put together; of one name, those added count.
func joinedHeads(published, added *catalog.Channel) []string {
	entries := slices.Clone(added.Entries)
	for _, e := range published.Entries {
		if added.Entry(e.Name) == nil {
			entries = append(entries, e)
		}
	}
	superseded := map[string]bool{}
	for _, e := range entries {
		for _, below := range append(slices.Clip(e.Skips), e.Replaces) {
			if below != e.Name {
				superseded[below] = true
			}
		}
	}
	var heads []string
	for _, e := range entries {
		if !superseded[e.Name] {
			heads = append(heads, e.Name)
		}
	}
	slices.Sort(heads)
	return heads
}
