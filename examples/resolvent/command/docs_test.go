package command

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// documented is a command of the documentation, with what it prints behind it. The README
// has the command of its tests below the first one.
var documented = regexp.MustCompile("(?s)```sh\n(?:go run ./examples/)?resolvent ([^\n]*)\n(?:go test [^\n]*\n)?```\n\n```text\n(.*?)```\n")

// pages are the README and the pages that it leads to, by their paths.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	all := maps.Collect(testkit.Files(t, ".github", "docs", "*.md"))
	for _, name := range []string{"README.md", ".github/CONTRIBUTING.md"} {
		path := filepath.Join("..", "..", "..", name)
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		all[path] = page
	}
	return all
}

// TestDocumentation holds the pages' commands to the output that stands below them.
func TestDocumentation(t *testing.T) {
	for path, page := range pages(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			wanted := documented.ReplaceAllStringFunc(string(page), func(block string) string {
				parts := documented.FindStringSubmatch(block)
				var got outcome
				t.Run(strings.Fields(parts[1])[0], func(t *testing.T) {
					got = invoke(t, t.Context(), "", strings.Fields(parts[1])...)
					require.LessOrEqual(t, got.status, 1, got.stderr)
				})
				return strings.Replace(block, "```text\n"+parts[2], "```text\n"+got.stdout, 1)
			})
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(wanted), 0o644))
				return
			}
			assert.Equal(t, wanted, string(page))
		})
	}
}

// link is a link of a page to a file of the repository.
var link = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)

// codeBlock is what has brackets of its own.
var codeBlock = regexp.MustCompile("(?s)```.*?```")

func TestDocumentationLinks(t *testing.T) {
	testkit.Nested(t, "examples/controller") // the pages lead into nested modules
	for path, page := range pages(t) {
		for _, parts := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(page), ""), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), parts[1]))
			assert.NoError(t, err, path)
		}
	}
}

// kubectlGet is the line that reads a cluster.
var kubectlGet = regexp.MustCompile(`kubectl get [a-z.,]+ -A -o yaml > cluster.yaml`)

// Help and the pages name all kinds that are read, in one line.
func TestKubectlGet(t *testing.T) {
	for _, name := range []string{".github/docs/commands.md", ".github/docs/stuck.md"} {
		path := filepath.Join("..", "..", "..", name)
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		if *update {
			page = kubectlGet.ReplaceAll(page, []byte(inputs.KubectlGet()))
			require.NoError(t, os.WriteFile(path, page, 0o644))
		}
		assert.Contains(t, string(page), "\n"+inputs.KubectlGet()+"\n", name)
	}
}
