package finding

import (
	"fmt"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
)

const codeHoldsBack catalog.Code = "holdsBack"

var holdsBackKind = Kind{
	Code: codeHoldsBack, Meaning: "the head of a channel requires an older version of another package than any of its heads",
	find: (*Judge).holdsBack, ofOthers: true, None: "only its author knows whether the newer version works",
}

// holdsBack reports what the head of a channel keeps other packages from: only older bundles of
// another package satisfy one of its requirements, and no head of that package does. OLM does not
// update what a bundle of the same namespace requires as it is.
func (j *Judge) holdsBack(g Updates) {
	top := g.top()
	if top < 0 || j.Blocked[g.Entries[top].Bundle] {
		return
	}
	head := g.Bundle(top)
	for _, c := range head.Constraints {
		for _, e := range parts(c.Expr) {
			newest := j.newest(e)
			if newest == nil || newest.Package == g.Package {
				continue
			}
			if kept, channel := j.keptOut(newest, e); kept != nil {
				id := Identity{Code: codeHoldsBack, Package: g.Package, Channel: g.Name, Bundle: head.Name, Cause: "requires " + exactly(e)}
				text := fmt.Sprintf("requires %s, which %s satisfies and %s, the head of its channel %s, does not: in a namespace with both operators, OLM does not update %s to its head; require the newer version, too, if it works",
					e, newest.Name, kept.Name, channel, newest.Package)
				j.Observe(&Observation{Identity: id, Severity: catalog.Note, Bundles: []string{head.Name}, Place: NoPlace, Text: text})
			}
		}
	}
}

// parts returns the simple requirements that an expression has in any case.
func parts(e constraints.Expr) (list []constraints.Expr) {
	all, compound := e.(constraints.All)
	if !compound {
		return []constraints.Expr{e}
	}
	for _, part := range all.Exprs {
		list = append(list, parts(part)...)
	}
	return list
}

// newest returns the newest bundle that satisfies a requirement of a package or an API, nil if
// there is none or if bundles of several packages do.
func (j *Judge) newest(e constraints.Expr) (newest *catalog.Bundle) {
	for _, c := range j.Given {
		var ids []catalog.ID
		switch e := e.(type) {
		case constraints.Package:
			ids = c.Snapshot.Packaged(e.Name)
		case constraints.GVK:
			ids = c.Snapshot.Providers(e.GVK)
		}
		for _, id := range ids {
			b := c.Snapshot.Bundle(id)
			if len(b.Places) == 0 || j.Others[c.Key][id] || !j.satisfies(b, e) {
				continue
			}
			if newest != nil && newest.Package != b.Package {
				return nil
			}
			if newest == nil || newest.Version.LT(b.Version) {
				newest = b
			}
		}
	}
	return newest
}

// satisfies reports whether a bundle satisfies a requirement of a package or an API.
func (j *Judge) satisfies(b *catalog.Bundle, e constraints.Expr) bool {
	verdict, _, err := constraints.Match(j.Ctx, e, b.Properties, rules.Facts{})
	return err == nil && verdict == rules.Yes
}

// keptOut returns the head of a default channel, and that channel, if it is newer than a bundle
// and no head of the package satisfies a requirement. A head that cannot be installed is none.
func (j *Judge) keptOut(newest *catalog.Bundle, e constraints.Expr) (kept *catalog.Bundle, channel string) {
	for _, c := range j.Given {
		p := c.Snapshot.Package(newest.Package)
		if p == nil {
			continue
		}
		for _, among := range p.Channels {
			head := among.Head()
			if head == nil || !head.Candidate() || j.Others[c.Key][head.Bundle] {
				continue
			}
			b := c.Snapshot.Bundle(head.Bundle)
			if j.satisfies(b, e) {
				return nil, ""
			}
			if among.Name == p.DefaultChannel && newest.Version.LT(b.Version) && (kept == nil || kept.Version.LT(b.Version)) {
				kept, channel = b, among.Name
			}
		}
	}
	return kept, channel
}
