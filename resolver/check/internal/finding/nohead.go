package finding

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

var noHeadKinds = []Kind{
	{
		Code: "noHead", Meaning: "a channel has no head, so it has no order", cause: byPlace, because: (*subject).circles,
		stops: stopsChannel, Problem: "order", OfEntries: true, Candidates: emptyChannel,
	},
	{
		Code: "cycle", Meaning: "entries of a channel replace each other in a circle, so it has no order", cause: byPlace,
		because: (*subject).circles, stops: stopsChannel, Problem: "order", OfEntries: true, Candidates: oneEntry,
	},
}

// circles returns the circles of replaces in a channel.
func (s *subject) circles() (list []Reason) {
	if len(s.channel.Entries) == 0 {
		return []Reason{{Code: NoEntries, Channel: s.channel.Name}}
	}
	passed := map[string]int{}
	for start := range s.channel.Entries {
		var way []string
		e := &s.channel.Entries[start]
		for ; e != nil && passed[e.Name] == 0; e = s.channel.Entry(e.Replaces) {
			passed[e.Name] = start + 1
			way = append(way, e.Name)
		}
		if e == nil || passed[e.Name] != start+1 {
			continue
		}
		switch ring := way[slices.Index(way, e.Name):]; len(ring) {
		case 1:
			list = append(list, Reason{Code: Itself, Channel: s.channel.Name, Entry: e.Name})
		default:
			list = append(list, Reason{Code: Circle, Channel: s.channel.Name, Entry: e.Name, Names: ring})
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range s.channel.Entries { // the circle leads through skips
		e := &s.channel.Entries[i]
		for _, name := range e.Skips {
			own, v := s.version(e.Name), s.version(name)
			if name != e.Name && own != nil && v != nil && own.LT(*v) {
				list = append(list, Reason{Code: SkipsBack, Channel: s.channel.Name, Entry: e.Name, Edge: "skips", Other: name, Versions: []string{own.String(), v.String()}})
			}
		}
	}
	return list
}

// emptyChannel removes a channel without entries: nobody is offered anything there.
func emptyChannel(s *Wrong, now *edit.Draft, id Identity) []*edit.Draft {
	list := oneEntry(s, now, id)
	for _, b := range now.Named(s.Pkg, edit.SchemaChannel, id.Channel) {
		if len(edit.Elements(b.Node, "entries")) == 0 {
			list = append(list, now.With(edit.Remove(b.Doc, b.At)))
		}
	}
	return list
}
