package resolver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// BenchmarkReal resolves real requests on a real catalog, warm: as a controller
// does on every reconcile.
func BenchmarkReal(b *testing.B) {
	for _, name := range []string{"one-simple", "one-deps", "upgrade-ten", "ten-mixed", "fifty", "unsat-missing", "unsat-package"} {
		b.Run(name, func(b *testing.B) {
			benchmarkResolve(b, realCluster(b, name), realView(b))
		})
	}
	b.Run("all-that-fit", func(b *testing.B) {
		benchmarkResolve(b, everythingThatFits(b), realView(b))
	})
}

// BenchmarkRealThree does the same with three catalogs at three priorities,
// where each package is in most of them. One-simple takes 8 percent more
// instructions than with one catalog, most of them to list the visible catalogs.
func BenchmarkRealThree(b *testing.B) {
	for _, name := range []string{"one-simple", "one-deps", "upgrade-ten", "ten-mixed", "fifty", "unsat-package"} {
		b.Run(name, func(b *testing.B) {
			benchmarkResolve(b, realCluster(b, name), realThree(b))
		})
	}
	b.Run("all-that-fit", func(b *testing.B) {
		benchmarkResolve(b, everythingThatFits(b), realThree(b))
	})
}

// BenchmarkConcurrent resolves on all processors at a time, with one Resolver.
func BenchmarkConcurrent(b *testing.B) {
	known, view := realCluster(b, "fifty"), realView(b)
	r := resolver.New()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := r.Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators")); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkFirst is the first call of a Resolver, which derives what later ones
// find done.
func BenchmarkFirst(b *testing.B) {
	known, view := realCluster(b, "fifty"), realView(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators"))
		require.NoError(b, err)
	}
}

// benchmarkResolve resolves with one Resolver, which has seen the catalogs
// before. Failures are answers, too; tests check what they say.
func benchmarkResolve(b *testing.B, known *cluster.Index, view *cache.View) {
	b.Helper()
	benchmarkWithin(b, func() (context.Context, context.CancelFunc) { return context.Background(), func() {} }, known, view)
}

// benchmarkWithin does so with a context of its own for each call.
func benchmarkWithin(b *testing.B, begin func() (context.Context, context.CancelFunc), known *cluster.Index, view *cache.View) {
	b.Helper()
	r := resolver.New()
	resolve := func() error {
		ctx, stop := begin()
		defer stop()
		_, err := r.Resolve(ctx, resolver.Problem{Cluster: known, Catalogs: view}, cluster.InNamespace("operators"))
		if _, ok := errors.AsType[*result.NotSatisfiable](err); ok {
			return nil
		}
		return err
	}
	require.NoError(b, resolve())
	b.ReportAllocs()
	for b.Loop() {
		if err := resolve(); err != nil {
			b.Fatal(err)
		}
	}
}

// realThree is the view of three real catalogs, the newest preferred.
func realThree(t testing.TB) *cache.View {
	t.Helper()
	var catalogs []cache.Catalog
	for i, name := range []string{"community", "community-v4.19", "community-v4.14"} {
		catalogs = append(catalogs, cache.Catalog{
			Key:      catalog.Key{Namespace: "olm", Name: name},
			Priority: -i,
			Snapshot: realCatalog(t, name),
		})
	}
	return cache.NewView(catalogs)
}

// everythingThatFits asks for every package of a real catalog, in its default
// channel, but for the few that no selection has room for.
func everythingThatFits(t testing.TB) *cluster.Index {
	t.Helper()
	var all []cluster.Subscription
	for pkg := range realCatalog(t, "community").Packages() {
		all = append(all, cluster.Subscription{
			Namespace: "operators", Name: pkg.Name,
			Package: pkg.Name, Channel: pkg.DefaultChannel, Catalog: "community", CatalogNamespace: "olm",
		})
	}
	partial := resolver.Problem{Cluster: cluster.NewIndex(cluster.Objects{Subscriptions: all}), Catalogs: realView(t), Options: policy.Options{Partial: true}}
	resolution, err := resolver.New().Resolve(context.Background(), partial, cluster.InNamespace("operators"))
	require.NoError(t, err)
	out := map[string]bool{}
	for _, l := range resolution.LeftOut {
		out[l.Request.Name] = true
	}
	var fit []cluster.Subscription
	for _, s := range all {
		if !out[s.Name] {
			fit = append(fit, s)
		}
	}
	return cluster.NewIndex(cluster.Objects{Subscriptions: fit})
}
