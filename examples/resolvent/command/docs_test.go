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
var documented = regexp.MustCompile("(?s)```sh\n((?:go run ./examples/)?)resolvent ([^\n]*)\n(# exit status 1[^\n]*\n)?(?:go test [^\n]*\n)?```\n\n```text\n(.*?)```\n")

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

// TestDocumentation holds the pages' commands to what they print, with the notes on standard
// error, and to their exit status, which go run prints as well.
func TestDocumentation(t *testing.T) {
	for path, page := range pages(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			wanted := documented.ReplaceAllStringFunc(string(page), func(block string) string {
				parts := documented.FindStringSubmatch(block)
				var got outcome
				t.Run(strings.Fields(parts[2])[0], func(t *testing.T) {
					got = invoke(t, t.Context(), "", strings.Fields(parts[2])...)
					require.LessOrEqual(t, got.status, 1, got.stderr)
					assert.Equal(t, got.status == 1, parts[3] != "", "a command that ends with status 1 says so in the next line")
				})
				printed := got.stdout + got.stderr
				if parts[1] != "" && got.status == 1 {
					printed += "exit status 1\n"
				}
				return strings.Replace(block, "```text\n"+parts[4], "```text\n"+printed, 1)
			})
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(wanted), 0o644))
				return
			}
			assert.Equal(t, wanted, string(page))
		})
	}
}

// written is a line of a page that calls the program: a comment or another command may follow.
var written = regexp.MustCompile("(?m)^(?:go run ./examples/)?resolvent ([^\n#>|]*)")

// onPath is the line that has a shell find the program.
const onPath = "\ngo install ./examples/resolvent && export PATH=\"$PATH:$(go env GOPATH)/bin\"\n"

// Every command of the pages is one: files may be missing, but not commands and flags. A page
// that calls the program by its name says before how to have it.
func TestDocumentedCommands(t *testing.T) {
	for path, page := range pages(t) {
		if filepath.Base(path) == "reference.md" {
			continue // it is written from help
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, block := range codeBlock.FindAllString(string(page), -1) {
				for _, line := range written.FindAllStringSubmatch(block, -1) {
					got := invoke(t, t.Context(), "", strings.Fields(line[1])...)
					assert.NotRegexp(t, `Run '.*' for its (flags|commands)`, got.stderr, line[0])
					if !strings.HasPrefix(line[0], "go run") {
						before, _, _ := strings.Cut(string(page), line[0])
						assert.True(t, strings.Contains(before, onPath), "%s: nothing before it has a shell find it", line[0])
					}
				}
			}
		})
	}
}

// What the README shows first is what the command below it prints, in its order, with gaps.
func TestAbridged(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	require.NoError(t, err)
	_, shown, _ := strings.Cut(string(page), "<td valign=\"top\">") // OLM's message
	_, shown, _ = strings.Cut(shown, "<td valign=\"top\">")
	shown, _, _ = strings.Cut(shown, "</td>")
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	left := words(call(t, append([]string{"resolve"}, from("conflict.yaml")...), "--catalog", "olm/community=testdata/community/catalog.yaml").stdout)
	for _, part := range strings.Split(strings.NewReplacer("**", "", "<br>", "", "\\", "").Replace(shown), "[...]") {
		_, after, found := strings.Cut(left, words(part))
		require.True(t, found, part)
		left = after
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

// The pages name all kinds that are read, those of what OLM would refuse in a second line.
func TestKubectlGet(t *testing.T) {
	for _, name := range []string{".github/docs/commands.md", ".github/docs/stuck.md", "README.md"} {
		path := filepath.Join("..", "..", "..", name)
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		if *update {
			page = kubectlGet.ReplaceAll(page, []byte(inputs.KubectlGet()))
			require.NoError(t, os.WriteFile(path, page, 0o644))
		}
		assert.Contains(t, string(page), "\n"+inputs.KubectlGet()+"\n", name)
		assert.Contains(t, string(page), "\n"+inputs.KubectlGetAtInstall()+"\n", name)
	}
}
