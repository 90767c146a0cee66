package opm_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	opmcache "github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/lib/config"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache/catalog"
)

var update = flag.Bool("update", false, "write the table into README.md")

// refusal is a row of the table.
type refusal struct {
	Refuses string       `json:"refuses"`
	Code    catalog.Code `json:"code"`
	Why     string       `json:"why"`
	From    string       `json:"from"`
	To      string       `json:"to"`
	With    string       `json:"with"`  // further documents
	Other   string       `json:"other"` // a further file
	Says    string       `json:"says"`
	File    string       `json:"file"` // of the bundle directory
}

// table has the rows by who refuses.
type table struct {
	Sound      string    `json:"sound"`
	Loader     []refusal `json:"loader"`
	Model      []refusal `json:"model"`
	Pod        []refusal `json:"pod"`
	Controller []refusal `json:"controller"`
	// Unreachable has the messages of operator-registry that no catalog leads to, with the reason.
	Unreachable map[string]string `json:"unreachable"`
}

func readTable(t *testing.T) *table {
	t.Helper()
	text, err := os.ReadFile("testdata/refusals.yaml")
	require.NoError(t, err)
	rows := &table{}
	require.NoError(t, yaml.UnmarshalStrict(text, rows))
	return rows
}

// catalogOf returns the sound catalog with the change of a row.
func (rows *table) catalogOf(t *testing.T, row *refusal) fstest.MapFS {
	t.Helper()
	text := rows.Sound
	if row.From == "" {
		text += row.To + "\n"
	} else {
		require.Contains(t, text, row.From)
		text = strings.Replace(text, row.From, row.To, 1)
	}
	text = strings.NewReplacer("[,", "[", ",]", "]").Replace(text) // a dropped element
	files := fstest.MapFS{"c.json": {Data: []byte(text + row.With + "\n")}}
	if row.Other != "" {
		files[row.Other] = &fstest.MapFile{Data: []byte("A text for people.\n")}
	}
	return files
}

// serve returns why the pod of a catalog does not start.
func serve(t *testing.T, files fs.FS) error {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	built, err := opmcache.New(dir, opmcache.WithFormat("json"))
	require.NoError(t, err)
	defer built.Close()
	return built.Build(t.Context(), files)
}

// What each row says is so: operator-registry refuses the catalog, and check finds an error of
// that code, or has the reason why not.
func TestRows(t *testing.T) {
	rows := readTable(t)
	sound := fstest.MapFS{"c.json": {Data: []byte(rows.Sound)}}
	require.NoError(t, config.Validate(t.Context(), sound))
	require.NoError(t, serve(t, sound))
	require.Empty(t, errorsOf(t, sound))
	for who, list := range map[string][]refusal{"opm": slices.Concat(rows.Loader, rows.Model), "pod": rows.Pod} {
		for i := range list {
			row := &list[i]
			t.Run(who+"/"+row.Refuses, func(t *testing.T) {
				files := rows.catalogOf(t, row)
				err := config.Validate(t.Context(), files)
				if who == "pod" {
					assert.NoError(t, err, "opm validate")
				} else {
					require.Error(t, err)
					assert.ErrorContains(t, err, row.Says)
				}
				err = serve(t, files)
				require.Error(t, err, "the pod")
				if who == "pod" {
					assert.ErrorContains(t, err, row.Says)
				}
				codes := errorsOf(t, files)
				if row.Code == "" {
					assert.NotEmpty(t, row.Why)
					assert.Empty(t, codes, "then it is judged")
				} else {
					assert.Contains(t, slices.Collect(maps.Keys(codes)), row.Code)
				}
			})
		}
	}
}

// What OLM installs on no cluster is an error of check.
func TestRowsOfController(t *testing.T) {
	rows := readTable(t)
	directory := func(file, from, to string) fstest.MapFS {
		files := fstest.MapFS{}
		for name, text := range bundle {
			if name == file {
				require.Contains(t, text, from)
				text = strings.Replace(text, from, to, 1)
			}
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		delete(files, "metadata/dependencies.yaml")
		return files
	}
	require.Empty(t, errorsOf(t, directory("", "", "")))
	for i := range rows.Controller {
		row := &rows.Controller[i]
		t.Run(row.Refuses, func(t *testing.T) {
			file := row.File
			if file == "" {
				file = "manifests/gull.csv.yaml"
			}
			codes := errorsOf(t, directory(file, row.From, row.To))
			assert.Contains(t, slices.Collect(maps.Keys(codes)), row.Code)
		})
	}
}

// judging are the files of operator-registry that judge a catalog.
var judging = []string{
	"alpha/declcfg/declcfg.go", "alpha/declcfg/declcfg_to_model.go", "alpha/declcfg/load.go", "alpha/model/model.go", "alpha/model/versionrelease.go",
	"alpha/property/property.go", "pkg/api/model_to_api.go", "pkg/cache/meta_key.go",
}

var verbs = regexp.MustCompile(`%#?[a-z]`)

// Every message with which operator-registry refuses a catalog belongs to a row, or has the reason
// why no catalog leads to it.
func TestEveryRefusal(t *testing.T) {
	rows := readTable(t)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/operator-framework/operator-registry").Output()
	require.NoError(t, err)
	var said []string
	for _, row := range slices.Concat(rows.Loader, rows.Model, rows.Pod) {
		files := rows.catalogOf(t, &row)
		if err := config.Validate(t.Context(), files); err != nil {
			said = append(said, err.Error())
		}
		if err := serve(t, files); err != nil {
			said = append(said, err.Error())
		}
	}
	known := map[string]bool{}
	for _, file := range judging {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), file), nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) == 0 {
				return true
			}
			fun, is := call.Fun.(*ast.SelectorExpr)
			if !is || fun.Sel.Name != "Errorf" && fun.Sel.Name != "New" {
				return true
			}
			literal, is := call.Args[0].(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			message, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			known[message] = true
			var parts []string
			for _, part := range verbs.Split(message, -1) {
				parts = append(parts, regexp.QuoteMeta(part))
			}
			pattern := regexp.MustCompile(`(?s)` + strings.Join(parts, ".*"))
			shown, told := slices.ContainsFunc(said, pattern.MatchString), rows.Unreachable[message]
			if shown == (told != "") {
				assert.Fail(t, "a message needs a row, or the reason why no catalog leads to it, and not both", "%s: %q", file, message)
			}
			return true
		})
	}
	for message := range rows.Unreachable {
		assert.True(t, known[message], "operator-registry has no message %q", message)
	}
}

// The table of README.md is that of the rows.
func TestTable(t *testing.T) {
	rows := readTable(t)
	var b strings.Builder
	for _, part := range []struct {
		who  string
		list []refusal
	}{
		{"The loader (`alpha/declcfg`, `alpha/property`)", rows.Loader}, {"The model (`alpha/model`)", rows.Model},
		{"The catalog's pod alone (`pkg/cache`, `pkg/api`)", rows.Pod}, {"OLM, at install (`pkg/controller/operators/olm`, `pkg/controller/install`)", rows.Controller},
	} {
		fmt.Fprintf(&b, "| **%s** | |\n", part.who)
		for _, row := range part.list {
			judged := "`" + string(row.Code) + "`"
			if row.Code == "" {
				judged = "not judged: " + row.Why
			}
			fmt.Fprintf(&b, "| %s | %s |\n", row.Refuses, judged)
		}
	}
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	const begin, end = "| What is refused | Code of `check` |\n|---|---|\n", "\n<!-- the end of the table -->"
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	wanted := before + begin + b.String() + end + after
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(wanted), 0o644))
		return
	}
	assert.Equal(t, wanted, string(page), "run the test with -update")
}
