package resolver

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
)

// elsewhere adds which catalogs that do not count could meet the expression.
func (p *problem) elsewhere(facts []*Explanation, e constraints.Expr) []*Explanation {
	for _, c := range p.unseen() {
		ids, _, err := c.Snapshot.Matches(p.ctx, e, p.facts)
		if err != nil || len(ids) == 0 || int(ids[0]) >= c.Snapshot.Candidates() {
			continue
		}
		b := c.Snapshot.Bundle(ids[0])
		p.note(c.Key, b.Package)
		text := fmt.Sprintf("catalog %s has it (%s), but %s", c.Key, b.Name, p.unseenText(c.Key))
		node := leaf(Reason{
			Kind: ReasonInvisible, Subject: c.Key.String(), Catalog: c.Key,
			Bundle: b.Name, Package: b.Package, Version: b.Version.String(), Message: text,
		}, text, false)
		node.Bundles = []BundleRef{{Name: b.Name, Package: b.Package, Version: b.Version.String(), Catalog: c.Key}}
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

// unseenText says why a catalog does not count.
func (p *problem) unseenText(k catalog.Key) string {
	switch {
	case slices.Contains(p.options.ExcludeCatalogs, k):
		return "the caller excludes that catalog"
	case slices.ContainsFunc(p.visibility.unhealthy, func(u UnhealthyCatalog) bool { return u.Key == k }):
		return "that catalog is unhealthy"
	case p.extension != nil:
		return "that catalog is not available"
	}
	return fmt.Sprintf("namespace %s does not see that catalog", p.namespace)
}
