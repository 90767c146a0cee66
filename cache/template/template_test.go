package template_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
)

func bundleBlob(pkg, version, image string) string {
	return fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%[1]s.v%s","image":%q,"relatedImages":[{"name":"a","image":""}],"properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":%[2]q}}]}`, pkg, version, image)
}

// given returns bundles of a catalog with a few versions.
func given(t *testing.T, images ...string) template.Bundles {
	t.Helper()
	text := `{"schema":"olm.package","name":"p","defaultChannel":"s"}`
	for _, v := range []string{"1.0.0", "1.0.1", "1.1.0", "1.1.0+1", "2.0.0"} {
		text += bundleBlob("p", v, "i:"+v)
	}
	text += bundleBlob("q", "1.0.0", "q:1.0.0")
	whole := func(ctx context.Context, of []catalog.BundleKey) (*cache.Blobs, error) {
		return cache.Stream("c.json", strings.NewReader(text), cache.OriginOptions{}).Blobs(ctx, of)
	}
	s, err := cache.Parse(t.Context(), []byte(text), cache.Options{})
	require.NoError(t, err)
	b := template.Bundles{}
	require.NoError(t, b.Add(t.Context(), s, images, whole))
	return b
}

const semver = `# a comment
schema: olm.semver
generateMajorChannels: true
stable:
  bundles:
  - image: i:1.0.0
  - image: i:1.0.1
  - image: i:1.1.0
`

// What is found has its place in the template, and the content of bundles is that of the catalog.
func TestPlaces(t *testing.T) {
	bundles := given(t, "i:1.0.0", "i:1.0.1", "i:1.1.0", "i:3.0.0")
	assert.Len(t, bundles, 3)
	checked, err := template.Load(t.Context(), "t.yaml", []byte(semver), bundles, cache.Options{})
	require.NoError(t, err)
	p := checked.Snapshot.Package("p")
	assert.Equal(t, "stable-v1", p.DefaultChannel)
	c := p.Channel("stable-v1")
	assert.Equal(t, "p.v1.1.0", c.Head().Name)
	assert.Equal(t, "p.v1.0.1", c.Entry("p.v1.1.0").Replaces)
	assert.Equal(t, []string{"p.v1.0.0"}, c.Entry("p.v1.1.0").Skips)
	for i, name := range []string{"p.v1.0.0", "p.v1.0.1", "p.v1.1.0"} {
		at := checked.Place("p", "", name)
		assert.Equal(t, [2]int{6 + i, 5}, [2]int{at.Line, at.Column}, name)
	}
	assert.Equal(t, 5, checked.Place("p", "stable-v1", "").Line)
	assert.Equal(t, 2, checked.Place("p", "", "").Line)
	require.Len(t, checked.Faults, 3, "an empty related image of each bundle")
	assert.Equal(t, catalog.Code("image"), checked.Faults[0].Code)

	basic := "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: t}\n- schema: olm.channel\n  package: p\n  name: s\n  entries:\n  - name: p.v1.0.0\n- image: i:1.0.0\n  schema: olm.bundle\n"
	checked, err = template.Load(t.Context(), "t.yaml", []byte(basic), bundles, cache.Options{})
	require.NoError(t, err)
	assert.Equal(t, 3, checked.Faults[0].Line)
	assert.Equal(t, catalog.Code("defaultChannel"), checked.Faults[0].Code)
	assert.Equal(t, 4, checked.Place("p", "s", "").Line)
	assert.Equal(t, 9, checked.Place("p", "", "p.v1.0.0").Line)

	line := `{"schema":"olm.template.basic","entries":[{"schema":"olm.package","name":"p","defaultChannel":"t"},{"schema":"olm.channel","package":"p","name":"s","entries":[{"name":"p.v1.0.0"}]}]}`
	checked, err = template.Load(t.Context(), "t.json", []byte(line), bundles, cache.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1+strings.Index(line, `{"schema":"olm.channel"`), checked.Place("p", "s", "").Column)
}

// What opm refuses is a fault, and the rest is read.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ text, line, want, heads string }{
		{strings.Replace(semver, "generateMajorChannels", "generateMajorChannel", 1), "3", "opm knows no field generateMajorChannel of a semver template", "p.v1.0.1 p.v1.1.0"},
		{strings.Replace(semver, "true", `"true"`, 1), "3", "generateMajorChannels must be true or false", "p.v1.0.1 p.v1.1.0"},
		{semver + "defaultChannelTypePreference: minor\n", "9", "generates no minor channels", "p.v1.1.0"},
		{semver + "defaultChannelTypePreference: middle\n", "9", `is "middle", which opm refuses`, "p.v1.1.0"},
		{semver + "  - image: i:1.0.0\n", "9", "stable lists the image i:1.0.0 more than once", "p.v1.1.0"},
		{semver + "  - image: q:1.0.0\n", "9", "is of package q", "p.v1.1.0"},
		{semver + "  - image: i:1.1.0+1\n", "9", "cannot be ordered beside p.v1.1.0", "p.v1.1.0"},
		{semver + "  - {}\n", "9", "names no image", "p.v1.1.0"},
		{semver + "  - i:2.0.0\n", "9", "a bundle of stable: it must be an object", "p.v1.1.0"},
		{semver + "  - image: i:2.0.0\n    name: x\n", "10", "no field name of a bundle of stable", "p.v1.1.0 p.v2.0.0"},
		{semver + "  more: x\n", "9", "no field more of stable", "p.v1.1.0"},
		{semver + "fast: x\n", "9", "fast: it must be an object", "p.v1.1.0"},
		{semver + "fast: {bundles: x}\n", "9", "the bundles of fast must be a list", "p.v1.1.0"},
		{semver + "stable:\n", "9", "more than once", "p.v1.1.0"},
		{semver + "---\nschema: olm.package\n", "10", "reads the first document of a template only", "p.v1.1.0"},
		{"schema: olm.semver\n", "1", "lists no bundle", ""},
		{"schema: olm.template.basic\n", "1", "has no entries", ""},
		{"schema: olm.template.basic\nentries: {}\n", "1", "it must be a list", ""},
		{"schema: olm.template.basic\nentries:\n- x\n- schema: olm.bundle\n  image: i:1.0.0\n  package: p\n", "3", "an entry cannot be read", ""},
		{"schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: i:1.0.0\n  package: p\n", "5", "states its package, which opm refuses here", ""},
		{"schema: olm.template.basic\nentries:\n- schema: olm.bundle\n", "3", "names no image", ""},
		{"schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: ''\n", "3", "names no image", ""},
		{"schema: olm.template.basic\nentries:\n- schema: olm.bundle\n  image: {i: x}\n", "3", "names no image", ""},
		{"schema: olm.semver\nstable: &a [*a]\n", "2", "it must be an object", ""},
	} {
		require.True(t, template.Is(t.Context(), []byte(test.text)), test.text)
		checked, err := template.Load(t.Context(), "t.yaml", []byte(test.text), given(t, "i:1.0.0", "i:1.0.1", "i:1.1.0", "i:1.1.0+1", "i:2.0.0", "q:1.0.0"), cache.Options{})
		require.NoError(t, err, test.text)
		var found []string
		for _, f := range checked.Faults {
			if f.Code == "template" {
				found = append(found, f.Error())
			}
		}
		if assert.NotEmpty(t, found, test.text) {
			assert.Contains(t, strings.Join(found, "\n"), test.want)
			assert.Contains(t, strings.Join(found, "\n"), "t.yaml:"+test.line+":", test.text)
		}
		var heads []string
		for p := range checked.Snapshot.Packages() {
			for _, c := range p.Channels {
				heads = append(heads, c.Head().Name)
			}
		}
		assert.Equal(t, test.heads, strings.Join(heads, " "), test.text)
	}
}

// A bundle that nobody gave is told, and nothing is guessed.
func TestNotGiven(t *testing.T) {
	_, err := template.Load(t.Context(), "t.yaml", []byte(semver), given(t, "i:1.0.0"), cache.Options{})
	assert.EqualError(t, err, "the template is not judged, because no given catalog has a usable bundle of 2 of its 3 images: i:1.0.1 (line 7), i:1.1.0 (line 8)")
	images, err := template.Images(t.Context(), "t.yaml", []byte(semver), cache.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"i:1.0.0", "i:1.0.1", "i:1.1.0"}, images)
}

// Keys have any case at every level, as in the documentation of OLM.
func TestKeysInAnyCase(t *testing.T) {
	bundles := given(t, "i:1.0.0", "i:1.1.0")
	for text, head := range map[string]string{
		"Schema: olm.semver\nGenerateMajorChannels: true\nGenerateMinorChannels: false\nDefaultChannelTypePreference: major\nStable:\n  Bundles:\n  - Image: i:1.0.0\n  - IMAGE: i:1.1.0\n": "stable-v1 p.v1.1.0",
		"SCHEMA: olm.template.basic\nEntries:\n- Schema: olm.package\n  Name: p\n  DefaultChannel: s\n- Schema: olm.channel\n  Package: p\n  NAME: s\n  Entries:\n  - Name: p.v1.1.0\n    Replaces: p.v1.0.0\n    Skips: [p.v0]\n    SkipRange: <1.1.0\n  - name: p.v1.0.0\n- Schema: olm.bundle\n  Image: i:1.0.0\n- schema: olm.bundle\n  image: i:1.1.0\n- Schema: olm.deprecations\n  Package: p\n  Entries:\n  - Reference: {Schema: olm.bundle, Name: p.v1.0.0}\n    Message: old\n": "s p.v1.1.0 <1.1.0 old",
	} {
		require.True(t, template.Is(t.Context(), []byte(text)), text)
		checked, err := template.Load(t.Context(), "t.yaml", []byte(text), bundles, cache.Options{})
		require.NoError(t, err, text)
		for _, f := range checked.Faults {
			assert.NotEqual(t, catalog.Code("template"), f.Code, f.Error())
		}
		p := checked.Snapshot.Package("p")
		require.NotNil(t, p, text)
		c := p.Channel(p.DefaultChannel)
		require.NotNil(t, c, text)
		got := p.DefaultChannel + " " + c.Head().Name
		if e := c.Head(); e.SkipRange.Text() != "" {
			got += " " + e.SkipRange.Text()
		}
		for id := range catalog.ID(checked.Snapshot.Len()) {
			if d := checked.Snapshot.Bundle(id).Deprecation; d != "" {
				got += " " + d
			}
		}
		assert.Equal(t, head, got)
		require.Len(t, c.Entries, 2)
	}
	basic := "Schema: olm.template.basic\nEntries:\n- Schema: olm.bundle\n  Image: i:1.0.0\n  Package: p\n"
	checked, err := template.Load(t.Context(), "t.yaml", []byte(basic), bundles, cache.Options{})
	require.NoError(t, err)
	assert.ErrorContains(t, checked.Faults[0], "states its package, which opm refuses here")
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		semver: true, `{"entries":[],"schema":"olm.template.basic"}`: true, "---\n" + semver: true,
		"schema: olm.package\nname: olm.semver\n": false, "schema: olm.package\n---\n" + semver: false, "": false, "x: olm.semver\n---\n" + semver: false,
		"schema: olm.semver.x\n": false, ": olm.semver": false,
	} {
		assert.Equal(t, want, template.Is(t.Context(), []byte(text)), text)
	}
}

func TestOther(t *testing.T) {
	for text, want := range map[string]string{
		"Schema: olm.template.substitutes\nentries: []\n": "substitutes", "schema: olm.composite\n": "composite", "schema: olm.composite.catalogs\n": "composite",
		semver: "", "schema: olm.package\nname: olm.composite\n": "",
	} {
		assert.Equal(t, want, template.Other(t.Context(), []byte(text)), text)
	}
}

// Nobody is trusted: a template of any form is read in bounded time, and its blobs stay on their lines.
func FuzzLoad(f *testing.F) {
	f.Add(semver)
	f.Add("schema: olm.template.basic\nentries: [{schema: olm.bundle, image: i}, {schema: olm.package, name: p}, x, {schema: olm.bundle, image: i, package: p}]\n")
	f.Add("schema: olm.semver\nstable: &a {bundles: [{image: i}, &b {image: j}, *b]}\nfast: *a\n")
	f.Add("{[{\"imama\":\"olm.semver\",\n\r\"candidate\":{\"bundles\":[{\"image\":\"i\"}]}}")
	f.Add("{\"schema\":\"olm.semver\",\n\t\"candidate\":{\"bundles\":[{\"image\":\"i\"}]}}")
	f.Fuzz(func(t *testing.T, text string) {
		bundles := template.Bundles{}
		images, err := template.Images(t.Context(), "t.yaml", []byte(text), cache.Options{})
		require.NoError(t, err)
		for i, image := range images {
			bundles[image] = []byte(bundleBlob("p", fmt.Sprintf("%d.%d.0", i%3, i), "i"))
		}
		checked, err := template.Load(t.Context(), "t.yaml", []byte(text), bundles, cache.Options{})
		require.NoError(t, err)
		lines := 2 // YAML may end a line later
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
			lines += strings.Count(text, end)
		}
		for _, fault := range checked.Faults {
			require.LessOrEqual(t, fault.Line, lines, "%v", fault)
		}
	})
}
