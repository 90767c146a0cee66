package cache_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/generate"
)

func strictly(t *testing.T, files fs.FS) *catalog.Snapshot {
	t.Helper()
	snapshot, err := cache.LoadFS(t.Context(), files, cache.Options{Strict: true})
	require.NoError(t, err)
	return snapshot
}

// TestReal compares the figures of a generated catalog with those of the real
// one that it is modelled on.
func TestGeneratedIsLikeReal(t *testing.T) {
	s := strictly(t, generate.Real(1).FS())
	var packages, channels, entries, apis, requiring int
	requirers, provided := map[string]bool{}, map[properties.GVK]bool{}
	for p := range s.Packages() {
		packages++
		channels += len(p.Channels)
		for _, c := range p.Channels {
			entries += len(c.Entries)
		}
	}
	for id := range s.Len() {
		b := s.Bundle(catalog.ID(id))
		apis += len(b.Properties.GVKs())
		for _, gvk := range b.Properties.GVKs() {
			provided[gvk] = true
		}
		if len(b.Constraints) > 0 {
			requiring++
			requirers[b.Package] = true
		}
	}
	distinct, shared := 0, 0
	for gvk := range provided {
		distinct++
		owners := map[string]bool{}
		for _, id := range s.Providers(gvk) {
			owners[s.Bundle(id).Package] = true
		}
		if len(owners) > 1 {
			shared++
		}
	}
	near := func(want, got int, what string) {
		t.Helper()
		assert.InEpsilon(t, want, got, 0.6, "%s: %d, not some %d", what, got, want)
	}
	near(332, packages, "packages")
	near(629, channels, "channels")
	near(6466, s.Len(), "bundles")
	near(8220, entries, "entries")
	near(31804, apis, "statements of APIs")
	near(1634, distinct, "APIs")
	near(15, shared, "APIs of several packages")
	near(20, len(requirers), "packages with requirements")
	t.Logf("%d bundles with requirements", requiring)
}

func TestGeneratedFilesRepeat(t *testing.T) {
	shape := generate.Real(7)
	shape.Packages = 20
	read := func(shape generate.Shape) (texts []string) {
		files := shape.FS()
		names, err := fs.Glob(files, "*")
		require.NoError(t, err)
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
		return texts
	}
	assert.Equal(t, read(shape), read(shape))
	other := shape
	other.Seed++
	assert.NotEqual(t, read(shape), read(other))
}

func TestFilesAreAFileSystem(t *testing.T) {
	shape := generate.Real(3)
	shape.Packages = 2
	require.NoError(t, fstest.TestFS(shape.FS(), "operator-000000.json", "operator-000001.json"))
}

func TestYAMLSaysTheSame(t *testing.T) {
	shape := generate.Real(5)
	shape.Packages, shape.Requiring = 10, 0.5
	raw := shape
	raw.Blobs = 1000
	want, got := strictly(t, shape.FS()), strictly(t, raw.FS())
	require.Equal(t, want.Len(), got.Len())
	for id := range catalog.ID(want.Len()) {
		assert.Equal(t, want.Bundle(id).Name, got.Bundle(id).Name)
		assert.Equal(t, want.Bundle(id).Properties.GVKs(), got.Bundle(id).Properties.GVKs())
	}
}

func TestGeneratedHard(t *testing.T) {
	assert.Equal(t, 3000, strictly(t, generate.Versions(3000)).Len())
	assert.Equal(t, 22, strictly(t, generate.Providers(10, 2)).Len())
	assert.Equal(t, 50, strictly(t, generate.Chain(10, 5, 1)).Len())
	assert.Equal(t, 20, strictly(t, generate.Conflicts(5, 4)).Len())
	assert.Equal(t, 20, strictly(t, generate.Exclusions(5, 4)).Len())
	assert.Equal(t, 21, strictly(t, generate.Alternatives(3)).Len())
}
