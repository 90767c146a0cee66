// Package related finds the packages of catalogs that have a bearing on each other.
package repair

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

type groupKind struct{ group, kind string }

// Packages returns the packages that a change of pkg has a bearing on, or that have one on it:
// those that require it, and all that any of these requires or may mean.
func relatedPackages(catalogs []cache.Catalog, pkg string) map[string]bool {
	type need struct {
		pkg string
		api groupKind
		any bool // a label or rule, which any bundle may satisfy
	}
	needs := map[string]map[need]bool{}         // by package
	provided := map[groupKind]map[string]bool{} // of whatever version
	packages := map[string]bool{}
	for _, c := range catalogs {
		for id := range catalog.ID(c.Snapshot.Len()) {
			b := c.Snapshot.Bundle(id)
			packages[b.Package] = true
			for _, api := range b.Properties.GVKs() {
				k := groupKind{api.Group, api.Kind}
				if provided[k] == nil {
					provided[k] = map[string]bool{}
				}
				provided[k][b.Package] = true
			}
			for _, required := range b.Constraints {
				for _, part := range constraints.Parts(required.Expr) {
					var n need
					switch part := part.(type) {
					case constraints.Package:
						n.pkg = part.Name
					case constraints.GVK:
						n.api = groupKind{part.GVK.Group, part.GVK.Kind}
					case constraints.Label, constraints.CEL:
						n.any = true
					}
					if needs[b.Package] == nil {
						needs[b.Package] = map[need]bool{}
					}
					needs[b.Package][n] = true
				}
			}
		}
	}
	near := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if near[name] || !packages[name] && name != pkg {
			return
		}
		near[name] = true
		for n := range needs[name] {
			if n.any {
				for other := range packages {
					visit(other)
				}
			}
			if visit(n.pkg); n.pkg != "" && !packages[n.pkg] {
				for _, other := range finding.Closest(n.pkg, slices.Sorted(maps.Keys(packages))) {
					visit(other)
				}
			}
			for other := range provided[n.api] {
				visit(other)
			}
		}
	}
	visit(pkg)
	for name := range packages {
		for n := range needs[name] {
			if n.any || n.pkg == pkg || provided[n.api][pkg] {
				visit(name)
			}
		}
	}
	return near
}
