package mirror_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func community(t testing.TB) *catalog.Snapshot {
	snapshot, err := cache.LoadFS(t.Context(), os.DirFS(testkit.Shared(t, "catalogs", "community")), cache.Options{})
	require.NoError(t, err)
	return snapshot
}

// fifty are requests of one namespace, most of which have something installed.
func fifty(snapshot *catalog.Snapshot, seed uint64) *scenario.Question {
	objects := random.State(snapshot, random.StateConfig{Seed: seed, Namespaces: 1, Fewest: 50, Most: 50, InstalledShare: 0.8})
	known := cluster.NewIndex(objects)
	return &scenario.Question{Scopes: known.Scopes(), Problem: resolver.Problem{
		Cluster:  known,
		Catalogs: cache.NewView([]cache.Catalog{{Key: random.Catalog, Snapshot: snapshot}}),
		Options:  policy.Options{Partial: true}, // a few exclude each other
	}}
}

// TestSharedCatalog compares mirrors of fifty requests with the two things that people do
// instead: to mirror the packages as a whole, and the heads of their channels alone.
func TestSharedCatalog(t *testing.T) {
	snapshot := community(t)
	count := testkit.Scale(5, 50)
	bundles, ranged, whole, heads, first, broken := 0, 0, 0, 0, 0, 0
	for seed := range uint64(count) {
		in := fifty(snapshot, seed)
		m, err := mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{})
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, m.Outcomes[0].Err, "seed %d", seed)
		require.Len(t, m.Catalogs, 1)
		c := &m.Catalogs[0]
		bundles += len(c.Names())
		ranged += c.Snapshot.Len()
		only := headsOnly(t, snapshot, c)
		heads += only.Len()
		for _, p := range c.Packages {
			whole += len(snapshot.Package(p.Name).Bundles)
		}
		instead := *in
		instead.Problem.Catalogs = cache.NewView([]cache.Catalog{{Key: random.Catalog, Snapshot: only}})
		want := steps(t, *in, mostSteps)
		got := steps(t, instead, len(want))
		if !slices.Equal(want, got) {
			broken++
		}
		if len(got) == 0 || want[0] != got[0] {
			first++
		}
	}
	t.Logf("of %d mirrors, each: %d bundles, %d in the ranges, %d in the packages as a whole, %d heads; heads alone break %d first answers and %d ways",
		count, bundles/count, ranged/count, whole/count, heads/count, first, broken)
}

// headsOnly is the catalog with the heads of the channels of a mirror and nothing else.
func headsOnly(t *testing.T, snapshot *catalog.Snapshot, c *mirror.Catalog) *catalog.Snapshot {
	var packages []*catalog.Package
	for _, p := range c.Packages {
		of := snapshot.Package(p.Name)
		small := &catalog.Package{Name: p.Name, DefaultChannel: p.DefaultChannel}
		seen := map[catalog.ID]bool{}
		for _, stated := range p.Channels {
			channel := of.Channel(stated.Name)
			head := channel.Head()
			small.Channels = append(small.Channels, &catalog.Channel{Name: channel.Name, Package: p.Name, Entries: []catalog.Entry{*head}})
			if !seen[head.Bundle] {
				seen[head.Bundle], small.Bundles = true, append(small.Bundles, head.Bundle)
			}
		}
		packages = append(packages, small)
	}
	text, err := cache.Render(t.Context(), snapshot, packages, nil)
	require.NoError(t, err)
	only, err := cache.Parse(t.Context(), text, cache.Options{})
	require.NoError(t, err)
	return only
}

// BenchmarkFifty mirrors fifty requests.
func BenchmarkFifty(b *testing.B) {
	in := fifty(community(b), 1)
	b.ReportAllocs()
	for b.Loop() {
		_, err := mirror.Find(b.Context(), in.Problem, in.Scopes, mirror.Options{})
		require.NoError(b, err)
	}
}
