package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// gatedSource is a source whose loading, from the second time on, waits until
// the gate opens.
type gatedSource struct {
	loading, gate chan struct{}
	loads         int
}

func (s *gatedSource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	if s.loads++; s.loads > 1 {
		close(s.loading)
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	shape := generate.Real(uint64(s.loads))
	shape.Packages = 5
	return cache.LoadFS(ctx, shape.FS(), cache.Options{})
}

// TestReplacingACatalogBlocksNothing resolves while a catalog is being read
// again: on the old one until the new one is there, and the other catalog is not
// touched.
func TestReplacingACatalogBlocksNothing(t *testing.T) {
	changing := &gatedSource{loading: make(chan struct{}), gate: make(chan struct{})}
	steady := testkit.Static(snapshotOf(viewOf(t, generate.Versions(3))))
	changingKey, steadyKey := catalog.Key{Namespace: "olm", Name: "community"}, catalog.Key{Namespace: "olm", Name: "steady"}

	catalogs := cache.New(cache.CacheOptions{})
	catalogs.Set(changingKey, cache.CatalogConfig{Source: changing})
	catalogs.Set(steadyKey, cache.CatalogConfig{Source: steady})
	require.NoError(t, catalogs.Refresh(t.Context()))
	before := catalogs.View()

	refreshed := make(chan error)
	go func() { refreshed <- catalogs.Refresh(context.WithoutCancel(t.Context()), changingKey) }()
	<-changing.loading
	r := resolver.New()
	_, err := r.Resolve(t.Context(), resolver.Problem{Cluster: wanting(0), Catalogs: catalogs.View()}, cluster.InNamespace("operators"))
	require.NoError(t, err)
	assert.Same(t, before.Catalog(changingKey).Snapshot, catalogs.View().Catalog(changingKey).Snapshot)

	close(changing.gate)
	require.NoError(t, <-refreshed)
	after := catalogs.View()
	assert.NotSame(t, before.Catalog(changingKey).Snapshot, after.Catalog(changingKey).Snapshot)
	assert.Same(t, before.Catalog(steadyKey).Snapshot, after.Catalog(steadyKey).Snapshot)
	_, err = r.Resolve(t.Context(), resolver.Problem{Cluster: wanting(0), Catalogs: after}, cluster.InNamespace("operators"))
	require.NoError(t, err)
}

// TestWarmAllocations bounds what a call allocates once its Resolver knows the
// catalogs. The catalog's size must not matter.
func TestWarmAllocations(t *testing.T) {
	for name, test := range map[string]struct {
		view  *cache.View
		bound float64
	}{
		"3 versions":    {viewOf(t, generate.Versions(3)), 50},
		"3000 versions": {viewOf(t, generate.Versions(3000)), 50},
	} {
		t.Run(name, func(t *testing.T) {
			r, known := resolver.New(), wanting(0)
			allocations := testing.AllocsPerRun(100, func() {
				_, err := r.Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: test.view}, cluster.InNamespace("operators"))
				require.NoError(t, err)
			})
			assert.LessOrEqual(t, allocations, test.bound)
		})
	}
}
