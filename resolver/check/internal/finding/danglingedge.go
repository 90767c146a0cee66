package finding

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

const codeDanglingEdge catalog.Code = "danglingEdge"

var danglingEdgeKind = Kind{
	Code: codeDanglingEdge, Meaning: "replaces or skips names an entry that no channel of the package lists", find: (*Judge).dangling,
	because: (*subject).dangling, shows: func(b *Before) bool { return b.unread() || b.edge() }, Problem: "dangling",
	Candidates: misspeltEdge,
}

// dangling reports edges from names that no channel of the package lists. An edge from an
// entry of another channel serves users who change channels.
func (j *Judge) dangling(g Updates) {
	place := j.Checked.Place(g.Package, g.Name, "")
	for i := range g.Entries {
		e := &g.Entries[i]
		if j.Ctx.Err() != nil {
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
			if !slices.ContainsFunc(g.pkg.Channels, func(c *catalog.Channel) bool { return c.Entry(name) != nil }) {
				j.noteCause(g, place, codeDanglingEdge, e.Name, EdgeCause(kind, name), "",
					"%s, which no channel of the package lists: such edges serve only users of older catalogs; remove them if there are none")
			}
		}
	}
}

// dangling says what is wrong with an edge. The cause of the identity is the edge.
func (s *subject) dangling() []Reason {
	kind, name := s.id.Edge()
	return []Reason{s.edge(s.id.Bundle, kind, name)}
}

// misspeltEdge corrects an edge to a name that is nearly that of a bundle. Where an edge to the
// bundle would be wrong, the edge goes.
func misspeltEdge(s *Wrong, now *edit.Draft, id Identity) (list []*edit.Draft) {
	kind, name := id.Edge()
	for _, other := range s.bundleNames() {
		if Alike(other, name) {
			s.Meant[name] = other
			if other != id.Bundle {
				list = append(list, now.Renamed(s.Pkg, id.Channel, id.Bundle, name, other))
			}
		}
	}
	gone := edit.SetReplaces.Of(id.Bundle, "")
	if kind == "skips" {
		gone = edit.RemoveSkip.Of(id.Bundle, name)
	}
	if s.Meant[name] != "" {
		list = append(list, now.Each(s.Pkg, id.Channel, []edit.EntryEdit{gone})...)
	}
	return list
}
