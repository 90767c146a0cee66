package check_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/check"
)

func run(t testing.TB, c check.Catalog, o check.Options) *check.Report {
	t.Helper()
	r, err := check.Run(t.Context(), []check.Catalog{c}, o)
	require.NoError(t, err)
	return r
}

// written is a baseline after it was written and read.
func written(t testing.TB, b check.Baseline) check.Baseline {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, b.Write(&text))
	read, err := check.ReadBaseline(t.Context(), &text)
	require.NoError(t, err)
	assert.Equal(t, b, read)
	return read
}

const twoOfQ = "{name: p.v1}, {name: p.v2, replaces: p.v1}"

func twoNeedQ() string {
	return pkg("p") + channel("p", "c", twoOfQ) + bundle("p", 1, needs("q")) + bundle("p", 2, needs("q"))
}

func TestBaseline(t *testing.T) {
	r := run(t, catalogOf(t, "a", twoNeedQ()), check.Options{})
	var text bytes.Buffer
	require.NoError(t, r.All.Write(&text))
	const requires = `requires package q in range >=1.0.0`
	assert.Equal(t, `{"code":"uninstallable","package":"p","bundle":"p.v1","cause":"`+requires+`"}
{"code":"uninstallable","package":"p","bundle":"p.v2","cause":"`+requires+`"}
{"code":"uninstallable","package":"p","channel":"c","bundle":"p.v2","cause":"`+requires+`"}
`, text.String())
	known := written(t, r.All)

	for name, test := range map[string]struct {
		text  string
		want  []string
		stale []string
	}{
		"the same": {text: twoNeedQ()},
		"a new bundle with the same mistake": {
			text: pkg("p") + channel("p", "c", twoOfQ+", {name: p.v3, replaces: p.v2}") + bundle("p", 1, needs("q")) + bundle("p", 2, needs("q")) + bundle("p", 3, needs("q")),
			want: []string{"error uninstallable p.v3"}, stale: []string{"uninstallable: package p, channel c, bundle p.v2, " + requires},
		},
		"an old bundle becomes a head": {
			text: twoNeedQ() + channel("p", "d", "{name: p.v1}"),
			want: []string{"error uninstallable p.v1"},
		},
		"another mistake in an old bundle": {
			text: pkg("p") + channel("p", "c", twoOfQ) + bundle("p", 1, needs("q")) + bundle("p", 2, needs("q"), needs("r")),
			want: []string{"error uninstallable p.v2"},
		},
		"one is mended": {
			text:  pkg("p") + channel("p", "c", twoOfQ) + bundle("p", 1) + bundle("p", 2, needs("q")),
			stale: []string{"uninstallable: package p, bundle p.v1, " + requires},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, catalogOf(t, "a", test.text), check.Options{Baseline: known})
			var got, stale []string
			for _, f := range findings(r) {
				if !strings.HasPrefix(f, "note leftBehind") {
					got = append(got, f)
				}
			}
			for _, id := range r.Stale.Identities() {
				stale = append(stale, id.String())
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.stale, stale)
		})
	}
}

// What is found has the same identity wherever it is in which file.
func TestBaselineOfMovedFiles(t *testing.T) {
	broken := pkg("p") + channel("p", "c", "{name: p.v1, skipRange: 'x'}, {name: p.v2}, {name: p.v3, replaces: p.v2}") +
		bundle("p", 1, needs("q"), "{type: olm.constraint, value: {}}") + bundle("p", 2) + bundle("p", 2, needs("r"))
	known := run(t, catalogOf(t, "a", broken), check.Options{}).All
	assert.Positive(t, known.Len())
	moved := load(t, "b", fstest.MapFS{"further/down.yaml": {Data: []byte("# moved\n\n" + broken)}})
	r := run(t, moved, check.Options{Baseline: known})
	assert.Empty(t, findings(r))
	assert.Zero(t, r.Stale.Len())
}

// A baseline knows of each finding no more than there were.
func TestBaselineHidesNothingNew(t *testing.T) {
	const list, object = "{type: [x], value: {}}", "{type: {}, value: {}}"
	rule := func(end string) string {
		return "{type: olm.constraint, value: {failureMessage: x, cel: {rule: '" + strings.Repeat("true && ", 100) + end + "'}}}"
	}
	package1 := func(before string, properties ...string) string {
		return before + pkg("p") + channel("p", "c", "{name: p.v1}") + bundle("p", 1, properties...)
	}
	for name, test := range map[string]struct {
		old, now string
		found    int
	}{
		"another of the same in a file":         {package1("---\n{a: b}\n"), package1("---\n{a: b}\n---\n{c: d}\n"), 1},
		"another of the same in a bundle":       {package1("", list), package1("", list, object), 1},
		"lines that move":                       {package1("", list), package1("# 1\n# 2\n", list), 0},
		"a long rule that differs at its end":   {package1("", rule("false")), package1("", rule("1 == 2")), 1},
		"a long rule that stays, beside others": {package1("", rule("false")), package1("", needsRange("p", "1.0.0"), rule("false")), 0},
	} {
		t.Run(name, func(t *testing.T) {
			known := run(t, catalogOf(t, "a", test.old), check.Options{}).All
			assert.Positive(t, known.Len())
			r := run(t, catalogOf(t, "a", test.now), check.Options{Baseline: known})
			assert.Len(t, r.Findings, test.found, known)
		})
	}
}

func TestIgnore(t *testing.T) {
	text := twoNeedQ() + pkg("o") + channel("o", "c", "{name: o.v1}") + bundle("o", 1, needs("q"))
	for name, test := range map[string]struct {
		ignore  check.Identity
		want    []string
		ignored int
	}{
		"a code":         {check.Identity{Code: "uninstallable"}, nil, 5},
		"of one package": {check.Identity{Code: "uninstallable", Package: "p"}, []string{"error uninstallable o.v1"}, 3},
		"of another":     {check.Identity{Code: "uninstallable", Package: "q"}, []string{"error uninstallable o.v1", "error uninstallable p.v1 p.v2"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, catalogOf(t, "a", text), check.Options{Ignore: []check.Identity{test.ignore}})
			assert.Equal(t, test.want, findings(r))
			assert.Equal(t, test.ignored, r.Ignored)
			assert.Equal(t, 5-test.ignored, r.All.Len())

			// What is ignored is neither known nor gone.
			all := run(t, catalogOf(t, "a", text), check.Options{}).All
			r = run(t, catalogOf(t, "a", text), check.Options{Ignore: []check.Identity{test.ignore}, Baseline: all})
			assert.Empty(t, r.Findings)
			assert.Equal(t, 5-test.ignored, r.Known)
			assert.Zero(t, r.Stale.Len())
		})
	}
}

// Of a real catalog and an older state of it, only what is new is found.
func TestBaselineOfRealCatalog(t *testing.T) {
	old := run(t, sharedCatalog(t, "community-v4.14"), check.Options{}).All
	c := sharedCatalog(t, "community-v4.19")
	all := run(t, c, check.Options{})
	r := run(t, c, check.Options{Baseline: written(t, old)})
	assert.Equal(t, all.All, r.All)
	known := map[check.Identity]bool{}
	for _, id := range old.Identities() {
		known[id] = true
	}
	both := 0
	for _, id := range all.All.Identities() {
		if known[id] {
			both++
		}
	}
	assert.Equal(t, old.Len()-both, r.Stale.Len())
	var severities [3]int
	for _, f := range r.Findings {
		severities[f.Severity]++
	}
	assert.Equal(t, "[0 9 43]", fmt.Sprint(severities), "errors, warnings and notes")
	assert.Less(t, len(r.Findings), len(all.Findings))
	again := run(t, c, check.Options{Baseline: r.All})
	assert.Empty(t, again.Findings)
}
