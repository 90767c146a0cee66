package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// SharedVariable is the environment variable that names the directory of the
// real catalogs and requests, by default ../shared beside the module. They are
// no part of the project. A relative path starts from the module.
const SharedVariable = "RESOLVENT_SHARED"

// Shared returns a file or directory of the real data. The test is skipped,
// visibly, where it is missing.
func Shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv(SharedVariable)
	if root == "" {
		root = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(moduleRoot(t), root)
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no shared data: %v (set %s to the directory that holds it)", err, SharedVariable)
	}
	return path
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
