package missing

import (
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
)

// elsewhere adds which catalogs that do not count could meet the expression.
func elsewhere(p *encode.Part, facts []*result.Explanation, e constraints.Expr) []*result.Explanation {
	for _, c := range UncountedCatalogs(p) {
		ids, _, err := c.Snapshot.Matches(p.Ctx, e, p.Facts)
		if err != nil || len(ids) == 0 || int(ids[0]) >= c.Snapshot.Candidates() {
			continue
		}
		b := c.Snapshot.Bundle(ids[0])
		note(p, c.Key, b.Package)
		node := encode.Fact(result.Reason{
			Kind: result.ReasonInvisible, Subject: c.Key.String(), Catalog: c.Key,
			Bundle: b.Name, Package: b.Package, Version: &b.Version, Detail: result.Elsewhere{Why: Uncounted(p, c.Key)},
		})
		node.Bundles = []result.BundleRef{{Name: b.Name, Package: b.Package, Version: b.Version, Catalog: c.Key}}
		facts = append(facts, node)
	}
	return facts
}

// UncountedCatalogs lists the known catalogs of the same kind that do not count.
func UncountedCatalogs(p *encode.Part) []*cache.Catalog {
	var list []*cache.Catalog
	for c := range p.View.Catalogs() {
		if c.Snapshot != nil && (c.Key.Namespace == "") == (p.ClusterWide()) && !sees(p, c.Key) {
			list = append(list, c)
		}
	}
	return list
}

// sees reports whether a catalog counts.
func sees(p *encode.Part, k catalog.Key) bool {
	return slices.ContainsFunc(p.Universe.Catalogs, func(c candidate.Catalog) bool { return c.Key == k })
}

// Uncounted is why a catalog does not count.
func Uncounted(p *encode.Part, k catalog.Key) result.Uncounted {
	return result.Uncounted{
		Excluded:  slices.Contains(p.Options.ExcludeCatalogs, k),
		Unhealthy: slices.ContainsFunc(p.Visibility.Unhealthy, func(u result.UnhealthyCatalog) bool { return u.Key == k }),
		Namespace: p.Namespace,
	}
}
