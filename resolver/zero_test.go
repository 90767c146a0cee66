package resolver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// A Snapshot that nobody made is a catalog without anything.
func TestZeroSnapshot(t *testing.T) {
	objects := cluster.Objects{
		Subscriptions:     []cluster.Subscription{{Namespace: "operators", Name: "a", Package: "a", Channel: "stable"}},
		ClusterExtensions: []cluster.ClusterExtension{{Name: "a", Package: "a", Namespace: "a"}},
	}
	view := cache.NewView([]cache.Catalog{
		{Key: cache.Key{Namespace: "operators", Name: "empty"}, Snapshot: &catalog.Snapshot{}},
		{Key: cache.Key{Name: "empty"}, Snapshot: &catalog.Snapshot{}},
	})
	problem := resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view}
	for _, scope := range problem.Cluster.Scopes() {
		_, err := resolver.New().Resolve(t.Context(), problem, scope)
		assert.Equal(t, "notSatisfiable", string(result.Of(err)), "%v", err)
	}
	rows, err := resolver.New().Status(t.Context(), problem, problem.Cluster.Scopes(), nil)
	require.NoError(t, err)
	assert.Len(t, rows, 2)
}
