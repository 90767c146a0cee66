package world

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/policy"
)

// TestApply: a catalog follows the CatalogSource that declares it, and no other object of its
// name; options are those of the call; a namespace without Subscriptions is not resolved.
func TestApply(t *testing.T) {
	key := catalog.Key{Namespace: "n", Name: "a"}
	index := cluster.NewIndex(cluster.Objects{
		CatalogSources: []cluster.CatalogSource{{Key: key}},
		Subscriptions:  []cluster.Subscription{{Namespace: "n", Name: "a", Package: "p"}},
	})
	w := New(new(engine.Engine), model.Inputs{
		Cluster: index, View: cache.NewView([]cache.Catalog{{Key: key, Priority: 1}, {Key: catalog.Key{Namespace: "n", Name: "b"}}}),
		Options: &policy.Options{}, Scopes: index.Scopes(),
	})
	source := fixes.Object{Kind: code.ObjectCatalogSource, Namespace: "n", Name: "a"}
	subscription := fixes.Object{Kind: code.ObjectSubscription, Namespace: "n", Name: "a"}
	catalogs := func(w World) (list []string) {
		for c := range w.In.View.Catalogs() {
			list = append(list, c.Key.Name)
		}
		return list
	}
	for name, test := range map[string]struct {
		step     fixes.Step
		catalogs []string
		priority int
		scopes   int
	}{
		"a source is deleted":       {fixes.Step{Object: source}, []string{"b"}, 0, 1},
		"a priority is set":         {fixes.Step{Object: source, Field: code.FieldPriority, To: 7}, []string{"a", "b"}, 7, 1},
		"a Subscription is deleted": {fixes.Step{Object: subscription}, []string{"a", "b"}, 1, 0},
		"a channel is set":          {fixes.Step{Object: subscription, Field: code.FieldChannel, To: "x"}, []string{"a", "b"}, 1, 1},
		"a catalog is left out":     {fixes.Step{Object: fixes.Object{Kind: code.ObjectOptions, Namespace: "n", Name: "a"}, Field: code.FieldExcludedCatalogs, To: true}, []string{"a", "b"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := w.Apply([]fixes.Step{test.step})
			require.NoError(t, err)
			assert.Equal(t, test.catalogs, catalogs(after))
			if slices.Contains(test.catalogs, "a") {
				assert.Equal(t, test.priority, after.In.View.Catalog(key).Priority)
			}
			assert.Len(t, after.In.Scopes, test.scopes)
			assert.Equal(t, test.step.Object.Kind == code.ObjectOptions, slices.Contains(after.In.Options.ExcludeCatalogs, key))
			assert.Empty(t, w.In.Options.ExcludeCatalogs, "the world before")
			assert.Equal(t, []string{"a", "b"}, catalogs(w), "the world before")
		})
	}
}
