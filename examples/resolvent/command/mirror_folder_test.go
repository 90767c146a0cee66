package command_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/mirrors"
	"github.com/resolvent/resolvent/resolver/mirror"
)

// Where not all can be written, nothing is: not even the folder, if it was not there.
func TestWriteFolderWhole(t *testing.T) {
	snapshot, err := cache.Parse(t.Context(), []byte(`{"schema":"olm.package","name":"a","defaultChannel":"c"}`), cache.Options{})
	require.NoError(t, err)
	blobs := make([]*cache.Blobs, 2)
	good, outside := catalog.Key{Namespace: "olm", Name: "c"}, catalog.Key{Namespace: "..", Name: "c"}
	of := func(keys ...catalog.Key) *mirror.Mirror {
		m := &mirror.Mirror{}
		for _, k := range keys {
			m.Catalogs = append(m.Catalogs, mirror.Catalog{Key: k, Snapshot: snapshot})
		}
		return m
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	folder, there := filepath.Join(t.TempDir(), "new"), t.TempDir()
	assert.Error(t, mirrors.WriteFolder(t.Context(), folder, of(good, outside), blobs))
	assert.Error(t, mirrors.WriteFolder(ended, folder, of(good), blobs))
	assert.NoDirExists(t, folder)
	assert.Error(t, mirrors.WriteFolder(t.Context(), there, of(good, outside), blobs))
	require.NoError(t, inputs.CheckNewFolder(there))

	require.NoError(t, mirrors.WriteFolder(t.Context(), there, of(good, catalog.Key{Name: "d"}), blobs))
	entries, err := os.ReadDir(there)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.FileExists(t, filepath.Join(there, "olm", "c", "catalog.json"))
	assert.FileExists(t, filepath.Join(there, "d", "catalog.json"))
}
