package resolver_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// longProblem is a cluster and catalogs on which calls take a while. Namespaces
// n and m and the ClusterExtensions a and b ask for the same.
type longProblem struct {
	known *cluster.Index
	view  func() *cache.View
	// bundle is one that is asked about.
	bundle string
}

// longProblems have an answer that is large, or none.
func longProblems(t *testing.T) map[string]longProblem {
	size := testkit.Scale(12<<10, 20<<10)
	if testkit.RaceEnabled {
		size = 8 << 10
	}
	fresh := func(catalog []byte) func() *cache.View {
		return func() *cache.View {
			snapshot, err := cache.Parse(context.Background(), catalog, cache.Options{})
			require.NoError(t, err)
			return longView(snapshot)
		}
	}
	known := func(snapshot *catalog.Snapshot) func() *cache.View {
		view := longView(snapshot)
		return func() *cache.View { return view }
	}
	worst := func(size int, shape string) *catalog.Snapshot {
		snapshot, err := cache.Parse(t.Context(), worstCatalog(size, worstProperties()[shape]), cache.Options{})
		require.NoError(t, err)
		return snapshot
	}
	chain, err := cache.LoadFS(t.Context(), generate.Chain(200, 4, 4), cache.Options{})
	require.NoError(t, err)
	broken, err := cache.LoadFS(t.Context(), generate.Chain(testkit.Scale(10, 15), 6, 0), cache.Options{})
	require.NoError(t, err)
	return map[string]longProblem{
		"ranges":          {longCluster("p", ""), known(worst(size, "a range each")), "b7"},
		"updates":         {longCluster("p", "b1"), known(worst(size, "nothing")), "b7"},
		"absences":        {longCluster("p", ""), known(worst(size, "all absent, or none")), "b7"},
		"rules":           {longCluster("p", ""), fresh(worstCatalog(size, worstProperties()["a rule each that holds"])), "b7"},
		"a large answer":  {longCluster(generate.PackageName(0), ""), known(chain), chain.Bundle(0).Name},
		"a large failure": {longCluster(generate.PackageName(0), ""), known(broken), broken.Bundle(0).Name},
	}
}

func longView(snapshot *catalog.Snapshot) *cache.View {
	return cache.NewView([]cache.Catalog{
		{Key: catalog.Key{Namespace: "olm", Name: "worst"}, Snapshot: snapshot},
		{Key: catalog.Key{Name: "worst"}, Snapshot: snapshot},
	})
}

func longCluster(pkg, installed string) *cluster.Index {
	var objects cluster.Objects
	for _, namespace := range []string{"m", "n"} {
		objects.Subscriptions = append(objects.Subscriptions,
			cluster.Subscription{Namespace: namespace, Name: "a", Package: pkg, Catalog: "worst", CatalogNamespace: "olm", InstalledCSV: installed},
			cluster.Subscription{Namespace: namespace, Name: "b", Package: "q"})
		if installed != "" {
			objects.CSVs = append(objects.CSVs, cluster.ClusterServiceVersion{Namespace: namespace, Name: installed, Version: "1.0.1"})
		}
	}
	for _, name := range []string{"a", "b"} {
		extension := cluster.ClusterExtension{Name: name, Package: pkg}
		if installed != "" {
			extension.Installed = &cluster.InstalledExtension{Name: installed, Version: "1.0.1"}
		}
		objects.ClusterExtensions = append(objects.ClusterExtensions, extension)
	}
	return cluster.NewIndex(objects)
}

func (p *longProblem) problem(o policy.Options) resolver.Problem {
	return resolver.Problem{Cluster: p.known, Catalogs: p.view(), Options: o}
}

// longCalls are all calls of the package that take a context.
func longCalls() map[string]func(ctx context.Context, p longProblem) error {
	namespaces := []cluster.Scope{cluster.InNamespace("m"), cluster.InNamespace("n")}
	extensions := []cluster.Scope{cluster.OfExtension("a"), cluster.OfExtension("b")}
	namespace, extension := namespaces[1], extensions[0]
	request := cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "a"}
	outcomes := func(list []result.Outcome) error {
		var errs []error
		for i := range list {
			errs = append(errs, list[i].Err)
		}
		return errors.Join(errs...)
	}
	return map[string]func(ctx context.Context, p longProblem) error{
		"Resolve": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Resolve(ctx, p.problem(policy.Options{}), namespace)
			return err
		},
		"Resolve without fixes": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Resolve(ctx, p.problem(policy.Options{NoFixes: true}), namespace)
			return err
		},
		"Resolve in part": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Resolve(ctx, p.problem(policy.Options{Partial: true}), namespace)
			return err
		},
		"Resolve with the scope of bundles": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Resolve(ctx, p.problem(policy.Options{BundleScope: true}), namespace)
			return err
		},
		"ResolveAll": func(ctx context.Context, p longProblem) error {
			return outcomes(resolver.New().ResolveAll(ctx, p.problem(policy.Options{}), namespaces))
		},
		"ResolveAll jointly": func(ctx context.Context, p longProblem) error {
			return outcomes(resolver.New().ResolveAll(ctx, p.problem(policy.Options{Jointly: true}), namespaces))
		},
		"Resolve an extension": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Resolve(ctx, p.problem(policy.Options{}), extension)
			return err
		},
		"ResolveAll extensions": func(ctx context.Context, p longProblem) error {
			return outcomes(resolver.New().ResolveAll(ctx, p.problem(policy.Options{}), extensions))
		},
		"Path": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Path(ctx, p.problem(policy.Options{Partial: true}), request, "")
			return err
		},
		"Path to nowhere": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Path(ctx, p.problem(policy.Options{Partial: true}), request, "b0")
			return err
		},
		"Path of an extension": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Path(ctx, p.problem(policy.Options{}), cluster.RequestKey{Kind: cluster.KindExtension, Name: "a"}, "b0")
			return err
		},
		"Status": func(ctx context.Context, p longProblem) error {
			scopes := []cluster.Scope{namespace, extension}
			_, err := resolver.New().Status(ctx, p.problem(policy.Options{}), scopes, &resolver.Target{OpenShiftVersion: "4.20", Catalogs: map[string]*cache.View{"4.20": p.view()}})
			return err
		},
		"WhyNot": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().WhyNot(ctx, p.problem(policy.Options{}), namespace, p.bundle)
			return err
		},
		"WhyNot of an extension": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().WhyNot(ctx, p.problem(policy.Options{}), extension, p.bundle)
			return err
		},
		"WhyNot of an unknown bundle": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().WhyNot(ctx, p.problem(policy.Options{}), extension, "unknown")
			return err
		},
		"Justify": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Justify(ctx, p.problem(policy.Options{}), namespace)
			return err
		},
		"Justify an extension": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Justify(ctx, p.problem(policy.Options{}), extension)
			return err
		},
		"Footprint": func(ctx context.Context, p longProblem) error {
			_, err := resolver.New().Footprint(ctx, p.problem(policy.Options{Jointly: true}), append(slices.Clone(namespaces), extension))
			return err
		},
	}
}

// TestCancelCalls cancels all calls of the package at random moments. An error of
// theirs is the one that they would have had anyhow, or an *Incomplete.
func TestCancelCalls(t *testing.T) {
	problems, calls := longProblems(t), longCalls()
	for i, name := range slices.Sorted(maps.Keys(problems)) {
		problem := problems[name]
		t.Run(name, func(t *testing.T) {
			for j, name := range slices.Sorted(maps.Keys(calls)) {
				if !testkit.Today(i+j, 2) {
					continue
				}
				call := calls[name]
				t.Run(name, func(t *testing.T) {
					testkit.CancelAtRandom(t, func(ctx context.Context) error {
						err := call(ctx, problem)
						if errors.Is(err, context.Canceled) {
							incomplete, ok := errors.AsType[*result.Incomplete](err)
							require.True(t, ok, "%v", err)
							assert.NotEmpty(t, incomplete.Phase)
						}
						if internal, ok := errors.AsType[*result.Internal](err); ok {
							t.Error(internal)
						}
						return err
					})
				})
			}
		})
	}
}
