package check

import (
	"fmt"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
)

// holdsBack reports what the head of a channel keeps other packages from: only older bundles of
// another package satisfy one of its requirements, and no head of that package does. OLM does not
// update what a bundle of the same namespace requires as it is.
func (j *judged) holdsBack(g channelGraph) {
	top := g.top()
	if top < 0 || j.blocked[g.Entries[top].Bundle] {
		return
	}
	head := g.bundle(top)
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
				j.observe(&observation{Identity: id, severity: catalog.Note, bundles: []string{head.Name}, place: nowhere, text: text})
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
func (j *judged) newest(e constraints.Expr) (newest *catalog.Bundle) {
	for _, c := range j.given {
		var ids []catalog.ID
		switch e := e.(type) {
		case constraints.Package:
			ids = c.Snapshot.Packaged(e.Name)
		case constraints.GVK:
			ids = c.Snapshot.Providers(e.GVK)
		}
		for _, id := range ids {
			b := c.Snapshot.Bundle(id)
			if len(b.Places) == 0 || j.uninstallableIn(c.Key, id) || !j.satisfies(b, e) {
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
func (j *judged) satisfies(b *catalog.Bundle, e constraints.Expr) bool {
	verdict, _, err := constraints.Match(j.ctx, e, b.Properties, constraints.Facts{})
	return err == nil && verdict == constraints.Yes
}

// keptOut returns the head of a default channel, and that channel, if it is newer than a bundle
// and no head of the package satisfies a requirement. A head that cannot be installed is none.
func (j *judged) keptOut(newest *catalog.Bundle, e constraints.Expr) (kept *catalog.Bundle, channel string) {
	for _, c := range j.given {
		p := c.Snapshot.Package(newest.Package)
		if p == nil {
			continue
		}
		for _, of := range p.Channels {
			head := of.Head()
			if head == nil || !head.Candidate() || j.uninstallableIn(c.Key, head.Bundle) {
				continue
			}
			b := c.Snapshot.Bundle(head.Bundle)
			if j.satisfies(b, e) {
				return nil, ""
			}
			if of.Name == p.DefaultChannel && newest.Version.LT(b.Version) && (kept == nil || kept.Version.LT(b.Version)) {
				kept, channel = b, of.Name
			}
		}
	}
	return kept, channel
}

func (j *judged) uninstallableIn(key catalog.Key, id catalog.ID) bool {
	for _, other := range j.runner.judged {
		if other.Key == key {
			return other.blocked[id]
		}
	}
	return false
}
