package listing

import (
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Asking returns the requests for the package of a bundle.
func Asking(view *cache.View, known *cluster.Index, bundle string) map[cluster.RequestKey]bool {
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
	requests := map[cluster.RequestKey]bool{}
	for _, s := range known.Objects().Subscriptions {
		if packages[s.Package] {
			requests[s.Key()] = true
		}
	}
	for _, e := range known.Extensions() {
		if packages[e.Package] {
			requests[e.Key()] = true
		}
	}
	return requests
}
