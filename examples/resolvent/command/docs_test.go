package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// documented is a command of the documentation, with what it prints behind it.
var documented = regexp.MustCompile("(?s)```sh\nresolvent ([^\n]*)\n```\n\n```text\n(.*?)```\n")

// TestDocumentation holds the pages' commands to the output that stands below them.
func TestDocumentation(t *testing.T) {
	for path, page := range testkit.Files(t, ".github", "docs", "*.md") {
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
var link = regexp.MustCompile(`\]\(([^):#]+)\)`)

func TestDocumentationLinks(t *testing.T) {
	for path, page := range testkit.Files(t, ".github", "docs", "*.md") {
		for _, parts := range link.FindAllStringSubmatch(string(page), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), parts[1]))
			assert.NoError(t, err, path)
		}
	}
}
