package cache

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
)

// What OLM reads otherwise than its author means, or not at all, is a finding.
func TestCheckLimits(t *testing.T) {
	limit := func(value string) string { return "{type: olm.maxOpenShiftVersion, value: " + value + "}" }
	metadata := func(fields string) string { return "{type: olm.csv.metadata, value: {" + fields + "}}" }
	number := ` to YAML and JSON %s: quote the version that is meant, %s`
	for _, test := range []struct{ image, property, want string }{
		{"i", limit(`"4.20"`), ""},
		{"i", limit(`4.20`), "warning: olm.maxOpenShiftVersion is a number," + fmt.Sprintf(number, "4.2", `"4.2" or "4.20"`)},
		{"i", limit(`4.16`), "warning: olm.maxOpenShiftVersion is a number," + fmt.Sprintf(number, "4.16", `"4.16"`)},
		{"i", limit(`5`), "warning: olm.maxOpenShiftVersion is a number," + fmt.Sprintf(number, "5", `"5"`)},
		{"i", metadata("minKubeVersion: 1.21.0"), ""},
		{"i", metadata("minKubeVersion: v1.21.0"), ""},
		{"i", metadata("minKubeVersion: '1.21'"), `error: minKubeVersion "1.21" is not a version of three numbers: OLM cannot install the bundle on any cluster: write all three, as 1.21.0`},
		{"i", metadata("annotations: {olm.skipRange: '<1.0.0', olm.properties: '[]', operatorframework.io/properties: '[]', properties: x, containerImage: i}"), ""},
		{"i", metadata("annotations: {olm.skiprange: '<1.0.0'}"), `warning: the annotation "olm.skiprange" has no effect: olm.skipRange is meant`},
		{"i", metadata("annotations: {operators.example/skip-range: '<1.0.0'}"), `warning: the annotation "operators.example/skip-range" has no effect: olm.skipRange is meant`},
		{"i", metadata("annotations: {olm.Properties: '[]'}"), `warning: the annotation "olm.Properties" has no effect: olm.properties is meant`},
		{"i", metadata("annotations: {olm.maxOpenShiftVersion: '4.8'}"), `warning: the annotation "olm.maxOpenShiftVersion" has no effect: the property olm.maxOpenShiftVersion, in olm.properties or metadata/properties.yaml, is meant`},
		{"registry.example:5000/a/b_c--d.e:v1.0-x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", limit(`"4.8"`), ""},
		{"registry.example/a@sha256:0123456789abcdef0123456789abcdef", limit(`"4.8"`), `error: the image "registry.example/a@sha256:0123456789abcdef0123456789abcdef" is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]`},
		{"not a pull spec", limit(`"4.8"`), `error: the image "not a pull spec" is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]`},
		{"registry.example/A:1", limit(`"4.8"`), `error: the image "registry.example/A:1" is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]`},
		{"https://registry.example/a", limit(`"4.8"`), `error: the image "https://registry.example/a" is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]`},
		{`i", relatedImages: [{name: x, image: i}], "x": "`, limit(`"4.8"`), ""},
		{`i", relatedImages: [{name: x, image: A}], "x": "`, limit(`"4.8"`), `error: "A" is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]`},
		{`i", relatedImages: [{name: 1, image: i}], "x": "`, limit(`"4.8"`), "error: it must be a string, not a number"},
		{`i", relatedImages: [{name: x, image: i}, {name: y}, {image: ''}], "x": "`, limit(`"4.8"`), "warning: a related image is empty, so that nobody can mirror it: name it, or remove it"},
	} {
		text := fmt.Sprintf(`{schema: olm.package, name: p, defaultChannel: c}
---
{schema: olm.channel, package: p, name: c, entries: [{name: p.v1}]}
---
{schema: olm.bundle, package: p, name: p.v1, image: "%s", properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}, %s]}
`, test.image, test.property)
		checked, err := FS(fstest.MapFS{"c.yaml": {Data: []byte(text)}}, Options{}).LoadChecked(t.Context())
		require.NoError(t, err)
		got := ""
		for _, f := range checked.Faults {
			severity := map[catalog.Severity]string{catalog.Warning: "warning", catalog.Error: "error"}[f.Severity]
			got += severity + ": " + f.Message
		}
		assert.Equal(t, test.want, got, "%s %s", test.image, test.property)
	}
}

// The release of a ClusterServiceVersion is that of its bundle.
func TestReleaseOfDirectory(t *testing.T) {
	fsys := widget()
	replaceIn("widget/1.0.0/manifests/csv.yaml", "  version: 1.0.0\n", "  version: 1.0.0\n  release: \"3\"\n")(fsys)
	checked, err := FS(fsys, Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	at := checked.Snapshot.Bundle(0)
	pkg, ok := at.Properties.Package()
	require.True(t, ok)
	assert.EqualValues(t, "3", pkg.Release)
}

// A related image of a ClusterServiceVersion without a name is found in its directory.
func TestEmptyRelatedImageOfDirectory(t *testing.T) {
	fsys := widget()
	replaceIn("widget/1.0.0/manifests/csv.yaml", "  version: 1.0.0\n", "  version: 1.0.0\n  relatedImages: [{name: a, image: i}, {name: b, image: ''}]\n")(fsys)
	checked, err := FS(fsys, Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	var paths []string
	for _, f := range checked.Faults {
		if f.Code == "image" {
			paths = append(paths, f.Path)
		}
	}
	assert.Equal(t, []string{"spec.relatedImages[1]"}, paths)
}
