package cache_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

const (
	relatedJSON = `{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}],"relatedImages":[{"name":"x","image":"i/x"},{"name":"y","image":"i/y"},{"name":"","image":"i/x"},{"name":"none"}]}
{"relatedImages":7,"schema":"olm.bundle","package":"a","name":"a.v2","image":"i/a2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}}]}
`
	relatedYAML = `---
schema: olm.bundle
package: b
name: b.v1
image: i/b1
properties: [{type: olm.package, value: {packageName: b, version: 1.0.0}}]
icon:
  base64data: "AAAA"
relatedImages:
- image: i/z
  name: z
- name: ""
  image: i/b1
`
	relatedCSV = `kind: ClusterServiceVersion
metadata: {name: d.v1}
spec:
  version: 1.0.0
  relatedImages:
  - {name: w, image: i/w}
`
)

func relatedImages(t *testing.T, files fs.FS, of ...catalog.BundleKey) (map[catalog.BundleKey][]string, error) {
	blobs, err := cache.FS(files, cache.Options{}).Blobs(t.Context(), of)
	images := map[catalog.BundleKey][]string{}
	for _, bundle := range of {
		if blobs != nil {
			images[bundle] = blobs.Images(bundle)
		}
	}
	return images, err
}

// Related images are read from both syntaxes and from bundle directories, each once
// and in their order; only those of the bundles that are asked for.
func TestRelatedImages(t *testing.T) {
	files := fstest.MapFS{"a.json": {Data: []byte(relatedJSON)}, "b.yaml": {Data: []byte(relatedYAML)}}
	a1, a2, b1 := catalog.BundleKey{Package: "a", Name: "a.v1"}, catalog.BundleKey{Package: "a", Name: "a.v2"}, catalog.BundleKey{Package: "b", Name: "b.v1"}
	got, err := relatedImages(t, files, a1, b1)
	require.NoError(t, err)
	assert.Equal(t, map[catalog.BundleKey][]string{a1: {"i/x", "i/y"}, b1: {"i/z", "i/b1"}}, got)

	_, err = relatedImages(t, files, a2)
	assert.ErrorContains(t, err, "relatedImages")
	_, err = relatedImages(t, files, catalog.BundleKey{Package: "a", Name: "a.v3"})
	assert.ErrorContains(t, err, "bundle a.v3 of package a: it is not there")
	got, err = relatedImages(t, files)
	require.NoError(t, err)
	assert.Empty(t, got)

	d1 := catalog.BundleKey{Package: "d", Name: "d.v1"}
	got, err = relatedImages(t, fstest.MapFS{
		"d/manifests/d.clusterserviceversion.yaml": {Data: []byte(relatedCSV)},
		"d/metadata/annotations.yaml":              {Data: []byte("annotations: {operators.operatorframework.io.bundle.package.v1: d, operators.operatorframework.io.bundle.channels.v1: c}")},
	}, d1)
	require.NoError(t, err)
	assert.Equal(t, map[catalog.BundleKey][]string{d1: {"i/w"}}, got)
}

// What a reader of relatedImages does not need changes nothing of the catalog.
func TestRelatedImagesAreNotRead(t *testing.T) {
	s, err := cache.Parse(t.Context(), []byte(relatedJSON), cache.Options{})
	require.NoError(t, err)
	for _, f := range s.Faults() {
		assert.NotContains(t, f.Path, "relatedImages")
	}
	assert.Equal(t, 2, s.Len())
}

// A bundle may name a great many images: each is looked at once.
func TestManyRelatedImages(t *testing.T) {
	const many = 100_000
	var text strings.Builder
	text.WriteString(`{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}],"relatedImages":[{"image":"i"}`)
	for i := range many {
		fmt.Fprintf(&text, `,{"image":"%099d"}`, i)
	}
	text.WriteString("]}")
	a1 := catalog.BundleKey{Package: "a", Name: "a.v1"}
	took := testkit.Took(func() {
		got, err := relatedImages(t, fstest.MapFS{"c.json": {Data: []byte(text.String())}}, a1)
		require.NoError(t, err)
		assert.Len(t, got[a1], many+1)
	})
	assert.Less(t, took, 10*time.Second, "usually some 100 ms")
}

// Catalogs as their maintainers wrote them name images.
func TestRelatedImagesShared(t *testing.T) {
	dir := testkit.Shared(t, "catalogs", "raw-v4.19")
	source := cache.FS(os.DirFS(dir), cache.Options{})
	s, err := source.Load(t.Context())
	require.NoError(t, err)
	var all []catalog.BundleKey
	for p := range s.Packages() {
		for _, id := range p.Bundles {
			all = append(all, catalog.BundleKey{Package: p.Name, Name: s.Bundle(id).Name})
		}
	}
	blobs, err := source.Blobs(t.Context(), all)
	require.NoError(t, err)
	n := 0
	for _, bundle := range all {
		n += len(blobs.Images(bundle))
	}
	assert.Greater(t, n, len(all))
	t.Logf("%d bundles, %d related images", len(all), n)
}

// What is written of a part of a catalog states all that the catalog states of it: fields
// and blobs that a Snapshot does not keep, from both syntaxes alike.
func TestRenderWhole(t *testing.T) {
	const whole = `{"schema":"olm.package","name":"a","defaultChannel":"c","description":"An operator.","icon":{"base64data":"AAAA","mediatype":"image/png"}}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"}],"properties":[{"type":"x","value":1}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},{"type":"olm.bundle.object","value":{"data":"e30="}},{"type":"olm.csv.metadata","value":{"description":"D","maturity":"alpha"}}],"relatedImages":[{"name":"x","image":"i/x"}]}
{"schema":"olm.deprecations","package":"a","entries":[{"reference":{"schema":"olm.bundle","name":"a.v1"},"message":"old"}],"note":"kept"}
{"schema":"example.com.docs","package":"a","name":"z","pages":[{"n":1.50,"text":"é"}]}
{"schema":"example.com.docs","package":"a","pages":null}
`
	other := `{"schema":"olm.package","name":"b","defaultChannel":"c"}
{"schema":"example.com.docs","package":"b"}
{"schema":"example.com.global"}
{"schema":"olm.deprecations","entries":[{"reference":{"schema":"olm.package"},"message":"of no package"}]}
{"schema":"olm.bundle","package":"a","name":"a.v0","image":"i/a0","properties":[{"type":"olm.package","value":{"packageName":"a","version":"0.1.0"}}]}
`
	yamlText := strings.NewReplacer("\n{", "\n---\n {").Replace("\n" + whole + other) // flow mappings, no JSON
	for name, files := range map[string]fstest.MapFS{
		"json": {"c.json": {Data: []byte(whole + other)}},
		"yaml": {"c.yaml": {Data: []byte(strings.ReplaceAll(yamlText, `"schema":`, `schema: `))}},
	} {
		source := cache.FS(files, cache.Options{})
		s, err := source.Load(t.Context())
		require.NoError(t, err)
		blobs, err := source.Blobs(t.Context(), []catalog.BundleKey{{Package: "a", Name: "a.v1"}})
		require.NoError(t, err)
		var cut *catalog.Package
		for p := range s.Packages() {
			if p.Name == "a" {
				part := *p
				part.Bundles = slices.DeleteFunc(slices.Clone(p.Bundles), func(id catalog.ID) bool { return s.Bundle(id).Name != "a.v1" })
				cut = &part
			}
		}
		text, err := cache.Render(t.Context(), s, []*catalog.Package{cut}, blobs)
		require.NoError(t, err)
		got, want := strings.Split(string(text), "\n"), strings.Split(whole, "\n")
		require.Len(t, got, len(want), name)
		for i := range want[:len(want)-1] {
			assert.JSONEq(t, want[i], got[i], name)
		}
	}
}
