package fix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// alikeKey returns a text that is the same for sets of edits that fail together: they differ
// only in which of several catalogs with the same content they name, and no other Subscription
// names one of these. Ten catalogs are tried as one (BenchmarkCatalogs).
func (s *search) alikeKey(edits []request.Edit) string {
	if s.goal != nil || s.in.In.Options.SystemConstraint != nil || len(s.in.In.Options.Policies) > 0 {
		return setKey(edits) // these may tell catalogs apart
	}
	var known []catalog.Key
	keys := make([]string, len(edits))
	for i := range edits {
		e := &edits[i]
		c := s.unnamedSource(e)
		if c == nil {
			keys[i] = e.Key()
			continue
		}
		at := slices.Index(known, c.Key)
		if at < 0 {
			at, known = len(known), append(known, c.Key)
		}
		keys[i] = fmt.Sprintf("%s takes the %d. catalog with %p", e.Object, at, c.Snapshot)
	}
	return strings.Join(keys, "\n")
}

// unnamedSource returns the catalog that an edit makes the source of a Subscription, nil if it
// changes anything else, or if a Subscription of the problem names the catalog.
func (s *search) unnamedSource(e *request.Edit) *cache.Catalog {
	if e.Kind != request.EditSource || len(e.Steps) != 1 || e.Steps[0].Field != words.FieldSource {
		return nil
	}
	state := s.in.In.Cluster.In(e.Object.Namespace)
	given := inventory.Named(state.Subscriptions, e.Object.Name, func(sub *cluster.Subscription) string { return sub.Name })
	name, _ := e.Steps[0].To.(string)
	if given == nil {
		return nil
	}
	key := catalog.Key{Namespace: given.CatalogNamespace, Name: name}
	for _, scope := range s.in.In.Scopes {
		if slices.ContainsFunc(s.in.In.Cluster.In(scope.Namespace()).Subscriptions, func(sub cluster.Subscription) bool { return sub.Names(key) }) {
			return nil
		}
	}
	return s.in.In.View.Catalog(key)
}
