package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/result"
)

// elsewhere adds which catalogs that do not count could meet the expression.
func (p *problem) elsewhere(facts []*result.Explanation, e constraints.Expr) []*result.Explanation {
	for _, c := range p.unseen() {
		ids, _, err := c.Snapshot.Matches(p.ctx, e, p.facts)
		if err != nil || len(ids) == 0 || int(ids[0]) >= c.Snapshot.Candidates() {
			continue
		}
		b := c.Snapshot.Bundle(ids[0])
		p.note(c.Key, b.Package)
		node := fact(result.Reason{
			Kind: result.ReasonInvisible, Subject: c.Key.String(), Catalog: c.Key,
			Bundle: b.Name, Package: b.Package, Version: &b.Version, Detail: result.Elsewhere{Why: p.uncounted(c.Key)},
		})
		node.Bundles = []result.BundleRef{{Name: b.Name, Package: b.Package, Version: b.Version, Catalog: c.Key}}
		facts = append(facts, node)
	}
	return facts
}

// unseen lists the known catalogs of the same kind that do not count.
func (p *problem) unseen() []*cache.Catalog {
	var list []*cache.Catalog
	for c := range p.view.Catalogs() {
		if c.Snapshot != nil && (c.Key.Namespace == "") == (p.extension != nil) && !p.sees(c.Key) {
			list = append(list, c)
		}
	}
	return list
}

// sees reports whether a catalog counts.
func (p *problem) sees(k catalog.Key) bool {
	return slices.ContainsFunc(p.universe.catalogs, func(c visibleCatalog) bool { return c.key == k })
}

// uncounted is why a catalog does not count.
func (p *problem) uncounted(k catalog.Key) result.Uncounted {
	return result.Uncounted{
		Excluded:  slices.Contains(p.options.ExcludeCatalogs, k),
		Unhealthy: slices.ContainsFunc(p.visibility.unhealthy, func(u result.UnhealthyCatalog) bool { return u.Key == k }),
		Namespace: p.namespace,
	}
}
