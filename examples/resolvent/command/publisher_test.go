package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

const tide = "examples/resolvent/testdata/tide/"

// The commands for those who publish catalogs.
func TestPublisherGolden(t *testing.T) {
	background := []string{"--catalog", "coast=testdata/catalogs/coast", "--catalog", "island=testdata/catalogs/island"}
	with := func(args ...string) []string { return append(args, background...) }
	for name, args := range map[string][]string{
		"check":                 with("check", "testdata/catalogs/reef", tide+"channels.yaml", "--show", "note"),
		"check-json":            with("check", "testdata/catalogs/reef", tide+"channels.yaml", "-o", "json"),
		"check-github":          with("check", "testdata/catalogs/reef", tide+"channels.yaml", "-o", "github", "--show", "note"),
		"check-sarif":           with("check", "testdata/catalogs/reef", tide+"channels.yaml", "-o", "sarif"),
		"check-html":            with("check", "testdata/catalogs/reef", tide+"channels.yaml", "-o", "html", "--date", "2026-11-26"),
		"check-several":         {"check", "testdata/catalogs/coast", "testdata/catalogs/island"},
		"check-clean":           {"check", "testdata/catalogs/island"},
		"check-baseline":        with("check", tide+"channels.yaml", "--baseline", tide+"known.jsonl", "--show", "note"),
		"check-baseline-json":   with("check", tide+"channels.yaml", "--baseline", tide+"known.jsonl", "-o", "json"),
		"check-baseline-github": with("check", tide+"channels.yaml", "--baseline", tide+"known.jsonl", "-o", "github"),
		"check-ignore":          with("check", tide+"channels.yaml", "--ignore", "image", "--ignore", "entry:knot", "--ignore", "severalHeads:rope", "--show", "note"),
		"check-assume":          {"check", "testdata/catalogs/coast", "--assume-package", "whirlpool", "--assume-package", "compass=1.1.0", "--assume-api", "Galleon.v1.ships.example.com"},
		"check-several-places":  {"check", tide + "copied.yaml", "--show", "note"},
		"check-bundle":          {"check", "--bundle", tide + "lighthouse", "--catalog", "olm/coast=testdata/catalogs/coast", "--show", "note"},
		"check-channel":         {"check", "--bundle", tide + "lighthouse", "--catalog", "olm/coast=testdata/catalogs/coast", "--channel", "stable"},
		"check-channel-json":    {"check", "--bundle", tide + "lighthouse", "--catalog", "olm/coast=testdata/catalogs/coast", "--channel", "stable", "-o", "json"},
		"check-repair":          with("check", tide+"channels.yaml", "--repair", "all", "--show", "note"),
		"check-repair-one":      with("check", "testdata/catalogs/reef", "--repair", "3"),
		"check-repair-json":     with("check", tide+"channels.yaml", "--repair", "all", "-o", "json"),
		"check-template":        {"check", tide + "basic.yaml", tide + "semver.yaml", "--catalog", "coast=testdata/catalogs/coast"},
		"check-template-basic":  {"check", tide + "basic.yaml", "--catalog", "coast=testdata/catalogs/coast", "--repair", "all"},
		"check-template-semver": {"check", tide + "semver.yaml", "--catalog", "coast=testdata/catalogs/coast", "--repair", "all", "-o", "json"},
		"graph":                 {"graph", tide + "channels.yaml", "--package", "knot"},
		"graph-mermaid":         {"graph", tide + "channels.yaml", "--package", "knot", "-o", "mermaid"},
		"graph-dot":             {"graph", tide + "channels.yaml", "--package", "knot", "-o", "dot", "--channel", "stable"},
		"graph-svg":             {"graph", tide + "channels.yaml", "--package", "knot", "-o", "svg"},
		"graph-json":            {"graph", tide + "channels.yaml", "--package", "knot", "-o", "json"},
		"graph-template":        {"graph", tide + "semver.yaml", "--package", "foghorn", "--catalog", "coast=testdata/catalogs/coast"},
		"graph-catalog":         with("graph", "--package", "lantern", "--channel", "stable"),
		"diff":                  {"diff", tide + "before.yaml", tide + "after.yaml", "-f", tide + "cluster.yaml"},
		"diff-json":             {"diff", tide + "before.yaml", tide + "after.yaml", "-f", tide + "cluster.yaml", "-o", "json"},
		"diff-back":             {"diff", tide + "after.yaml", tide + "before.yaml", "--show", "warning"},
		"diff-nothing":          {"diff", tide + "before.yaml", tide + "before.yaml", "-f", tide + "cluster.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			assertGolden(t, name, args)
		})
	}
}

// assertGolden runs the program and compares what it leaves behind.
func assertGolden(t *testing.T, name string, args []string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "testdata", name+".golden"))
	require.NoError(t, err)
	compareGolden(t, file, invoke(t, t.Context(), "", args...).String())
}

// cutOff is what outputs say that had too little time.
var cutOff = regexp.MustCompile(regexp.QuoteMeta(inputs.ErrTimeout.Error()) + `|interrupted: |was cut off|canceled`)

// compareGolden compares an output with a file. What was cut off is no output to keep there, and
// an internal error never is one.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	require.NotContains(t, got, "internal error")
	if *update {
		require.NotRegexp(t, cutOff, got)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "see the difference, then go test -update")
}

func TestFailOn(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"check", "testdata/catalogs/island"}, exitResolved},
		{[]string{"check", "testdata/catalogs/coast"}, exitUnresolved},
		{[]string{"check", tide + "edges.yaml"}, exitResolved},
		{[]string{"check", tide + "edges.yaml", "--fail-on", "note"}, exitUnresolved},
		{[]string{"check", tide + "after.yaml", "--fail-on", "warning"}, exitUnresolved},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			assert.Equal(t, test.want, invoke(t, t.Context(), "", test.args...).status)
		})
	}
}

func TestPublisherUnusable(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"check"}, "nothing to check"},
		{[]string{"check", "missing"}, "no such file"},
		{[]string{"check", "examples/quickstart"}, "neither a catalog nor a bundle directory"},
		{[]string{"check", "testdata/catalogs/reef", "testdata/catalogs/reef/"}, "passed twice"},
		{[]string{"check", "testdata/catalogs/reef", "--show", "all"}, "want error, note or warning"},
		{[]string{"check", "testdata/catalogs/reef", "--ignore", "uninstalable"}, `unknown code "uninstalable"; did you mean uninstallable?`},
		{[]string{"check", "testdata/catalogs/reef", "--ignore", "trap:"}, "want CODE or CODE:PACKAGE"},
		{[]string{"check", "testdata/catalogs/reef", "--assume-package", "a=1"}, "want NAME or NAME=VERSION, with a version such as 1.2.3"},
		{[]string{"check", "testdata/catalogs/reef", "--assume-package", "=1.0.0"}, "want NAME or NAME=VERSION"},
		{[]string{"check", "testdata/catalogs/reef", "--assume-api", "Certificate.v1"}, "want KIND.VERSION.GROUP, such as"},
		{[]string{"check", "testdata/catalogs/reef", "--baseline", "missing"}, "no such file or directory; --write-baseline missing writes it"},
		{[]string{"check", "testdata/catalogs/reef", "--baseline", "go.mod"}, "--baseline go.mod: line 1: it is not a finding of a baseline"},
		{[]string{"check", "testdata/catalogs/reef", "-o", "yaml"}, "want text, json, github, sarif or html"},
		{[]string{"check", "testdata/catalogs/coast", "--timeout", "1ns"}, "--timeout"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "none"}, "want the number of a finding, or all"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "0"}, "want the number of a finding, or all"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "9"}, "--repair 9: there are 3 findings"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "1", "--write", "x"}, "--write: it needs --repair all"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "all", "--write", "testdata"}, "--write testdata: the folder is not empty"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "all", "--write", "testdata/catalogs/reef/out"}, "the folder is in testdata/catalogs/reef, which is read"},
		{[]string{"check", "testdata/catalogs/reef", tide + "channels.yaml", "--repair", "1"}, "pass one"},
		{[]string{"check", "testdata/catalogs/reef", "--repair", "1", "-o", "sarif"}, "--repair: it is printed as text or json"},
		{[]string{"check", tide + "basic.yaml"}, "no given catalog has a usable bundle of 2 of its 2 images: registry.example/coast/lighthouse:v1.0.0 (line 13)"},
		{[]string{"check", tide + "basic.yaml", "--catalog", "coast=testdata/catalogs/coast", "--bundle", "x=" + tide + "lighthouse"}, "does not name this image"},
		{[]string{"check", tide + "basic.yaml", "--bundle", "registry.example/coast/lighthouse:v1.0.0=testdata/catalogs/coast"}, "want one bundle directory"},
		{[]string{"graph", "testdata/catalogs/coast"}, "no package"},
		{[]string{"graph", "--package", "kraken"}, "no catalogs: pass them with --catalog"},
		{[]string{"graph", "testdata/catalogs/coast", "--package", "x"}, "x: no catalog has a package or bundle of this name"},
		{[]string{"graph", "testdata/catalogs/coast", "--package", "kraken", "--channel", "x"}, "--channel x: package kraken has no such channel; its channel is deep"},
		{[]string{"diff", "testdata/catalogs/coast"}, "want two catalogs"},
		{[]string{"diff", "testdata/catalogs/coast", "missing"}, "no such file"},
		{[]string{"diff", tide + "before.yaml", tide + "after.yaml", "-f", tide + "cluster.yaml", "-f", "testdata/cluster/install.yaml"}, "several catalogs"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got := invoke(t, t.Context(), "", test.args...)
			assert.Equal(t, exitNotStarted, got.status)
			assert.Contains(t, got.stderr, test.want)
			assert.Empty(t, got.stdout)
		})
	}
}

// What -o sarif writes is valid by the standard, and shows something.
func TestSARIF(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "sarif.schema.json"))
	require.NoError(t, err)
	standard := compile(t, string(text))
	t.Run("nothing found", func(t *testing.T) {
		clean := invoke(t, t.Context(), "", "check", "testdata/catalogs/island", "-o", "sarif").stdout
		assert.Contains(t, clean, `"results": []`, "absent, it would say that nothing was checked")
	})
	got := invoke(t, t.Context(), "", "check", "testdata/catalogs/reef", tide+"channels.yaml", "-o", "sarif", "--show", "note").stdout
	log, err := jsonschema.UnmarshalJSON(strings.NewReader(got))
	require.NoError(t, err)
	require.NoError(t, standard.Validate(log))
	for right, wrong := range map[string]string{
		`"level": "error"`: `"level": "fatal"`,
		`"ruleId"`:         `"rule"`,
		`"startColumn": 1`: `"startColumn": 0`,
		`"uri": "`:         `"uri": "%`,
		`"2.1.0"`:          `"2.2.0"`,
	} {
		broken, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(got, right, wrong, 1)))
		require.NoError(t, err)
		assert.Error(t, standard.Validate(broken), wrong)
	}
}

// A new bundle of a template is a bundle directory, and what is written is a template again.
func TestTemplateWithDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.yaml")
	text := "schema: olm.semver\nstable:\n  bundles:\n  - image: registry.example/coast/lighthouse:v1.0.0\n  - image: example.com/new:1\n  - image: example.com/new:1\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	args := []string{"check", file, "--catalog", "coast=testdata/catalogs/coast", "--bundle", "example.com/new:1=" + tide + "lighthouse", "--assume-package", "compass", "--repair", "all", "--write", filepath.Join(dir, "new")}
	got := invoke(t, t.Context(), "", args...)
	assert.Contains(t, got.stdout, "remove stable.bundles[2]", got.stderr)
	written, err := os.ReadFile(filepath.Join(dir, "new", "t.yaml"))
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSuffix(text, "  - image: example.com/new:1\n"), string(written))
}

// A repaired copy has what links of the catalog lead to, also if one leads to the catalog itself. A file that
// no catalog has is copied in parts.
func TestRepairedCopy(t *testing.T) {
	dir := t.TempDir()
	catalog, err := os.ReadFile(filepath.Join("..", "..", "..", tide, "channels.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "catalog"), 0o755))
	writeIn(t, dir, "outside.yaml", "{schema: olm.package, name: gone}\n")
	writeIn(t, dir, "catalog/channels.yaml", string(catalog))
	large := writeIn(t, dir, "catalog/large.txt", "")
	require.NoError(t, os.Truncate(large, 1<<42))
	require.NoError(t, os.Symlink(filepath.Join("..", "outside.yaml"), filepath.Join(dir, "catalog", "linked.yaml")))
	require.NoError(t, os.Symlink("catalog", filepath.Join(dir, "link")))
	args := []string{"check", filepath.Join(dir, "link"), "--repair", "all", "--write", filepath.Join(dir, "new", "copy")}
	t.Run("too large", func(t *testing.T) {
		got := invoke(t, t.Context(), "", append(args, "--timeout", "500ms")...)
		assert.Contains(t, got.stderr, "the time limit of --timeout is over")
		assert.NoDirExists(t, filepath.Join(dir, "new", "copy"))
	})
	require.NoError(t, os.Remove(large))
	t.Run("linked", func(t *testing.T) {
		got := invoke(t, t.Context(), "", args...)
		assert.Contains(t, got.stdout, "written, and checked again", got.stderr)
		text, err := os.ReadFile(filepath.Join(dir, "new", "copy", "linked.yaml"))
		require.NoError(t, err)
		assert.Contains(t, string(text), "name: gone")
	})
}
