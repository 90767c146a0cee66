//go:build unix

package cache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/internal/index"
)

// What another user may have put in the place of an index is not believed, and
// nothing in its place is waited for or read without bounds: it is reported once,
// and the catalog is read from its files.
func TestRefusedIndex(t *testing.T) {
	tree := files("-- c.yaml --\n" + etcd)
	want := written(t, loadTree(t, tree))
	for name, c := range map[string]struct {
		plant  func(t *testing.T, path string) error
		report string
		stays  bool // it cannot be replaced
	}{
		"pipe": {plant: func(t *testing.T, path string) error {
			require.NoError(t, os.Remove(path))
			return syscall.Mkfifo(path, 0o600)
		}, report: "it is not a regular file"},
		"link": {plant: func(t *testing.T, path string) error {
			elsewhere := filepath.Join(t.TempDir(), "index")
			require.NoError(t, os.Rename(path, elsewhere))
			return os.Symlink(elsewhere, path)
		}, report: "symbolic link"},
		"folder": {plant: func(t *testing.T, path string) error {
			require.NoError(t, os.Remove(path))
			return os.MkdirAll(filepath.Join(path, "full"), 0o700)
		}, report: "it is not a regular file", stays: true},
		"size": {plant: func(t *testing.T, path string) error { return os.Truncate(path, index.MaxFileBytes+1) },
			report: "it has 268435457 bytes, more than the 268435456 allowed"},
		"group":  {plant: func(t *testing.T, path string) error { return os.Chmod(path, 0o620) }, report: "other users may write to it"},
		"others": {plant: func(t *testing.T, path string) error { return os.Chmod(path, 0o602) }, report: "other users may write to it"},
		"owner": {plant: func(t *testing.T, path string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root gives files away")
			}
			return os.Chown(path, 12345, -1)
		}, report: "it belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			var reports []string
			store := IndexStore{Dir: t.TempDir(), Report: func(err error) { reports = append(reports, err.Error()) }}
			read := func() {
				t.Helper()
				reports = nil
				s, err := IndexedFS(tree, store, Options{}).Load(t.Context())
				require.NoError(t, err)
				require.Equal(t, want, written(t, s))
			}
			read()
			list, err := filepath.Glob(filepath.Join(store.Dir, "*.index"))
			require.NoError(t, err)
			require.Len(t, list, 1)
			// What is planted is another catalog.
			require.NoError(t, plant(list[0], load(t, "")))
			require.NoError(t, c.plant(t, list[0]))
			read()
			require.Len(t, reports, 1)
			assert.Contains(t, reports[0], list[0])
			assert.Contains(t, reports[0], c.report)
			read()
			assert.Equal(t, c.stays, len(reports) == 1, reports)
		})
	}
}
