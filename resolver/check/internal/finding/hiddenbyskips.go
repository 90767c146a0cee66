package finding

import "github.com/resolvent/resolvent/cache/catalog"

const codeHidden catalog.Code = "hiddenBySkips"

var hiddenBySkipsKind = Kind{
	Code: codeHidden, Meaning: "skipped entries, which only startingCSV reaches", find: (*Judge).skipped,
	because: func(s *subject) []Reason { return s.skippedBy(s.id.Bundle) },
	shows: func(b *Before) bool { // a bundle without an entry may be skipped already
		return b.unread() || b.Snapshot.Find(b.Package, b.Bundle) == nil || b.unordered() && b.Repaired == "field" ||
			b.skipped() && (b.unordered() || b.Repaired == "noChannel")
	},
	None: "entries are skipped on purpose",
}

// skipped reports entries that skips hide.
func (j *Judge) skipped(g Updates) {
	for i := range g.Entries {
		if e := &g.Entries[i]; e.Skipped && e.Bundle != catalog.NoBundle {
			j.note(g, catalog.Note, codeHidden, e.Name, "", "skipped by other entries, so that only startingCSV leads there")
		}
	}
}
