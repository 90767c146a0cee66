package resolver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestIndexedCatalogs compares all that scenarios come to with what they come to
// on the same catalogs, written as indexes and read again.
func TestIndexedCatalogs(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*s/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for i, path := range paths {
		if !testkit.Today(i, 3) {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			s, err := scenario.Parse(data)
			require.NoError(t, err)
			in, err := s.Question(t.Context())
			require.NoError(t, err)
			var catalogs []cache.Catalog
			for c := range in.Problem.Catalogs.Catalogs() {
				indexed := *c
				if c.Snapshot != nil {
					indexed.Snapshot = indexedSnapshot(t, c.Snapshot)
				}
				catalogs = append(catalogs, indexed)
			}
			in.Problem.Catalogs = cache.NewView(catalogs)
			got, err := s.RunOn(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, s.Want, got)
		})
	}
}

// indexedSnapshot is a snapshot as an index brings it back.
func indexedSnapshot(t testing.TB, s *catalog.Snapshot) *catalog.Snapshot {
	t.Helper()
	store := cache.IndexStore{Dir: t.TempDir(), Report: func(err error) { t.Error(err) }}
	content := func(context.Context) (string, error) { return "s", nil }
	first := true
	load := func(context.Context) (*catalog.Snapshot, error) {
		if !first {
			return nil, errors.New("it is not in the store")
		}
		first = false
		return s, nil
	}
	var indexed *catalog.Snapshot
	for range 2 {
		var err error
		indexed, err = store.Load(t.Context(), content, cache.Options{}, load)
		require.NoError(t, err)
	}
	return indexed
}
