package cache

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// widget is a bundle directory with a bit of everything.
func widget() fstest.MapFS {
	return fstest.MapFS{
		"widget/1.0.0/manifests/csv.yaml": text(`
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: widget.v1.0.0
  annotations:
    createdAt: 2019-02-28
    olm.skipRange: <1.0.0
    olm.properties: '[{"type":"olm.maxOpenShiftVersion","value":"4.8"}]'
spec:
  version: 1.0.0
  replaces: widget.v0.9.0
  skips: [widget.v0.9.5, widget.v0.9.4]
  minKubeVersion: 1.20.0
  installModes:
  - {type: OwnNamespace, supported: true}
  customresourcedefinitions:
    owned:
    - {name: widgets.example.com, version: v1, kind: Widget}
    required:
    - {name: gadgets.example.com, version: v1, kind: Gadget}
  apiservicedefinitions:
    owned:
    - {group: api.example.com, version: v1, kind: Gear}
`),
		"widget/1.0.0/manifests/crd.yaml": text(`
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, versions: [{name: v1}]}
`),
		"widget/1.0.0/metadata/annotations.yaml": text(`
annotations:
  operators.operatorframework.io.bundle.package.v1: widget
  operators.operatorframework.io.bundle.channels.v1: stable, fast
  operators.operatorframework.io.bundle.channel.default.v1: stable
`),
		"widget/1.0.0/metadata/dependencies.yaml": text(`
dependencies:
- type: olm.package
  value: {packageName: gadget, version: ">=1.0.0"}
- type: olm.gvk
  value: {group: example.com, version: v1, kind: Gadget}
- type: olm.constraint
  value: {failureMessage: no gizmo, gvk: {group: example.com, version: v1, kind: Gizmo}}
`),
		"widget/1.0.0/metadata/properties.yaml": text(`
properties:
- type: plain
  value: 1
- property: {type: wrapped, value: {a: [true, null]}}
`),
		"widget/ci.yaml": text("- not: part of it"),
	}
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

func TestBundleDirectory(t *testing.T) {
	checked, err := FS(widget(), Options{}).LoadChecked(context.Background())
	require.NoError(t, err)
	assert.Empty(t, checked.Faults)
	s := checked.Snapshot
	require.Equal(t, 1, s.Len())
	var got []string
	for _, p := range s.Bundle(0).Properties.All() {
		if p.Type != "olm.csv.metadata" {
			got = append(got, p.Type+" "+string(p.Value))
		}
	}
	assert.Equal(t, []string{
		`olm.constraint {"failureMessage":"no gizmo","gvk":{"group":"example.com","kind":"Gizmo","version":"v1"}}`,
		`olm.gvk {"group":"api.example.com","kind":"Gear","version":"v1"}`,
		`olm.gvk {"group":"example.com","kind":"Widget","version":"v1"}`,
		`olm.gvk.required {"group":"example.com","kind":"Gadget","version":"v1"}`,
		`olm.maxOpenShiftVersion "4.8"`,
		`olm.package {"packageName":"widget","version":"1.0.0"}`,
		`olm.package.required {"packageName":"gadget","versionRange":">=1.0.0"}`,
		`plain 1`,
		`wrapped {"a":[true,null]}`,
	}, got)
	metadata := s.Bundle(0).Properties.Metadata()
	assert.Equal(t, "1.20.0", metadata.MinKubeVersion)
	assert.True(t, metadata.Supports("OwnNamespace"))
	assert.Equal(t, []properties.GVK{{Group: "api.example.com", Version: "v1", Kind: "Gear"}}, metadata.APIServices())

	p := s.Package("widget")
	assert.Equal(t, "stable", p.DefaultChannel)
	for _, name := range []string{"stable", "fast"} {
		e := p.Channel(name).Entry("widget.v1.0.0")
		require.NotNil(t, e)
		assert.Equal(t, "widget.v0.9.0", e.Replaces)
		assert.Equal(t, []string{"widget.v0.9.4", "widget.v0.9.5"}, e.Skips)
		assert.Equal(t, "<1.0.0", e.SkipRange.Text())
	}
}

func TestBundleDirectoryFaults(t *testing.T) {
	const csv, annotations = "widget/1.0.0/manifests/csv.yaml", "widget/1.0.0/metadata/annotations.yaml"
	for _, test := range []struct {
		name     string
		change   func(fsys fstest.MapFS)
		want     []catalog.Code
		bundles  int
		contains string
	}{
		{"no channel", replaceIn(annotations, "stable, fast", ""), []catalog.Code{code.BundleChannel}, 1, annotations + ":2:1, package widget, bundle widget.v1.0.0: the bundle is in no channel"},
		{"no package", replaceIn(annotations, "widget", ""), []catalog.Code{code.Annotations}, 0, "names no package"},
		{"default channel", replaceIn(annotations, "default.v1: stable", "default.v1: slow"), []catalog.Code{code.DefaultChannel}, 1, annotations + ":2:1, package widget: the default channel"},
		{"other media type", func(fsys fstest.MapFS) {
			replaceIn(annotations, "annotations:", "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: plain+v0")(fsys)
			replaceIn(csv, "version: 1.0.0", "version: [1]")(fsys)
		}, []catalog.Code{code.MediaType}, 0, annotations + `:2:1, package widget: the bundle is not judged, because its media type is "plain+v0": only registry+v1 is read`},
		{"media type", replaceIn(annotations, "annotations:", "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1"), nil, 1, ""},
		{"undefined property", replaceIn("widget/1.0.0/metadata/properties.yaml", "plain", "olm.plain"), []catalog.Code{code.Undefined}, 1,
			`metadata/properties.yaml:3:3, package widget, bundle widget.v1.0.0, property 8: OLM defines no property type "olm.plain"`},
		{"no annotations", func(fsys fstest.MapFS) {
			delete(fsys, annotations)
		}, []catalog.Code{code.Annotations}, 0, "names no package"},
		{"no ClusterServiceVersion", func(fsys fstest.MapFS) { delete(fsys, csv) }, []catalog.Code{code.ServiceVersion}, 0, "has 0"},
		{"two ClusterServiceVersions", func(fsys fstest.MapFS) { fsys["widget/1.0.0/manifests/again.yaml"] = fsys[csv] }, []catalog.Code{code.ServiceVersion}, 0, "has 2"},
		{"CRD missing", func(fsys fstest.MapFS) { delete(fsys, "widget/1.0.0/manifests/crd.yaml") }, []catalog.Code{code.OwnedCRD}, 1, "do not contain it"},
		{"CRD without the version", replaceIn("widget/1.0.0/manifests/crd.yaml", "name: v1", "name: v2"), []catalog.Code{code.OwnedCRD}, 1, "no such version"},
		{"a version of a CRD that is not served", replaceIn("widget/1.0.0/manifests/crd.yaml", "name: v1", "name: v1, served: false"), []catalog.Code{code.OwnedCRD}, 1, "which does not serve it"},
		{"install modes", replaceIn(csv, "supported: true", "supported: false"), []catalog.Code{code.InstallModes}, 1, "no install mode is supported"},
		{"no name", replaceIn(csv, "name: widget.v1.0.0", "labels: {}"), []catalog.Code{code.Field}, 0, "has no name"},
		{"a long name", replaceIn(csv, "name: widget.v1.0.0", "name: "+strings.Repeat("w", 1025)), []catalog.Code{code.Limit}, 0, "metadata.name: a name is longer than the 1024 bytes allowed"},
		{"a long channel", replaceIn(annotations, "stable, fast", "stable, "+strings.Repeat("w", 1025)), []catalog.Code{code.Limit}, 0, "channels.v1: a name is longer"},
		{"another package and version", replaceIn("widget/1.0.0/metadata/properties.yaml", "- type: plain", "- {type: olm.package, value: {packageName: gadget, version: 0.9.0}}\n- type: plain"), []catalog.Code{code.Trap}, 1,
			`metadata/properties.yaml:3:3, package widget, bundle widget.v1.0.0: olm.package in metadata/properties.yaml has no effect`},
		{"the same package and version", replaceIn("widget/1.0.0/metadata/properties.yaml", "- type: plain", "- {type: olm.package, value: {packageName: widget, version: 1.0.0}}\n- type: plain"), nil, 1, ""},
		{"a long type", replaceIn("widget/1.0.0/metadata/properties.yaml", "plain", strings.Repeat("w", 1025)), []catalog.Code{code.Limit}, 0,
			"metadata/properties.yaml:3:3, package widget, bundle widget.v1.0.0, type: it is 1025 bytes long, more than the 1024 allowed"},
		{"the longest type", replaceIn("widget/1.0.0/metadata/properties.yaml", "plain", strings.Repeat("w", 1024)), nil, 1, ""},
		{"a long type in an annotation", replaceIn(csv, "olm.maxOpenShiftVersion", strings.Repeat("w", 1025)), []catalog.Code{code.Limit}, 0, "type: it is 1025 bytes long"},
		{"many channels and skips", func(fsys fstest.MapFS) {
			var numbers []string
			for i := range 513 {
				numbers = append(numbers, strconv.Itoa(i))
			}
			replaceIn(csv, "widget.v0.9.5, widget.v0.9.4", strings.Join(numbers, ","))(fsys)
			replaceIn(annotations, "stable, fast", "stable, "+strings.Join(numbers[1:], ","))(fsys)
		}, []catalog.Code{code.Limit}, 0, "the bundle skips 513 others in 513 channels"},
		{"many problems", replaceIn("widget/1.0.0/metadata/properties.yaml", "- type: plain", strings.Repeat("- a\n", 1100)+"- type: plain"), slices.Concat(slices.Repeat([]catalog.Code{code.Property}, 1000), []catalog.Code{code.Limit}), 0, "more problems than the 1000"},
		{"wrong type", replaceIn(csv, "version: 1.0.0", "version: [1]"), []catalog.Code{code.Field}, 0, "it cannot be read: spec.version: want a string, got a list"},
		{"repeated key", replaceIn(csv, "  replaces:", "  version: 2.0.0\n  replaces:"), []catalog.Code{code.Field}, 0, `the key "version" in line 12 is stated more than once`},
		{"no YAML", replaceIn(csv, "spec:", "spec: ]"), []catalog.Code{code.Syntax}, 0, "csv.yaml"},
		{"no YAML in annotations", replaceIn(annotations, "annotations:", "annotations: ]"), []catalog.Code{code.Syntax}, 0, "annotations.yaml"},
		{"bad version", replaceIn(csv, "version: 1.0.0", "version: 1.0"), []catalog.Code{"version"}, 0, ""},
		{"bad dependency", replaceIn("widget/1.0.0/metadata/dependencies.yaml", "olm.gvk", "olm.crd"), []catalog.Code{code.Property}, 0, "olm.crd"},
		{"name of a required API", replaceIn("widget/1.0.0/metadata/dependencies.yaml", "kind: Gadget", "kind: G_"), []catalog.Code{code.Name}, 1, "metadata/dependencies.yaml:5:3, package"},
		{"bad range", replaceIn("widget/1.0.0/metadata/dependencies.yaml", ">=1.0.0", "^1"), []catalog.Code{code.Constraint}, 0, "metadata/dependencies.yaml:3:3, package"},
		{"bad annotation", replaceIn(csv, `'[{"type"`, `'[{"type`), []catalog.Code{code.Property}, 0, "olm.properties"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := widget()
			test.change(fsys)
			checked, err := FS(fsys, Options{}).LoadChecked(context.Background())
			require.NoError(t, err)
			var codes []catalog.Code
			all := ""
			for _, f := range checked.Faults {
				codes = append(codes, f.Code)
				all += f.Error() + "\n"
			}
			assert.ElementsMatch(t, test.want, codes, all)
			assert.Contains(t, all, test.contains)
			assert.Equal(t, test.bundles, checked.Snapshot.Len())
			checkIndex(t, checked.Snapshot, Options{})
		})
	}
}

func replaceIn(file, old, with string) func(fstest.MapFS) {
	return func(fsys fstest.MapFS) {
		fsys[file] = text(strings.ReplaceAll(string(fsys[file].Data), old, with))
	}
}

// A catalog beside bundle directories is not read, and not passed over in silence either.
// Templates of catalogs and files of other tools are.
func TestCatalogBesideBundleDirectories(t *testing.T) {
	files := widget()
	for name, content := range map[string]string{
		"catalogs/a.yaml": testkit.Etcd, "catalogs/b.yaml": "{schema: olm.package, name: b}", "widget/ci.yaml": "merge: false",
		"template.yaml": "{schema: olm.template.basic, entries: [{schema: olm.package, name: t}]}", "broken.json": "{", "widget/1.0.0/tests/x.yaml": testkit.Etcd,
	} {
		files[name] = text(content)
	}
	loaded, err := FS(files, Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	about := slices.DeleteFunc(loaded.Faults, func(f catalog.Fault) bool { return f.Code != code.PassedOver })
	require.Len(t, about, 1)
	assert.Equal(t, "catalogs/a.yaml", about[0].File)
	assert.Equal(t, catalog.Error, about[0].Severity)
	assert.Contains(t, about[0].Message, "(and 1 more) is not read")
	assert.Nil(t, loaded.Snapshot.Package("etcd"))
	assert.NotNil(t, loaded.Snapshot.Package("widget"))
}

func TestBundleTreeDefaultChannel(t *testing.T) {
	version := func(fsys fstest.MapFS, v, channel string) {
		for file, data := range widget() {
			moved := strings.ReplaceAll(string(data.Data), "widget.v1.0.0", "widget.v"+v)
			moved = strings.ReplaceAll(moved, "version: 1.0.0", "version: "+v)
			moved = strings.ReplaceAll(moved, "default.v1: stable", "default.v1: "+channel)
			fsys[strings.ReplaceAll(file, "1.0.0", v)] = text(moved)
		}
	}
	fsys := fstest.MapFS{}
	version(fsys, "1.9.0", "stable")
	version(fsys, "1.10.0", "fast")
	s, err := LoadFS(context.Background(), fsys, Options{})
	require.NoError(t, err)
	assert.Equal(t, "fast", s.Package("widget").DefaultChannel)
	assert.Equal(t, 2, s.Len())
}

func FuzzBundleDirectory(f *testing.F) {
	for _, file := range widget() {
		f.Add(file.Data, file.Data)
	}
	f.Fuzz(func(t *testing.T, manifest, metadata []byte) {
		fsys := widget()
		fsys["widget/1.0.0/manifests/csv.yaml"] = &fstest.MapFile{Data: manifest}
		fsys["widget/1.0.0/metadata/properties.yaml"] = &fstest.MapFile{Data: metadata}
		_, err := FS(fsys, Options{}).LoadChecked(context.Background())
		require.NoError(t, err)
	})
}

// A bundle may be in as many channels as there is room for, and name each twice.
func TestManyChannelsOfADirectory(t *testing.T) {
	const n = 100_000
	names := make([]string, 2*n)
	for i := range names {
		names[i] = strconv.Itoa(i % n)
	}
	tree := widget()
	replaceIn("widget/1.0.0/metadata/annotations.yaml", "stable, fast", strings.Join(names, ","))(tree)
	var s *catalog.Snapshot
	var err error
	_, took := testkit.Cost(func() { s, err = LoadFS(t.Context(), tree, Options{}) })
	require.NoError(t, err)
	assert.Less(t, took, 10*time.Second)
	assert.Len(t, s.Package("widget").Channels, n)
}
