package finding

import (
	"slices"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/cache/catalog"
)

const codeDowngrade catalog.Code = "skipRangeDowngrade"

var skipRangeDowngradeKind = Kind{
	Code: codeDowngrade, Meaning: "a skipRange covers newer entries: an older bundle would update them", find: (*Judge).downgrades,
	because: (*subject).downgrade,
	shows: func(b *Before) bool {
		return b.unordered() && b.entry != nil && b.Cause == "skipRange "+b.entry.SkipRange.Text()
	},
	Problem: "downgrade", OfEntries: true, Candidates: oneEntry,
}

// downgrades reports skipRanges that cover entries closer to the head.
func (j *Judge) downgrades(g Updates) {
	for at := range g.Chain() {
		e := at.At()
		if j.Ctx.Err() != nil {
			return // Run returns the error
		}
		covers := func(i int32) bool {
			b := g.Bundle(int(i))
			return b != nil && e.SkipRange.Contains(b.Version)
		}
		if e.Candidate() && !e.SkipRange.IsZero() && slices.ContainsFunc(g.Order[:e.Depth], covers) {
			j.note(g, catalog.Warning, codeDowngrade, e.Name, "skipRange "+e.SkipRange.Text(),
				"skipRange %s covers entries closer to the head, so OLM could offer an older bundle as an update of a newer one; end the range below the bundle's own version",
				e.SkipRange.Text())
		}
	}
}

// beyond is a version that only a range without upper end covers.
var beyond = semver.Version{Major: 1 << 40}

func (s *subject) downgrade() []Reason {
	e, stated := s.entryOf(), s.version(s.id.Bundle)
	if e == nil || stated == nil || e.Depth < 0 {
		return nil
	}
	for _, i := range s.channel.Order[:e.Depth] {
		above := &s.channel.Entries[i]
		v := s.version(above.Name)
		if v == nil || !e.SkipRange.Contains(*v) {
			continue
		}
		r := Reason{Code: LateRange, Channel: s.channel.Name, Entry: e.Name, Other: above.Name, Edge: "skipRange", Range: e.SkipRange.Text(), Versions: []string{stated.String(), v.String()}}
		switch {
		case v.LT(*stated):
			r.Code = Backwards
		case e.SkipRange.Contains(beyond):
			r.Code = OpenRange
		}
		return []Reason{r}
	}
	return nil
}
