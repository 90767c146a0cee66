package explain

import (
	"iter"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/result"
)

// elsewhere states which catalogs that do not count have what satisfies the expression.
func elsewhere(p *model.Part, e constraints.Expr) []*result.Explanation {
	var facts []*result.Explanation
	for c, b := range UncountedMatches(p, e) {
		node := fact(p, Uncounted(p, reason.About{Subject: c.Key.String(), Bundle: b.Name, Package: b.Package, Version: &b.Version, Catalog: c.Key}))
		node.Bundles = []result.BundleRef{{Bundle: b.Key(c.Key), Version: b.Version}}
		facts = append(facts, node)
	}
	return facts
}

// UncountedCatalogs lists the known catalogs of the same kind that do not count.
func UncountedCatalogs(p *model.Part) []*cache.Catalog {
	var list []*cache.Catalog
	for c := range p.In.View.Catalogs() {
		counts := slices.ContainsFunc(p.Catalogs, func(seen model.Catalog) bool { return seen.Key == c.Key })
		if c.Snapshot != nil && p.Kind.Serves(c.Key) && !counts {
			list = append(list, c)
		}
	}
	return list
}

// UncountedMatches yields the catalogs that do not count and have a candidate that
// satisfies the expression, with the best one.
func UncountedMatches(p *model.Part, e constraints.Expr) iter.Seq2[*cache.Catalog, *catalog.Bundle] {
	return func(yield func(*cache.Catalog, *catalog.Bundle) bool) {
		for _, c := range UncountedCatalogs(p) {
			ids, err := c.Snapshot.Matches(p.Pace.Ctx, e, p.Facts)
			if err == nil && len(ids) > 0 && int(ids[0]) < c.Snapshot.Candidates() && !yield(c, c.Snapshot.Bundle(ids[0])) {
				return
			}
		}
	}
}

// Uncounted states that a catalog has what the reason is about, and why it does not count.
func Uncounted(p *model.Part, about reason.About) result.Reason {
	has := func(k catalog.Key) bool { return k == about.Catalog }
	switch {
	case slices.ContainsFunc(p.In.Options.ExcludeCatalogs, has):
		return reason.ExcludedCatalog(about)
	case slices.ContainsFunc(p.Visibility.Unhealthy, func(u result.UnhealthyCatalog) bool { return has(u.Key) }):
		return reason.UnhealthyCatalog(about)
	}
	return reason.InvisibleCatalog(about, result.Owner{Namespace: p.Namespace, Name: leftOutBy(p, has)})
}

// leftOutBy returns the name of the OperatorGroup that hides one of the catalogs from the
// namespace, "" if there is none.
func leftOutBy(p *model.Part, named func(catalog.Key) bool) string {
	for c := range p.In.View.Catalogs() {
		if named(c.Key) && slices.Contains(p.In.Options.Globals(), c.Key.Namespace) && c.Key.Namespace != p.Namespace {
			return inventory.GlobalsLeftOutBy(p.State)
		}
	}
	return ""
}
