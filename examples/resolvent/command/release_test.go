package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// Each file of testdata/releases has a command that adds bundles to a catalog, and what it prints
// and changes. A second run of a command that writes in place changes nothing.
func TestRelease(t *testing.T) {
	page, err := os.ReadFile("../../../.github/docs/publish.md")
	require.NoError(t, err)
	for file, data := range testkit.Files(t, "examples", "resolvent", "testdata", "releases", "*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive := txtar.Parse(data)
			dir := t.TempDir()
			var args []string
			for _, f := range archive.Files {
				switch {
				case f.Name == "cmd":
					args = strings.Fields(string(f.Data))[1:]
				case !strings.HasPrefix(f.Name, "want/"):
					name := filepath.Join(dir, filepath.FromSlash(f.Name))
					require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
					require.NoError(t, os.WriteFile(name, f.Data, 0o644))
				}
			}
			before := filesIn(t, dir)
			run := func() outcome {
				t.Chdir(dir)
				var stdout, stderr strings.Builder
				status := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
				return outcome{status, stdout.String(), stderr.String()}
			}
			got := run()
			after := filesIn(t, dir)
			wanted := []txtar.File{{Name: "want/output", Data: []byte(fmt.Sprintf("%s%sexit status %d\n", got.stdout, got.stderr, got.status))}}
			for _, name := range slices.Sorted(maps.Keys(after)) {
				if !bytes.Equal(before[name], after[name]) {
					wanted = append(wanted, txtar.File{Name: "want/" + name, Data: after[name]})
				}
			}
			archive.Files = append(slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") }), wanted...)
			if text := txtar.Format(archive); *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
			} else {
				assert.Equal(t, string(data), string(text), "see the difference, then go test -update")
			}
			if strings.HasPrefix(filepath.Base(file), "yaml-with-comments") {
				assert.Contains(t, string(page), "\nresolvent "+strings.Join(args, " ")+"\n```\n\n```text\n"+got.stdout+"```\n")
			}
			if got.status != exitResolved {
				assert.Equal(t, before, after, "nothing is written")
			} else if slices.Contains(args, "--in-place") {
				again := run()
				assert.Equal(t, exitResolved, again.status)
				assert.Contains(t, again.stdout, "nothing to write")
				assert.Equal(t, after, filesIn(t, dir))
			}
		})
	}
}

func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !entry.IsDir() {
			name, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			files[filepath.ToSlash(name)], err = os.ReadFile(path)
			require.NoError(t, err)
		}
		return nil
	}))
	return files
}
