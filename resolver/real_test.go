package resolver_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// realCatalogs holds each real catalog once for all tests and benchmarks.
var realCatalogs sync.Map

func realCatalog(t testing.TB, name string) *catalog.Snapshot {
	t.Helper()
	dir := testkit.Shared(t, "catalogs", name)
	load, _ := realCatalogs.LoadOrStore(name, sync.OnceValues(func() (*catalog.Snapshot, error) {
		return cache.LoadFS(context.Background(), os.DirFS(dir), cache.Options{})
	}))
	snapshot, err := load.(func() (*catalog.Snapshot, error))()
	require.NoError(t, err)
	return snapshot
}

// realView is the catalog community as olm/community.
func realView(t testing.TB) *cache.View {
	t.Helper()
	return cache.NewView([]cache.Catalog{{
		Key:      catalog.Key{Namespace: "olm", Name: "community"},
		Snapshot: realCatalog(t, "community"),
	}})
}

func realCluster(t testing.TB, scenario string) *cluster.Index {
	t.Helper()
	path := testkit.Shared(t, "scenarios", scenario+".yaml")
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: filepath.Base(path), Reader: file})
	require.NoError(t, err)
	return cluster.NewIndex(objects)
}

// TestRealScenarios compares the choices on a real catalog with those that OLM
// makes, which are the same on these requests.
func TestRealScenarios(t *testing.T) {
	for _, name := range []string{"one-simple", "one-deps", "ten-mixed", "fifty", "upgrade-ten"} {
		t.Run(name, func(t *testing.T) {
			answer, err := os.ReadFile(testkit.Shared(t, "scenarios", "answers", name+".txt"))
			require.NoError(t, err)
			var want []string
			for line := range strings.Lines(string(answer)) {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
					want = append(want, line)
				}
			}
			resolution, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: realCluster(t, name), Catalogs: realView(t)}, cluster.InNamespace("operators"))
			require.NoError(t, err)
			var got []string
			for _, in := range resolution.Installs {
				got = append(got, in.Channel+"/"+in.Bundle.Name)
			}
			slices.Sort(got)
			assert.Equal(t, want, got)
		})
	}
}

// TestRealFailures checks that requests that cannot be satisfied name what stands in
// the way.
func TestRealFailures(t *testing.T) {
	for name, words := range map[string][]string{
		"unsat-missing": {"special-resource-operator", "NodeFeatureDiscovery"},
		"unsat-package": {"apicurio-api-controller", "apicurio-registry-3", "ApicurioRegistry3"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: realCluster(t, name), Catalogs: realView(t)}, cluster.InNamespace("operators"))
			var failure *result.NotSatisfiable
			require.ErrorAs(t, err, &failure)
			text := failure.Explanation.String()
			for _, word := range words {
				assert.Contains(t, text, word)
			}
		})
	}
}

// TestRealExplanations compares the whole texts of real failures.
func TestRealExplanations(t *testing.T) {
	for _, name := range []string{"unsat-missing", "unsat-package"} {
		t.Run(name, func(t *testing.T) {
			_, err := resolver.New().Resolve(context.Background(), resolver.Problem{Cluster: realCluster(t, name), Catalogs: realView(t)}, cluster.InNamespace("operators"))
			var failure *result.NotSatisfiable
			require.ErrorAs(t, err, &failure)
			golden(t, name+".txt", text.All(failure))
			drawing := drawn(failure)
			golden(t, name+".mmd", drawing.Mermaid())
			golden(t, name+".dot", drawing.DOT())
		})
	}
}

// drawn draws the first cause of a failure.
func drawn(failure *result.NotSatisfiable) *graph.Drawing {
	d := &graph.Drawing{}
	d.AddExplanation("", failure.Explanation)
	return d
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}
