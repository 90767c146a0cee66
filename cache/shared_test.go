package cache

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharedPath returns a path in the directory of shared test data, which
// RESOLVENT_SHARED names and which else lies beside the module. The test is
// skipped where it is missing.
func sharedPath(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("RESOLVENT_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		require.NoError(t, err)
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			require.NotEqual(t, dir, filepath.Dir(dir), "no go.mod above the test")
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(dir, "..", "shared")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shared test data is missing: %v", err)
	}
	return path
}
