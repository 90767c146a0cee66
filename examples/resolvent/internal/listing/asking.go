package listing

import (
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Asking returns the scopes that have a request for the package of a bundle.
func Asking(view *cache.View, known *cluster.Index, bundle string) map[cluster.Scope]bool {
	pkg, _, _ := strings.Cut(bundle, "@")
	packages := map[string]bool{pkg: true}
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for _, id := range c.Snapshot.Named(bundle) {
			packages[c.Snapshot.Bundle(id).Package] = true
		}
	}
	scopes := map[cluster.Scope]bool{}
	for _, s := range known.Objects().Subscriptions {
		if packages[s.Package] {
			scopes[s.Key().Scope()] = true
		}
	}
	for _, e := range known.Extensions() {
		if packages[e.Package] {
			scopes[e.Key().Scope()] = true
		}
	}
	return scopes
}
