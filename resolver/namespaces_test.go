package resolver_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// largeState is a cluster of 1,000 namespaces with 3 to 30 Subscriptions each.
func largeState(t testing.TB, namespaces int) (*resolver.Cluster, *cache.View) {
	t.Helper()
	view := realView(t)
	objects := random.State(view.Catalog(random.Catalog).Snapshot, random.StateConfig{
		Seed: 1, Namespaces: namespaces, Fewest: 3, Most: 30, InstalledShare: 0.5,
	})
	return resolver.NewCluster(objects), view
}

// TestManyNamespaces resolves a large state twice, with different numbers of
// processors: the answers are the same, in the order of the namespaces.
func TestManyNamespaces(t *testing.T) {
	cluster, view := largeState(t, 200)
	namespaces := cluster.Requesting()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := resolver.New(policy.Options{}).ResolveNamespaces(context.Background(), namespaces, cluster, view)
	runtime.GOMAXPROCS(4)
	again := resolver.New(policy.Options{}).ResolveNamespaces(context.Background(), namespaces, cluster, view)
	require.Len(t, first, len(namespaces))
	resolved := 0
	for i := range first {
		assert.Equal(t, namespaces[i], first[i].Namespace)
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
	cluster, view := largeState(t, 60)
	r := resolver.New(policy.Options{})
	var namespaces []string
	var want []*result.Resolution
	for _, o := range r.ResolveNamespaces(context.Background(), cluster.Requesting(), cluster, view) {
		if o.Err == nil {
			namespaces = append(namespaces, o.Namespace)
			o.Resolution.Warnings = nil // versions are compared with others here
			want = append(want, o.Resolution)
		}
	}
	got, err := r.ResolveJointly(context.Background(), namespaces, cluster, view)
	require.NoError(t, err)
	for _, g := range got {
		g.Warnings = nil
	}
	assert.Equal(t, want, got)
}

// BenchmarkNamespaces resolves 1,000 namespaces on one snapshot.
func BenchmarkNamespaces(b *testing.B) {
	cluster, view := largeState(b, 1000)
	namespaces := cluster.Requesting()
	r := resolver.New(policy.Options{})
	var outcomes []result.Outcome
	b.ReportAllocs()
	for b.Loop() {
		outcomes = r.ResolveNamespaces(context.Background(), namespaces, cluster, view)
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

// BenchmarkJointly resolves 100 namespaces as one problem.
func BenchmarkJointly(b *testing.B) {
	cluster, view := largeState(b, 100)
	r := resolver.New(policy.Options{})
	var namespaces []string
	for _, o := range r.ResolveNamespaces(context.Background(), cluster.Requesting(), cluster, view) {
		if o.Err == nil {
			namespaces = append(namespaces, o.Namespace)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := r.ResolveJointly(context.Background(), namespaces, cluster, view)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(len(namespaces)*b.N)/b.Elapsed().Seconds(), "namespaces/s")
}
