package finding

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints/versionrange"
)

const codeUnreadRange catalog.Code = "unreadSkipRange"

var unreadSkipRangeKind = Kind{
	Code: codeUnreadRange, Meaning: "only the ClusterServiceVersion states a skipRange, and OLM reads that of channel entries",
	find: (*Judge).unreadRanges, None: "only its author knows whether these updates are meant",
}

// unreadRanges reports entries without a skipRange whose ClusterServiceVersion states one that covers an
// older bundle of the package that they do not update: OLM reads the entries of file-based catalogs alone.
func (j *Judge) unreadRanges(g Updates) {
	for i := range g.Entries {
		e, b := &g.Entries[i], g.Bundle(i)
		if j.Ctx.Err() != nil {
			return // Run returns the error
		}
		if b == nil || !e.Candidate() {
			continue
		}
		text := skipRangeOf(b)
		stated, err := versionrange.Parse(text)
		if text == "" || err != nil || !coversMore(g, b, stated) {
			continue
		}
		j.noteCause(g, j.Checked.Place(g.Package, g.Name, ""), codeUnreadRange, e.Name, annotationSkipRange+" "+text, "",
			"the ClusterServiceVersion states %s, and its entry none, which is all that OLM reads of a catalog: add it to the entry if these updates are meant")
	}
}

// coversMore reports whether a range covers an older bundle of the package that no entry of b updates. It
// does not if an entry of b has a range.
func coversMore(g Updates, b *catalog.Bundle, r versionrange.Range) bool {
	var entries []*catalog.Entry
	for _, c := range g.pkg.Channels {
		if e := c.Entry(b.Name); e != nil {
			entries = append(entries, e)
		}
	}
	if slices.ContainsFunc(entries, func(e *catalog.Entry) bool { return !e.SkipRange.IsZero() }) {
		return false
	}
	return slices.ContainsFunc(g.pkg.Bundles, func(id catalog.ID) bool {
		old := g.Snapshot.Bundle(id)
		return old.Version.LT(b.Version) && r.Contains(old.Version) &&
			!slices.ContainsFunc(entries, func(e *catalog.Entry) bool { return e.Updates(old.Name, &old.Version) })
	})
}

// skipRangeOf returns the skipRange that the ClusterServiceVersion of a bundle states, empty if it states none.
func skipRangeOf(b *catalog.Bundle) string {
	for key, text := range b.Properties.Metadata().Annotations() {
		if key == annotationSkipRange {
			return text
		}
	}
	return ""
}

// annotationSkipRange is that of a ClusterServiceVersion.
const annotationSkipRange = "olm.skipRange"
