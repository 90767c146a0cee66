package cache

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestForms reads the same bundle from all forms that a file can have.
func TestForms(t *testing.T) {
	for name, text := range map[string]string{
		"JSON in lines": `
-- c.json --
{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}
`,
		"JSON without breaks, unknown fields first": `
-- c.json --
{"icon":{"base64data":"AAAA"},"name":"p","schema":"olm.package","defaultChannel":"c"}{"entries":[{"name":"p.v1"}],"schema":"olm.channel","package":"p","name":"c"}{"properties":[{"value":{"version":"1.0.0","packageName":"\u0070"},"type":"olm.package"}],"schema":"olm.bundle","package":"p","name":"p.v1","relatedImages":[{}]}
`,
		"YAML": `
-- c.yaml --
# a comment
---
schema: olm.package
name: p
defaultChannel: c
---
---
# nothing
---
schema: olm.channel
package: p
name: c
entries:
- name: p.v1
--- # the bundle
schema: olm.bundle
package: p
name: p.v1
description: |
  ---- is no marker
  --- and neither is this
properties:
- type: olm.package
  value:
    packageName: p
    version: 1.0.0
...
`,
		"JSON and YAML in YAML": `
-- c.yml --
{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
--- {schema: olm.bundle, package: p, name: p.v1, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
`,
		"YAML with directives": `
-- c.yaml --
%YAML 1.1
---
{schema: olm.package, name: p, defaultChannel: c}
...
%YAML 1.1
---
{schema: olm.channel, package: p, name: c, entries: [{name: p.v1}]}
---
{schema: olm.bundle, package: p, name: p.v1, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
`,
		"YAML in JSON's clothes": `
-- c.JSON --
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries: [{name: p.v1}]
-- deep/er/bundle.Yml --
schema: olm.bundle
package: p
name: p.v1
properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]
-- README.md --
# Not a catalog: {
-- other.json --
{"schema":"com.example.anything","properties":"whatever","entries":7,"name":[]}
`,
		"aliases and merge keys": `
-- c.yaml --
schema: olm.package
name: &name p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries: [{name: &bundle p.v1}]
x: *bundle
---
x-base: &base {packageName: p, version: 0.0.9, }
schema: olm.bundle
package: p
name: p.v1
properties:
- type: olm.package
  value: {<<: *base, version: 1.0.0}
`,
	} {
		t.Run(name, func(t *testing.T) {
			for ending, text := range map[string]string{"LF": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n")} {
				tree := fstest.MapFS{}
				for name, f := range files(strings.ReplaceAll(text, "\r", "")).(fstest.MapFS) {
					data := string(f.Data)
					if ending == "CRLF" {
						data = strings.ReplaceAll(data, "\n", "\r\n")
					}
					tree[name] = &fstest.MapFile{Data: []byte("\ufeff" + data), Mode: 0o644}
				}
				s, err := LoadFS(t.Context(), tree, Options{})
				require.NoError(t, err, ending)
				require.Empty(t, s.Faults(), ending)
				require.Equal(t, []string{"p.v1"}, bundleNames(s), ending)
				assert.Equal(t, 1, s.Candidates())
				assert.Equal(t, "1.0.0", s.Bundle(0).Version.String())
				assert.Equal(t, "c", s.Package("p").DefaultChannel)
			}
		})
	}
}

// TestOrderOfInputMeansNothing splits a catalog in many ways.
func TestOrderOfInputMeansNothing(t *testing.T) {
	documents := strings.Split(etcd+`
---
{schema: olm.bundle, package: etcd, name: etcd.v4, image: other, properties: [{type: olm.package, value: {packageName: etcd, version: 4.0.0}}]}
---
{schema: olm.deprecations, package: etcd, entries: [{reference: {schema: olm.channel, name: beta}, message: old}]}
`, "---\n")
	describe := func(s *catalog.Snapshot) string {
		var b strings.Builder
		for id := range catalog.ID(s.Len()) {
			bundle := s.Bundle(id)
			fmt.Fprintln(&b, id, bundle.Name, bundle.Version, bundle.Image, len(bundle.Places), bundle.Properties.CEL())
		}
		for p := range s.Packages() {
			fmt.Fprintln(&b, p.Name, p.DefaultChannel, p.Bundles)
			for _, c := range p.Channels {
				fmt.Fprintln(&b, c.Name, c.Entries, c.Order, c.Deprecation)
			}
		}
		for _, f := range s.Faults() {
			fmt.Fprintln(&b, f.Code, f.Package, f.Channel, f.Bundle, f.Quarantines)
		}
		return b.String()
	}
	want := ""
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		tree := fstest.MapFS{}
		for i := 0; i < len(documents); {
			n := 1 + random.IntN(len(documents)-i)
			tree[fmt.Sprintf("%d.yaml", i)] = &fstest.MapFile{Data: []byte(strings.Join(documents[i:i+n], "\n---\n"))}
			i += n
		}
		s, err := LoadFS(t.Context(), tree, Options{Workers: 4})
		require.NoError(t, err)
		if want == "" {
			want = describe(s)
		}
		require.Equal(t, want, describe(s))
	}
	assert.Contains(t, want, "duplicateBundle")
}

func TestEqualDuplicatesCountAsOne(t *testing.T) {
	tree := fstest.MapFS{
		"a.yaml": {Data: []byte(etcd)}, "b.yaml": {Data: []byte(etcd)},
		"c.json": {Data: []byte(`{"schema":"olm.bundle","package":"etcd","name":"etcd.v4","image":"registry.example/etcd:4","properties":[
			{"value":{"version":"4.0.0","packageName":"etcd"},"type":"olm.package"},
			{"type":"olm.gvk.required","value":{"kind":"Zone","group":"dns.example","version":"v1"}},
			{"type":"example.size","value":{"cores":4}}]}`)},
	}
	s, err := LoadFS(t.Context(), tree, Options{})
	require.NoError(t, err)
	assert.Equal(t, 4, s.Len())
	assert.Empty(t, s.Faults())
	_, err = LoadFS(t.Context(), tree, Options{Strict: true})
	assert.ErrorContains(t, err, "bundle etcd.v4: it is stated 3 times in equal words, and opm refuses the catalog: keep one")
}

func TestYAMLValues(t *testing.T) {
	s := load(t, `
-- c.yaml --
schema: olm.bundle
package: p
name: p.v1
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
- type: values
  value:
    text: [plain, 'yes', "1", 2001-01-01, !!str 4.10, !custom x]
    numbers: [4.10, 1_000, 0x1F, 0o17, +5, .5, 5., 1e3, -0]
    booleans: [true, False, yes, Off]
    nulls: [null, ~, ]
    binary: !!binary aGk=
- type: olm.maxOpenShiftVersion
  value: 4.10
`)
	var value string
	for _, p := range s.Bundle(0).Properties.All() {
		if p.Type == "values" {
			value = string(p.Value)
		}
	}
	assert.Equal(t, `{"text":["plain","yes","1","2001-01-01","4.10","x"],`+
		`"numbers":[4.1,1000,31,15,5,0.5,5,1000,-0],"booleans":[true,false,true,false],"nulls":[null,null],"binary":"hi"}`, value)
	limit, _ := s.Bundle(0).Properties.MaxOpenShift()
	assert.Equal(t, "4.1", limit.String())
}

func TestNamesThatLookLikeNumbers(t *testing.T) {
	s := load(t, `
-- c.yaml --
{schema: olm.package, name: p, defaultChannel: 4.10}
---
{schema: olm.channel, package: p, name: 4.10, entries: [{name: p.v1}]}
---
{schema: olm.bundle, package: p, name: p.v1, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
`)
	require.Empty(t, s.Faults())
	assert.True(t, s.Package("p").Channel("4.10").Default)
}

func TestMetadataIsReduced(t *testing.T) {
	for name, text := range map[string]string{
		"yaml": `{schema: olm.bundle, package: p, name: b, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}},
  {value: {description: long, minKubeVersion: 1.20.0, installModes: [{type: AllNamespaces, supported: true}]}, type: olm.csv.metadata}]}`,
		"json": `{"schema":"olm.bundle","package":"p","name":"b","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},
  {"type":"olm.csv.metadata","value":{"description":"long","minKubeVersion":"1.20.0","installModes":[{"type":"AllNamespaces","supported":true}]}}]}`,
	} {
		s, err := Parse(t.Context(), []byte(text), Options{})
		require.NoError(t, err)
		require.Equal(t, 1, s.Len(), "%s %v", name, s.Faults())
		var values []string
		for _, p := range s.Bundle(0).Properties.All() {
			values = append(values, string(p.Value))
		}
		assert.Equal(t, `{"installModes":[{"supported":true,"type":"AllNamespaces"}],"minKubeVersion":"1.20.0"}`, values[1], name)
	}
}

func TestDeprecations(t *testing.T) {
	s := load(t, `
-- c.yaml --
`+etcd+`
---
schema: olm.deprecations
package: etcd
entries:
- {reference: {schema: olm.package}, message: use other}
- {reference: {schema: olm.channel, name: beta}, message: use alpha}
- {reference: {schema: olm.bundle, name: etcd.v2}, message: broken}
- {reference: {schema: olm.bundle, name: etcd.v3}}
- {reference: {schema: olm.bundle, name: unknown}, message: x}
`)
	require.Empty(t, s.Faults())
	p := s.Package("etcd")
	assert.Equal(t, "use other", p.Deprecation)
	assert.Equal(t, "use alpha", p.Channel("beta").Deprecation)
	assert.Empty(t, p.Channel("alpha").Deprecation)
	assert.Equal(t, "broken", s.Bundle(s.Named("etcd.v2")[0]).Deprecation)
	assert.Equal(t, "deprecated, without a reason given", s.Bundle(s.Named("etcd.v3")[0]).Deprecation)
}

func TestStrict(t *testing.T) {
	text := []byte(`{"schema":"olm.package","name":"p"}`)
	s, err := Parse(t.Context(), text, Options{Strict: true})
	assert.Nil(t, s)
	var faults *catalog.FaultsError
	require.ErrorAs(t, err, &faults)
	assert.EqualValues(t, code.DefaultChannel, faults.Faults[0].Code)
	assert.EqualError(t, err, "the catalog has 3 faults:\n"+
		"  line 1:1, package p: the package names no default channel, so none of its channels is preferred: set defaultChannel\n"+
		"  line 1:1, package p: the package has no bundle: add one, or remove the package\n"+
		"  line 1:1, package p: the package has no channel: add one")
	assert.ErrorIs(t, err, faults.Faults[2])

	// Warnings are no reason to refuse a catalog.
	text = []byte(strings.Replace(etcd, "value: {cores: 4}}", "value: {cores: 4}}\n- {type: olm.maxOpenShiftVersion, value: new}", 1))
	s, err = Parse(t.Context(), text, Options{Strict: true})
	require.NoError(t, err)
	assert.Len(t, s.Faults(), 1)
}

func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	link := func(target, name string) { require.NoError(t, os.Symlink(target, filepath.Join(dir, name))) }

	// Kubernetes mounts a volume like this: each file can be found twice.
	write("..2024/catalog.yaml", etcd)
	link("..2024", "..data")
	link("..data/catalog.yaml", "catalog.yaml")
	link("missing.yaml", "dangling.yaml")
	link(".", "loop")
	link("loop.json", "loop.json")
	link("..2024", "linked.json")

	s, err := LoadFS(t.Context(), os.DirFS(dir), Options{})
	require.NoError(t, err)
	assert.Equal(t, 4, s.Len())
	texts := faultTexts(s.Faults())
	require.Len(t, texts, 4)
	assert.Equal(t, "unreadableFile dangling.yaml: it is a link to nothing: remove it, or put the file there", texts[0])
	assert.Equal(t, "unreadableFile linked.json: it is a link to a directory, which is not followed: put the directory itself there", texts[1])
	assert.Equal(t, "unreadableFile loop: it is a link to a directory, which is not followed: put the directory itself there", texts[2])
	assert.Contains(t, texts[3], "unreadableFile loop.json: it cannot be read")
}

func TestMissingTree(t *testing.T) {
	_, err := LoadFS(t.Context(), os.DirFS(filepath.Join(t.TempDir(), "none")), Options{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// stuckFS never returns from Open.
type stuckFS struct{ entered chan struct{} }

func (s stuckFS) Open(string) (fs.File, error) {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	select {}
}

func TestContextEndsAStuckRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stuck := stuckFS{make(chan struct{}, 1)}
	go func() { <-stuck.entered; cancel() }()
	_, err := LoadFS(ctx, stuck, Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestContextEndsALongRead(t *testing.T) {
	document := `{"schema":"olm.bundle","package":"p","name":"b","properties":[` + strings.Repeat(`{"type":"a","value":[1,2,3]},`, 1000) + `{"type":"b","value":1}]}` + "\n"
	text := []byte(strings.Repeat(document, 500))
	after, err := testkit.CancelAfter(t.Context(), 20*time.Millisecond, func(ctx context.Context) error {
		_, err := Parse(ctx, text, Options{})
		return err
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.LessOrEqual(t, after, testkit.AllowedLatency())
}

// Texts for people are read where they are wanted, from JSON, YAML and bundle directories;
// what is wrong with them is no fault.
func TestTexts(t *testing.T) {
	const (
		pkg     = `{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}`
		bundle  = `{"schema":"olm.bundle","package":"p","name":"p.v1","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},{"type":"olm.csv.metadata","value":`
		version = "schema: olm.bundle\npackage: p\nname: p.v1\nproperties:\n- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n"
	)
	csv := strings.Replace(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"p.v1"},"spec":{"version":"1.0.0",TEXTS}}`,
		"TEXTS", `"displayName":"Pea","description":"Grows.\nFast.","keywords":["green","food"],"installModes":[{"type":"AllNamespaces","supported":true}]`, 1)
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"JSON":  {map[string]string{"c.json": pkg + bundle + `{"keywords":["green","food"],"displayName":"Pea","description":"Grows.\nFast."}}]}`}, []string{"green", "food", "Pea", "Grows.\nFast."}},
		"YAML":  {map[string]string{"p.json": pkg, "c.yaml": version + "- type: olm.csv.metadata\n  value:\n    description: |-\n      Grows.\n      Fast.\n    displayName: Pea\n    keywords:\n    - green\n    - food\n"}, []string{"Grows.\nFast.", "Pea", "green", "food"}},
		"wrong": {map[string]string{"c.json": pkg + bundle + `{"displayName":7,"keywords":"green","description":{"a":[null]}}}]}`}, []string{"green", "a"}},
		"bundle directory": {map[string]string{"b/manifests/csv.json": csv, "b/metadata/annotations.yaml": "annotations: {operators.operatorframework.io.bundle.mediatype.v1: registry+v1, " +
			"operators.operatorframework.io.bundle.package.v1: p, operators.operatorframework.io.bundle.channels.v1: c}\n"}, []string{"Grows.\nFast.", "Pea", "green", "food"}},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for file, text := range test.files {
				fsys[file] = &fstest.MapFile{Data: []byte(text)}
			}
			for _, wanted := range []bool{false, true} {
				s, err := LoadFS(t.Context(), fsys, Options{Texts: wanted})
				require.NoError(t, err)
				require.Empty(t, s.Faults())
				texts := s.Bundle(s.Named("p.v1")[0]).Properties.Metadata().Texts
				if !wanted {
					assert.Empty(t, texts)
					continue
				}
				assert.ElementsMatch(t, test.want, texts)
			}
		})
	}
}

// A folder without a catalog is mostly another one than was meant.
func TestNoCatalog(t *testing.T) {
	for message, tree := range map[string]fstest.MapFS{
		"the folder has no catalog: give the one with the JSON or YAML files that 'opm render' writes, such as configs of an image":                      {"main.go": {Data: []byte("package main")}},
		"such as configs of an image; first of 2 faults: a.yaml:1:1: the document has no schema: add one, such as olm.bundle, or keep the file out with": {"a.yaml": {Data: []byte("kind: Pod")}, "b.yaml": {Data: []byte("kind: Pod")}},
	} {
		_, err := LoadFS(t.Context(), tree, Options{})
		assert.ErrorContains(t, err, message)
	}
	s, err := LoadFS(t.Context(), fstest.MapFS{"a.json": {Data: []byte(`{"schema":`)}}, Options{})
	require.NoError(t, err, "it may be one")
	assert.Len(t, s.Faults(), 1)
}

// A name that is not UTF-8 takes its file or folder from the catalog, not the catalog from its users.
func TestNamesOfOtherEncodings(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder\xff"), 0o755); err != nil {
		t.Skip("this file system has no such names:", err)
	}
	for name, text := range map[string]string{"catalog.yaml": etcd, "file\xff.yaml": etcd, "folder\xff/catalog.yaml": etcd} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	s, err := LoadFS(t.Context(), os.DirFS(dir), Options{})
	require.NoError(t, err)
	assert.Equal(t, 4, s.Len())
	assert.Equal(t, []string{
		"unreadableFile file\xff.yaml: its name is not UTF-8, so that it cannot be read: rename it",
		"unreadableFile folder\xff: its name is not UTF-8, so that it cannot be read: rename it",
	}, faultTexts(s.Faults()))
}
