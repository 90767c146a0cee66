package resolver_test

import (
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/testdata/generate"
)

// generatedCatalogs holds each generated catalog once for all benchmarks.
var generatedCatalogs sync.Map

// generatedView is a catalog of the real shape, times as large, as olm/community.
func generatedView(t testing.TB, times int) *cache.View {
	t.Helper()
	load, _ := generatedCatalogs.LoadOrStore(times, sync.OnceValue(func() *cache.View {
		return viewOf(t, generate.Real(1).Times(times).FS())
	}))
	return load.(func() *cache.View)()
}

func viewOf(t testing.TB, files fs.FS) *cache.View {
	t.Helper()
	snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{})
	require.NoError(t, err)
	return cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "community"}, Snapshot: snapshot}})
}

// snapshotOf is the only catalog of a view.
func snapshotOf(view *cache.View) *catalog.Snapshot {
	return view.Catalog(catalog.Key{Namespace: "olm", Name: "community"}).Snapshot
}

func subscriptionTo(pkg string) cluster.Subscription {
	return cluster.Subscription{
		Namespace: "operators", Name: pkg,
		Package: pkg, Channel: "stable", Catalog: "community", CatalogNamespace: "olm",
	}
}

// wanting is a cluster that asks for the numbered packages and has nothing yet.
func wanting(packages ...int) *cluster.Index {
	var objects cluster.Objects
	for _, pkg := range packages {
		objects.Subscriptions = append(objects.Subscriptions, subscriptionTo(generate.PackageName(pkg)))
	}
	return cluster.NewIndex(objects)
}

// numbers are 0 to n-1.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// generatedCluster invents a cluster on a catalog: n packages are asked for, in
// an order that the seed decides, and the given share of them has something
// installed already, mostly not the newest bundle.
func generatedCluster(t testing.TB, s *catalog.Snapshot, seed uint64, n int, installed float64) *cluster.Index {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	var packages []*catalog.Package
	for p := range s.Packages() {
		packages = append(packages, p)
	}
	r.Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
	var objects cluster.Objects
	for _, p := range packages[:min(n, len(packages))] {
		subscription := subscriptionTo(p.Name)
		if r.Float64() < installed {
			bundle := s.Bundle(p.Bundles[r.IntN(len(p.Bundles))])
			subscription.InstalledCSV = bundle.Name
			objects.CSVs = append(objects.CSVs, random.CSV("operators", bundle))
		}
		objects.Subscriptions = append(objects.Subscriptions, subscription)
	}
	return cluster.NewIndex(objects)
}
