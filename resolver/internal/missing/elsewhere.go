package missing

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
)

// elsewhere adds which catalogs that do not count could meet the expression.
func elsewhere(p *encode.Part, facts []*result.Explanation, e constraints.Expr) []*result.Explanation {
	for _, c := range Uncounted(p) {
		ids, _, err := c.Snapshot.Matches(p.Ctx, e, p.Facts)
		if err != nil || len(ids) == 0 || int(ids[0]) >= c.Snapshot.Candidates() {
			continue
		}
		b := c.Snapshot.Bundle(ids[0])
		note(p, c.Key, b.Package)
		text := fmt.Sprintf("catalog %s has it (%s), but %s", c.Key, b.Name, UncountedText(p, c.Key))
		node := result.Leaf(result.Reason{
			Kind: result.ReasonInvisible, Subject: c.Key.String(), Catalog: c.Key,
			Bundle: b.Name, Package: b.Package, Version: b.Version.String(), Message: text,
		}, text, false)
		node.Bundles = []result.BundleRef{{Name: b.Name, Package: b.Package, Version: b.Version.String(), Catalog: c.Key}}
		facts = append(facts, node)
	}
	return facts
}

// Uncounted lists the known catalogs of the same kind that do not count.
func Uncounted(p *encode.Part) []*cache.Catalog {
	var list []*cache.Catalog
	for c := range p.View.Catalogs() {
		if c.Snapshot != nil && (c.Key.Namespace == "") == (p.Extension != nil) && !sees(p, c.Key) {
			list = append(list, c)
		}
	}
	return list
}

// sees reports whether a catalog counts.
func sees(p *encode.Part, k cache.Key) bool {
	return slices.ContainsFunc(p.Universe.Catalogs, func(c candidate.Catalog) bool { return c.Key == k })
}

// UncountedText says why a catalog does not count.
func UncountedText(p *encode.Part, k cache.Key) string {
	switch {
	case slices.Contains(p.Options.ExcludeCatalogs, k):
		return "the caller excludes that catalog"
	case slices.ContainsFunc(p.Visibility.Unhealthy, func(u result.UnhealthyCatalog) bool { return u.Key == k }):
		return "that catalog is unhealthy"
	case p.Extension != nil:
		return "that catalog is not available"
	}
	return fmt.Sprintf("namespace %s does not see that catalog", p.Namespace)
}
