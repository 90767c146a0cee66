// Package shared finds the real catalogs and requests that tests and benchmarks
// read where they are present. They are no part of the project.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Variable is the environment variable that names the directory.
const Variable = "RESOLVENT_SHARED"

// Path returns a file or directory of the shared data. The test is skipped,
// visibly, where it is missing.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t)}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no shared data: %v (set %s to the directory that holds it)", err, Variable)
	}
	return path
}

// root is the directory of the variable, else ../shared beside the module.
func root(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(Variable); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
