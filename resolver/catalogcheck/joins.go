package catalogcheck

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// joins reports bundle directories that would leave a published channel without
// a single head.
func (j *judged) joins(channel *catalog.Channel) {
	for _, c := range j.published {
		p := c.Snapshot.Package(channel.Package)
		if p == nil || p.Channel(channel.Name) == nil {
			continue
		}
		published := p.Channel(channel.Name)
		heads := joinedHeads(published, channel)
		if published.Fault != "" || len(heads) == 1 {
			continue // it has no order as it is, or keeps it
		}
		problem := "no head, because its entries replace each other in a circle"
		if len(heads) > 1 {
			problem = "several heads: " + strings.Join(heads, ", ")
		}
		j.add(catalog.Error, identity{Code: catalog.CodeSeveralHeads, Package: channel.Package, Channel: channel.Name}, nil,
			"added to catalog %s, it would have %s; have the new bundle replace or skip %s", c.Key, problem, published.Head().Name)
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
