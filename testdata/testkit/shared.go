package testkit

import (
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// SharedVariable is the environment variable with the directory of the real catalogs and requests,
// which are not part of the project. The default is ../shared. A relative path starts at the root
// module, also in tests of a nested module.
const SharedVariable = "RESOLVENT_SHARED"

// Shared returns the path of a file or directory of the real data. It skips the test if that is
// missing, and a benchmark as well, which go test would leave out without a word.
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
		missing := fmt.Sprintf("no shared data: %v (set %s to the directory that holds it)", err, SharedVariable)
		if _, measures := t.(*testing.B); measures {
			fmt.Fprintf(os.Stderr, "%s is skipped: %s\n", t.Name(), missing)
		}
		t.Skip(missing)
	}
	return path
}

// Installed returns the path of a program. It skips the test if the program is missing.
func Installed(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skip(program + " is not installed")
	}
	return path
}

// Nested returns the path of a nested module. It skips the test in Go's module cache, which has
// the root module alone.
func Nested(t testing.TB, folder string) string {
	t.Helper()
	path := filepath.Join(moduleRoot(t), folder)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no nested module: %v", err)
	}
	return path
}

// Files walks the paths and texts of the files of a pattern. It fails without any file. A relative
// pattern starts at the root module.
func Files(t testing.TB, pattern ...string) iter.Seq2[string, []byte] {
	t.Helper()
	full := filepath.Join(pattern...)
	if !filepath.IsAbs(full) {
		full = filepath.Join(moduleRoot(t), full)
	}
	paths, err := filepath.Glob(full)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s (%v)", full, err)
	}
	return func(yield func(string, []byte) bool) {
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(path, text) {
				return
			}
		}
	}
}

// rootModule begins the go.mod of the root module.
const rootModule = "module github.com/resolvent/resolvent\n"

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), rootModule) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod of the root module above the test")
		}
		dir = parent
	}
}
