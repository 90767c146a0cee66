package finding

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

const codeLeftBehind catalog.Code = "leftBehind"

var leftBehindKind = Kind{
	Code: codeLeftBehind, Meaning: "users of this channel, which is not the default, cannot change to another one",
	find: (*Judge).leftBehind,
	shows: func(b *Before) bool { // a skipRange may be all that led on from there, and back
		return b.unread() || b.unordered() || b.Repaired == codeDowngrade
	},
	None: "a channel may end: nothing is wrong with its updates",
}

// leftBehind reports a head that no other channel lists or updates. Nobody
// needs to leave the default channel.
func (j *Judge) leftBehind(g Updates) {
	top := g.top()
	if top < 0 || g.Name == g.pkg.DefaultChannel {
		return
	}
	head := g.Entries[top].Name
	if slices.Contains(LeftBehind(g.graphs, g.Snapshot, g.Channel), head) {
		j.Add(catalog.Note, Identity{Code: codeLeftBehind, Package: g.Package, Channel: g.Name}, []string{head},
			"no other channel lists or updates the head of this one, so whoever has it cannot change the channel")
	}
}

// LeftBehind returns the bundles of a channel that no other channel of a package lists or
// updates, by name. s is the snapshot of the channel; it may be another state of the catalog.
func LeftBehind(graphs []Updates, s *catalog.Snapshot, channel *catalog.Channel) []string {
	var left []string
	for i := range channel.Entries {
		e := &channel.Entries[i]
		b := s.Bundle(e.Bundle)
		if b != nil && !slices.ContainsFunc(graphs, func(c Updates) bool {
			return c.Channel != channel && c.Fault == "" && (c.Entry(e.Name) != nil || c.LeadsOn(e.Name, b))
		}) {
			left = append(left, e.Name)
		}
	}
	return left
}
