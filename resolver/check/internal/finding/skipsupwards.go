package finding

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

const codeSkipsUpwards catalog.Code = "skipsUpwards"

var skipsUpwardsKind = Kind{
	Code: codeSkipsUpwards, Meaning: "an entry skips a newer one, which hides it", find: (*Judge).skippedUpwards,
	because: (*subject).skipsUpwards, shows: (*Before).edge, Problem: "upwards", OfEntries: true, Candidates: skipUpwards,
}

// skippedUpwards reports skips of entries closer to the head.
func (j *Judge) skippedUpwards(g Updates) {
	for i := range g.Entries {
		e := &g.Entries[i]
		for _, name := range e.Skips {
			if above := g.Entry(name); above != nil && above.Depth >= 0 && e.Depth > above.Depth {
				j.note(g, catalog.Warning, codeSkipsUpwards, e.Name, EdgeCause("skips", name),
					"skips %s, which stands closer to the head, and so hides a newer bundle: remove the skip", name)
			}
		}
	}
}

func (s *subject) skipsUpwards() []Reason {
	_, name := s.id.Edge()
	r := Reason{Code: SkipsBack, Channel: s.channel.Name, Entry: s.id.Bundle, Edge: "skips", Other: name}
	if own, v := s.version(s.id.Bundle), s.version(name); own != nil && v != nil {
		r.Versions = []string{own.String(), v.String()}
		if v.LT(*own) {
			r.Code = Backwards
		}
	}
	return []Reason{r}
}

// skipUpwards removes the skip. Other edits of the channel may make it harmless, but it stays
// a mistake.
func skipUpwards(s *Wrong, now *edit.Draft, id Identity) []*edit.Draft {
	_, name := id.Edge()
	return append(now.Each(s.Pkg, id.Channel, []edit.EntryEdit{edit.RemoveSkip.Of(id.Bundle, name)}), oneEntry(s, now, id)...)
}
