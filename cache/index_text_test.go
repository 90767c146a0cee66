package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// faulty is a small catalog with faults, lost providers, constraints and
// versions of every form.
const faulty = `
-- c.yaml --
{schema: olm.package, name: a, defaultChannel: stable}
---
{schema: olm.channel, package: a, name: stable, entries: [{name: a.v1}, {name: a.v2, replaces: a.v1, skipRange: "<2.0.0"}, {name: a.v0, skipRange: ^1}]}
---
{schema: olm.channel, package: a, name: fast, entries: [{name: a.v2, skips: [a.v1, a.v0]}, {name: a.v1}, {name: a.v9, replaces: a.v2}]}
---
schema: olm.bundle
package: a
name: a.v1
properties:
- {type: olm.package, value: {packageName: a, version: 1.0.0-rc.1+build.5, release: "2"}}
- {type: olm.label, value: {label: gold}}
- {type: olm.deprecated, value: {}}
- {type: olm.maxOpenShiftVersion, value: "4.12"}
- {type: olm.constraint, value: {failureMessage: m, cel: {rule: "properties.exists(p, p.type == 'x')"}}}
- {type: olm.csv.metadata, value: {minKubeVersion: 1.20.0, installModes: [{type: AllNamespaces, supported: true}], annotations: {k: v}}}
- {type: olm.bundle.object, value: {data: x}}
---
{schema: olm.bundle, package: a, name: a.v2, image: i, properties: [{type: olm.package, value: {packageName: a, version: 2.0.0}}, {type: x, value: [1, null]}]}
---
{schema: olm.bundle, package: a, name: a.v3, properties: [{type: olm.gvk, value: {group: g, version: v1, kind: K}}]}
---
{schema: olm.deprecations, package: a, entries: [{reference: {schema: olm.bundle, name: a.v1}, message: old}, {reference: {schema: olm.package}, message: gone}]}
---
{schema: io.openshift.operators.lifecycles.v1alpha1, package: a, versions: [{name: "1.0", phases: [{name: Full, startDate: 2026-01-01, endDate: 2026-12-31}], platformCompatibility: [{name: openshift, versions: ["4.18"]}]}]}
-- d.json --
{"schema": "olm.package", "name": "b"} {"schema":
`

// written is what an index keeps of a snapshot.
func written(t testing.TB, s *catalog.Snapshot) []byte {
	t.Helper()
	text, err := renderIndex(context.Background(), "key", s)
	require.NoError(t, err)
	return text
}

func TestIndexKeepsEverything(t *testing.T) {
	for name, want := range map[string]*catalog.Snapshot{
		"empty":     load(t, ""),
		"zero":      {},
		"etcd":      parse(t, etcd),
		"faulty":    load(t, faulty),
		"generated": loadTree(t, generate.Real(1).FS()),
		"coast":     loadTree(t, os.DirFS("../testdata/catalogs/coast")),
		"island":    loadTree(t, os.DirFS("../testdata/catalogs/island")),
		"reef":      loadTree(t, os.DirFS("../testdata/catalogs/reef")),
	} {
		t.Run(name, func(t *testing.T) { checkIndex(t, want, Options{}) })
	}
}

func TestIndexKeepsRealCatalogs(t *testing.T) {
	for _, name := range []string{"community", "community-v4.14", "raw-v4.19"} {
		t.Run(name, func(t *testing.T) {
			checkIndex(t, loadTree(t, os.DirFS(testkit.Shared(t, "catalogs", name))), Options{})
		})
	}
}

// Properties keep their places, whichever the snapshot drops, and their bytes.
func TestIndexKeepsProperties(t *testing.T) {
	const first = `{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}`
	for name, more := range map[string]string{
		"objects":                  `{"type":"olm.bundle.object","value":{"data":"x"}},{"type":"olm.bundle.object","value":1},{"type":"x","value":1}`,
		"no value":                 `{"type":"x","value":null},{"type":"olm.label","value":{"label":"l"}}`,
		"no type":                  `{"value":1},{"type":"olm.label.required","value":{"label":"l"}}`,
		"deprecated":               `{"type":"olm.deprecated","value":{"a":"b"}},{"type":"olm.deprecated"}`,
		"deprecated without value": `{"type":"olm.deprecated"}`,
		"deprecated before others": `{"type":"olm.deprecated"},{"type":"olm.bundle.object","value":1},{"type":"x","value":1}`,
		"bytes":                    `{"type":"x","value":{ "a":"\u00e9\/\ud800\n\u003e","a" : [1.50,-0,1e400]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := "-- c.json --\n" + `{"schema":"olm.package","name":"p","defaultChannel":""}{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[` + first + "," + more + "]}\n"
			n := strings.Count(more, `{"type"`) + strings.Count(more, `{"value":1}`)
			opts := Options{Limits: catalog.Limits{Properties: 1 + n}}
			want, err := LoadFS(t.Context(), files(text), opts)
			require.NoError(t, err)
			require.Equal(t, 1, want.Len(), "%v", want.Faults())
			checkIndex(t, want, opts)

			rendered, err := Render(t.Context(), want, slices.Collect(want.Packages()), nil)
			require.NoError(t, err)
			again, err := Parse(t.Context(), rendered, opts)
			require.NoError(t, err)
			assert.Equal(t, strings.Contains(name, "deprecated"), again.Bundle(0).Properties.Deprecated())
		})
	}
}

// Whatever is wrong with a catalog, its index keeps.
func TestIndexKeepsRandomFaults(t *testing.T) {
	blobs := []string{
		`{"schema":"olm.package","name":"p","defaultChannel":"c"}`,
		`{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v2","replaces":"p.v1","skips":["p.v0"],"skipRange":"<2.0.0"},{"name":"p.v1"}]}`,
		`{"schema":"olm.channel","package":"p","name":"d","entries":[{"name":"p.v2","replaces":"p.v1"},{"name":"p.v1","replaces":"p.v2"},{"name":"p.v2","skips":["p.v1"]}]}`,
		`{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K"}}]}`,
		`{"schema":"olm.bundle","package":"p","name":"p.v2","image":"i","properties":[{"type":"x","value":null},{"type":"olm.package","value":{"packageName":"p","version":"2.0.0"}},{"type":"olm.package.required","value":{"packageName":"q","versionRange":">1.0.0"}}]}`,
		`{"schema":"olm.deprecations","package":"p","entries":[{"reference":{"schema":"olm.bundle","name":"p.v1"},"message":"m"},{"reference":{"schema":"olm.channel","name":"c"},"message":" "}]}`,
		`{"schema":"io.openshift.operators.lifecycles.v1alpha1","package":"p","versions":[{"name":"1.0"}]}`,
	}
	words := []string{`"p"`, `"q"`, `"c"`, `"d"`, `"p.v1"`, `"p.v2"`, `"x"`, `"1.0.0"`, `"<2.0.0"`, `"K"`, "null", `""`, "7", "{}", "[]", "[null]"}
	for seed := range testkit.Seeds(t, 500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var list []string
		for range 3 + r.IntN(10) {
			blob := blobs[r.IntN(len(blobs))]
			for range r.IntN(3) { // one of its words becomes another one
				word, other := words[r.IntN(9)], words[r.IntN(len(words))]
				parts := strings.SplitAfterN(blob, word, 2+r.IntN(2))
				if at := len(parts) - 2; at >= 0 {
					parts[at] = strings.TrimSuffix(parts[at], word) + other
				}
				blob = strings.Join(parts, "")
			}
			if r.IntN(4) == 0 {
				blob = strings.ReplaceAll(strings.ReplaceAll(blob, `"p"`, `"q"`), `"p.v`, `"q.v`)
			}
			list = append(list, blob)
		}
		s := load(t, "-- c.json --\n"+strings.Join(list, "\n")+"\n")
		checkIndex(t, s, Options{})
		rendered, err := Render(t.Context(), s, slices.Collect(s.Packages()), nil)
		require.NoError(t, err)
		again, err := Parse(t.Context(), rendered, Options{})
		require.NoError(t, err)
		assert.Equal(t, choices(s), choices(again), "rendered, the catalog has other answers: %s", rendered)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(list, "\n"))
		}
	}
}

// choices is what answers depend on: the bundles, in order, and the edges of channels. Why a channel
// has no order may be said otherwise.
func choices(s *catalog.Snapshot) (list []string) {
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		list = append(list, fmt.Sprintf("%s %s %s %s %q %v %v", b.Package, b.Name, b.Version, b.Image, b.Deprecation, b.Properties.Deprecated(), b.Properties.GVKs()))
		for _, p := range b.Properties.All() {
			list = append(list, p.Type+" "+string(build.Canonical(p.Value)))
		}
	}
	for p := range s.Packages() {
		list = append(list, fmt.Sprintf("%s %s %q %v", p.Name, p.DefaultChannel, p.Deprecation, p.Lifecycles))
		for _, c := range p.Channels {
			list = append(list, fmt.Sprintf("%s %v %v %q", c.Name, c.Fault == "", c.Order, c.Deprecation))
			for _, e := range c.Entries {
				list = append(list, fmt.Sprintf("%s %s %s %s %d", e.Name, e.Replaces, e.Skips, e.SkipRange.Text(), e.Bundle))
			}
		}
	}
	return list
}

// checkIndex compares a snapshot with what is read of its index.
func checkIndex(t *testing.T, want *catalog.Snapshot, opts Options) {
	t.Helper()
	text := written(t, want)
	got, err := readIndex(t.Context(), "key", text, opts)
	require.NoError(t, err, "%s", text[:min(len(text), 2000)])
	require.True(t, bytes.Equal(text, written(t, got)), "written again, it differs")
	require.Equal(t, want.Len(), got.Len())
	wanted, read := shown(want), shown(got)
	for i := range wanted {
		if wanted[i] != read[i] {
			require.Equal(t, wanted[i], read[i])
		}
	}
}

// shown is all that a snapshot says, by bundle and by package.
func shown(s *catalog.Snapshot) []string {
	content, _ := s.WithFaults(s.Faults(), s.LostProviders()).Content(context.Background())
	list := []string{fmt.Sprintf("%d %v %#v %v %s", s.Candidates(), s.ByName(), s.Faults(), s.LostProviders(), content)}
	apis := map[properties.GVK]string{}
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		text := fmt.Sprint(b.Name, b.Package, b.Image, b.Version, b.Release, b.Deprecation, b.Properties.Deprecated())
		for _, c := range b.Constraints {
			text += fmt.Sprintf("\n%d %s %v", c.Index, c.Type, c.Expr)
		}
		for _, p := range b.Places {
			text += fmt.Sprintf("\n%s %d", p.Channel.Name, p.Entry)
		}
		for _, label := range b.Properties.Labels() {
			text += fmt.Sprintf("\n%s %v", label, s.Labeled(label))
		}
		for i, p := range b.Properties.All() {
			text += fmt.Sprintf("\n%d %s %s", i, p.Type, p.Value)
		}
		for _, api := range b.Properties.GVKs() {
			if apis[api] == "" {
				apis[api] = fmt.Sprintf("\n%v %v", s.Providers(api), s.OtherVersions(api))
				text += apis[api]
			}
		}
		list = append(list, text)
	}
	for p := range s.Packages() {
		text := fmt.Sprint(p.Name, p.DefaultChannel, p.Deprecation, p.Lifecycles, p.Bundles, s.Quarantined(p.Name))
		for _, c := range p.Channels {
			text += fmt.Sprintf("\n%+v", *c)
		}
		list = append(list, text)
	}
	return list
}

func TestIndexDoesNotDependOnWorkers(t *testing.T) {
	var indexes [2][]byte
	for i, workers := range []int{1, 8} {
		s, err := LoadFS(t.Context(), generate.Real(1).FS(), Options{Workers: workers})
		require.NoError(t, err)
		indexes[i] = written(t, s)
	}
	require.True(t, bytes.Equal(indexes[0], indexes[1]))
}

// The text of an index is more than one file or document of the catalog.
func TestIndexOfSmallFiles(t *testing.T) {
	shape := generate.Real(1)
	shape.Packages = 20
	opts := Options{Limits: catalog.Limits{FileBytes: 1 << 20, Documents: 500}}
	want, err := LoadFS(t.Context(), shape.FS(), opts)
	require.NoError(t, err)
	require.Empty(t, want.Faults())
	checkIndex(t, want, opts)
}

// A snapshot of an index has the limit of its catalog.
func TestIndexKeepsEvaluationCost(t *testing.T) {
	parser := constraints.NewParser(constraints.Limits{})
	rule, err := parser.Rule(`size(properties) == 2`)
	require.NoError(t, err)
	for cost, failures := range map[int]int{1: 3, 0: 0} {
		got, err := readIndex(t.Context(), "key", written(t, parse(t, etcd)), Options{Limits: catalog.Limits{EvaluationCost: cost}})
		require.NoError(t, err)
		for _, s := range []*catalog.Snapshot{got, got.WithFaults(nil, nil)} {
			n := 0
			for range s.Failures(t.Context(), constraints.CEL{Rule: rule}, rules.Facts{}) {
				n++
			}
			assert.Equal(t, failures, n)
		}
	}
}

// What the checksum does not catch is an error.
func TestDamagedIndexText(t *testing.T) {
	text := string(written(t, load(t, faulty)))
	first, rest, _ := strings.Cut(text, "\n")
	for name, test := range map[string]struct{ text, want string }{
		"empty":             {"", "its first line cannot be read"},
		"no header":         {rest, "its first line cannot be read"},
		"an unknown member": {strings.Replace(text, `"Key"`, `"Kee"`, 1), "its first line cannot be read"},
		"another key":       {strings.Replace(text, `"key"`, `"kee"`, 1), "it has another key"},
		"no packages":       {first + "\n", "0 of its 2 bundles and"},
		"half":              {text[:len(text)-len(rest)/2], "of its 2 bundles and"},
		"an entry less":     {strings.Replace(text, `,{"name":"a.v9","replaces":"a.v2"}`, "", 1), "of its 6 entries can be read"},
		"broken line":       {strings.Replace(text, `"a.v2","image"`, `"a.v2,"image"`, 1), "of its 2 bundles and"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readIndex(t.Context(), "key", []byte(test.text), Options{})
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := readIndex(t.Context(), "key", []byte(text), Options{Constraints: constraints.Limits{Limits: rules.Limits{RuleLength: 10}}})
	require.ErrorContains(t, err, "1 of its 2 bundles and", "with other options")
}

// The bytes of an index may change only together with indexFormat, as may what reading a catalog
// results in.
func TestIndexFormat(t *testing.T) {
	sum := sha256.Sum256(written(t, load(t, faulty)))
	assert.Equal(t, map[int]string{16: "3f42072934422eb6"}, map[int]string{indexFormat: hex.EncodeToString(sum[:8])},
		"raise indexFormat, and then put the new pair here")
}

func FuzzReadIndex(f *testing.F) {
	for _, catalog := range []string{faulty, "-- c.yaml --\n" + etcd} {
		text := written(f, load(f, catalog))
		f.Add(text)
		f.Add(text[:len(text)/2])
		f.Add(bytes.Replace(text, []byte(`"replaces"`), []byte(`"skips"`), 1))
	}
	f.Fuzz(readAnyText)
}

// What the checksum does not catch ends in an error, or in a snapshot.
func TestIndexOfAnyText(t *testing.T) {
	text := written(t, load(t, faulty))
	for seed := range testkit.Seeds(t, 300) {
		r := rand.New(rand.NewPCG(seed, 1))
		damaged := slices.Clone(text)
		for range 1 + r.IntN(3) {
			damaged[r.IntN(len(damaged))] = text[r.IntN(len(text))]
		}
		if r.IntN(4) == 0 {
			damaged = damaged[:r.IntN(len(damaged))]
		}
		readAnyText(t, damaged)
	}
}

// readAnyText uses all of a snapshot that can be read.
func readAnyText(t *testing.T, text []byte) {
	s, err := readIndex(t.Context(), "key", text, Options{})
	if err != nil {
		return
	}
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		b.Properties.CEL()
		require.Equal(t, int(id) < s.Candidates(), len(b.Places) > 0)
		require.Contains(t, s.Package(b.Package).Bundles, id)
	}
	again := written(t, s)
	twice, err := readIndex(t.Context(), "key", again, Options{})
	require.NoError(t, err, "%s", text)
	require.Equal(t, string(again), string(written(t, twice)), "%s", text)
}
