package resolver_test

import (
	"bytes"
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
	for path, data := range testkit.Files(t, "testdata/*/*.txtar") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Parse(data)
			require.NoError(t, err)
			in, err := s.Inputs(t.Context())
			require.NoError(t, err)
			var catalogs []cache.Catalog
			for c := range in.Catalogs.Catalogs() {
				indexed := *c
				if c.Snapshot != nil {
					indexed.Snapshot = indexedSnapshot(t, c.Snapshot)
				}
				catalogs = append(catalogs, indexed)
			}
			in.Catalogs = cache.NewView(catalogs)
			got, err := s.RunOn(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, s.Want, got)
		})
	}
}

// indexedSnapshot is a snapshot as an index brings it back.
func indexedSnapshot(t testing.TB, s *catalog.Snapshot) *catalog.Snapshot {
	t.Helper()
	var index bytes.Buffer
	require.NoError(t, cache.WriteIndex(&index, s))
	indexed, err := cache.ReadIndex(t.Context(), index.Bytes(), cache.Options{})
	require.NoError(t, err)
	return indexed
}
