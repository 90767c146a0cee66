package resolver_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// largeState is a cluster of 1,000 namespaces with 3 to 30 Subscriptions each.
func largeState(t testing.TB, namespaces int) (*cluster.Index, *cache.View) {
	t.Helper()
	view := realView(t)
	objects := random.State(view.Catalog(random.Catalog).Snapshot, random.StateConfig{
		Seed: 1, Namespaces: namespaces, Fewest: 3, Most: 30, InstalledShare: 0.5,
	})
	return cluster.NewIndex(objects), view
}

// TestManyNamespaces resolves a large state twice, with different numbers of
// processors: the answers are the same, in the order of the namespaces.
func TestManyNamespaces(t *testing.T) {
	known, view := largeState(t, 200)
	namespaces := known.Scopes()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := resolver.New().ResolveAll(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, namespaces)
	runtime.GOMAXPROCS(4)
	again := resolver.New().ResolveAll(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, namespaces)
	require.Len(t, first, len(namespaces))
	resolved := 0
	for i := range first {
		assert.Equal(t, namespaces[i], first[i].Scope)
		if first[i].Err == nil {
			resolved++
			assert.Equal(t, first[i].Resolution, again[i].Resolution)
			continue
		}
		assert.Equal(t, result.ResultUnsatisfied, first[i].Result(), "%v", first[i].Err)
		assert.Equal(t, first[i].Err, again[i].Err)
	}
	t.Logf("%d of %d namespaces are resolved", resolved, len(first))
	assert.Greater(t, resolved, len(first)/2)
}

// TestJointlyAsEachByItself: where no group targets another namespace and no API
// is shared, one problem of many namespaces has the answers of each.
func TestJointlyAsEachByItself(t *testing.T) {
	known, view := largeState(t, 60)
	r := resolver.New()
	problem := resolver.Problem{Cluster: known, Catalogs: view}
	var namespaces []cluster.Scope
	var want []*result.Resolution
	for _, o := range r.ResolveAll(context.Background(), problem, known.Scopes()) {
		if o.Err == nil {
			namespaces = append(namespaces, o.Scope)
			o.Resolution.Warnings = nil // versions are compared with others here
			want = append(want, o.Resolution)
		}
	}
	problem.Options.Jointly = true
	var got []*result.Resolution
	for _, o := range r.ResolveAll(context.Background(), problem, namespaces) {
		require.NoError(t, o.Err)
		o.Resolution.Warnings = nil
		got = append(got, o.Resolution)
	}
	assert.Equal(t, want, got)
}

// BenchmarkNamespaces resolves 1,000 namespaces on one snapshot.
func BenchmarkNamespaces(b *testing.B) {
	known, view := largeState(b, 1000)
	namespaces := known.Scopes()
	r := resolver.New()
	var outcomes []result.Outcome
	b.ReportAllocs()
	for b.Loop() {
		outcomes = r.ResolveAll(context.Background(), resolver.Problem{Cluster: known, Catalogs: view}, namespaces)
	}
	b.ReportMetric(float64(len(namespaces)*b.N)/b.Elapsed().Seconds(), "namespaces/s")
	// What lives at the end: catalog, state, answers and all that is remembered.
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.HeapAlloc)/1e6, "MB-live")
	b.ReportMetric(float64(memory.Sys)/1e6, "MB-sys")
	resolved := 0
	for _, o := range outcomes {
		if o.Err == nil {
			resolved++
		}
	}
	b.ReportMetric(100*float64(resolved)/float64(len(outcomes)), "%resolved")
}

// BenchmarkOneChanges changes one Subscription of a cluster at a time, and asks a Resolver that
// lives on about its namespace, as a controller does: the cost is that of one namespace.
func BenchmarkOneChanges(b *testing.B) {
	for _, namespaces := range []int{50, 500, 5000} {
		known, view := largeState(b, namespaces)
		scopes, r := known.Scopes(), resolver.New()
		r.ResolveAll(b.Context(), resolver.Problem{Cluster: known, Catalogs: view}, scopes)
		for name, ask := range map[string]func(resolver.Problem, cluster.Scope) error{
			"resolve": func(p resolver.Problem, s cluster.Scope) error {
				_, err := r.Resolve(b.Context(), p, s)
				return err
			},
			"status": func(p resolver.Problem, s cluster.Scope) error {
				_, err := r.Status(b.Context(), p, []cluster.Scope{s}, nil)
				return err
			},
		} {
			b.Run(fmt.Sprintf("%s-%d", name, namespaces), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					scope := scopes[i%min(len(scopes), 50)]
					changed := known.WithNamespace(scope.Namespace(), false, func(n *cluster.NamespaceObjects) {
						n.Subscriptions = slices.Clone(n.Subscriptions)
						n.Subscriptions[0].Manual = i%2 == 0
					})
					err := ask(resolver.Problem{Cluster: changed, Catalogs: view}, scope)
					require.NotContains(b, []result.Result{result.ResultIncomplete, result.ResultInternal}, result.Of(err))
				}
			})
		}
	}
}

// BenchmarkJointly resolves 100 namespaces as one problem.
func BenchmarkJointly(b *testing.B) {
	known, view := largeState(b, 100)
	r := resolver.New()
	problem := resolver.Problem{Cluster: known, Catalogs: view}
	var namespaces []cluster.Scope
	for _, o := range r.ResolveAll(context.Background(), problem, known.Scopes()) {
		if o.Err == nil {
			namespaces = append(namespaces, o.Scope)
		}
	}
	problem.Options.Jointly = true
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, r.ResolveAll(context.Background(), problem, namespaces)[0].Err)
	}
	b.ReportMetric(float64(len(namespaces)*b.N)/b.Elapsed().Seconds(), "namespaces/s")
}
