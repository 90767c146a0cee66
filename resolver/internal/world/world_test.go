package world

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestApply: a catalog follows the CatalogSource that declares it, and no other object of its
// name; options are those of the call; a namespace without Subscriptions is not resolved.
func TestApply(t *testing.T) {
	key := catalog.Key{Namespace: "n", Name: "a"}
	index := cluster.NewIndex(cluster.Objects{
		CatalogSources: []cluster.CatalogSource{{Key: key}},
		Subscriptions:  []cluster.Subscription{{Namespace: "n", Name: "a", Package: "p"}},
	})
	w := New(new(Engine), model.Inputs{
		Cluster: index, View: cache.NewView([]cache.Catalog{{Key: key, Priority: 1}, {Key: catalog.Key{Namespace: "n", Name: "b"}}}),
		Options: &policy.Options{}, Scopes: index.Scopes(),
	})
	source := result.Object{Kind: words.ObjectCatalogSource, Namespace: "n", Name: "a"}
	subscription := result.Object{Kind: words.ObjectSubscription, Namespace: "n", Name: "a"}
	catalogs := func(w World) (list []string) {
		for c := range w.In.View.Catalogs() {
			list = append(list, c.Key.Name)
		}
		return list
	}
	for name, test := range map[string]struct {
		step     result.Step
		catalogs []string
		priority int
		scopes   int
	}{
		"a source is deleted":       {result.Step{Object: source}, []string{"b"}, 0, 1},
		"a priority is set":         {result.Step{Object: source, Field: words.FieldPriority, To: 7}, []string{"a", "b"}, 7, 1},
		"a Subscription is deleted": {result.Step{Object: subscription}, []string{"a", "b"}, 1, 0},
		"a channel is set":          {result.Step{Object: subscription, Field: words.FieldChannel, To: "x"}, []string{"a", "b"}, 1, 1},
		"a catalog is left out":     {result.Step{Object: result.Object{Kind: words.ObjectOptions, Namespace: "n", Name: "a"}, Field: words.FieldExcludedCatalogs, To: true}, []string{"a", "b"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := w.Apply([]result.Step{test.step})
			require.NoError(t, err)
			assert.Equal(t, test.catalogs, catalogs(after))
			if slices.Contains(test.catalogs, "a") {
				assert.Equal(t, test.priority, after.In.View.Catalog(key).Priority)
			}
			assert.Len(t, after.In.Scopes, test.scopes)
			assert.Equal(t, test.step.Object.Kind == words.ObjectOptions, slices.Contains(after.In.Options.ExcludeCatalogs, key))
			assert.Empty(t, w.In.Options.ExcludeCatalogs, "the world before")
			assert.Equal(t, []string{"a", "b"}, catalogs(w), "the world before")
		})
	}
}

// TestApplyOptions: a step on an option changes that option for its object alone, and the
// caller's options stay as they are.
func TestApplyOptions(t *testing.T) {
	a, b := catalog.Key{Namespace: "n", Name: "a"}, catalog.Key{Namespace: "n", Name: "b"}
	pins := []policy.Pin{{Package: "a"}, {Package: "b"}, {Package: "a", Namespace: "n"}, {Package: "a", Namespace: "m"}}
	given := policy.Options{
		ExcludeCatalogs: []catalog.Key{a, b}, Pins: slices.Clone(pins), Exceptions: []policy.Exception{{Namespace: "n", Bundle: "b"}},
		SystemConstraint: func(_ context.Context, c policy.Candidate) (bool, string) { return false, c.Bundle.Name },
	}
	apply := func(field string, to any) *policy.Options {
		w := New(new(Engine), model.Inputs{Cluster: cluster.NewIndex(cluster.Objects{}), View: cache.NewView(nil), Options: &given})
		after, err := w.Apply([]result.Step{{Object: result.Object{Kind: words.ObjectOptions, Namespace: "n", Name: "a"}, Field: field, To: to}})
		require.NoError(t, err)
		return after.In.Options
	}
	assert.Equal(t, []catalog.Key{b}, apply(words.FieldExcludedCatalogs, nil).ExcludeCatalogs)
	assert.Equal(t, []catalog.Key{b, a}, apply(words.FieldExcludedCatalogs, true).ExcludeCatalogs)
	assert.True(t, apply(words.FieldLenientHealth, true).LenientHealth)
	assert.Equal(t, []policy.Pin{pins[1], pins[3]}, apply(words.FieldPins, nil).Pins)
	assert.Equal(t, append(given.Exceptions[:1:1], policy.Exception{Namespace: "n", Bundle: "a"}), apply(words.FieldException, true).Exceptions)
	admits := apply(words.FieldSystemConstraint, nil).SystemConstraint
	for key, want := range map[catalog.Key]bool{a: true, b: false, {Namespace: "m", Name: "a"}: false} {
		admitted, _ := admits(t.Context(), policy.Candidate{Namespace: key.Namespace, Bundle: catalog.BundleKey{Name: key.Name}})
		assert.Equal(t, want, admitted, key)
	}
	assert.Equal(t, pins, given.Pins)
	assert.Equal(t, []catalog.Key{a, b}, given.ExcludeCatalogs)
	assert.False(t, given.LenientHealth)
}

// TestNamespaces: of two namespaces, a step changes the one of its object, and without its last
// Subscription a namespace is not resolved.
func TestNamespaces(t *testing.T) {
	index := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{
		{Namespace: "m", Name: "a", Package: "a"}, {Namespace: "n", Name: "a", Package: "a"}, {Namespace: "n", Name: "b", Package: "b"},
	}})
	w := New(new(Engine), model.Inputs{Cluster: index, View: cache.NewView(nil), Options: &policy.Options{}, Scopes: index.Scopes()})
	require.Len(t, w.In.Scopes, 2)
	subscriptions := func(w World) (list []string) {
		for _, s := range w.In.Cluster.Objects().Subscriptions {
			list = append(list, s.Namespace+"/"+s.Name+" "+s.Channel)
		}
		slices.Sort(list)
		return list
	}
	set := result.Step{Object: result.Object{Kind: words.ObjectSubscription, Namespace: "n", Name: "a"}, Field: words.FieldChannel, To: "c"}
	after, err := w.Apply([]result.Step{set})
	require.NoError(t, err)
	assert.Equal(t, []string{"m/a ", "n/a c", "n/b "}, subscriptions(after))
	assert.Equal(t, index.Scopes(), after.In.Scopes)
	without := w.Without(func(s cluster.Subscription) bool { return s.Name == "a" })
	assert.Equal(t, []string{"n/b "}, subscriptions(without))
	assert.Equal(t, []cluster.Scope{cluster.InNamespace("n")}, without.In.Scopes)
	assert.Equal(t, []string{"m/a ", "n/a ", "n/b "}, subscriptions(w), "the world before")
}
