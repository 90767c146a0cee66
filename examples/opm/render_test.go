package opm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/operator-registry/alpha/property"
	"github.com/operator-framework/operator-registry/pkg/image"
	"github.com/operator-framework/operator-registry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/template"
)

const csv = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: gull.v1.2.0
  annotations: {capabilities: Basic Install, olm.skipRange: ">=1.0.0 <1.2.0"}
  labels: {operatorframework.io/arch.amd64: supported}
spec:
  version: 1.2.0
  displayName: Gull
  description: Watches <the> sea.
  maturity: stable
  minKubeVersion: 1.25.0
  keywords: [sea, harbor]
  links: [{name: home, url: https://gull.example}]
  maintainers: [{name: Ann, email: ann@gull.example}]
  provider: {name: Coast}
  icon: [{base64data: AAAA, mediatype: image/png}]
  installModes: [{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: false}]
  nativeAPIs: [{group: apps, version: v1, kind: Deployment}]
  customresourcedefinitions:
    owned: [{name: gulls.sea.example, version: v1, kind: Gull, displayName: Gull, description: A gull.}]
    required: [{name: fish.sea.example, version: v1, kind: Fish}]
  relatedImages: [{name: gull, image: "registry.example/gull:1.2.0"}]
  install:
    strategy: deployment
    spec:
      deployments:
      - name: gull
        spec:
          template:
            spec:
              containers: [{name: a, image: "registry.example/gull:1.2.0"}, {name: b, image: "registry.example/proxy:1"}]
`

var bundle = map[string]string{
	"manifests/gull.csv.yaml": csv,
	"manifests/crd.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gulls.sea.example}
spec: {group: sea.example, names: {kind: Gull, plural: gulls}, scope: Namespaced, versions: [{name: v1, served: true, storage: true}]}
`,
	"metadata/annotations.yaml": `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.package.v1: gull
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
`,
	"metadata/dependencies.yaml": `dependencies:
- {type: olm.package, value: {packageName: fish, version: ">=1.0.0"}}
`,
	"metadata/properties.yaml": `properties:
- {type: olm.maxOpenShiftVersion, value: "4.20"}
- {type: olm.package, value: {packageName: tern, version: 1.1.0}}
`,
}

// The blob of a bundle directory is the one that opm renders, with olm.csv.metadata.
func TestBlobOfDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range bundle {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	origin := cache.FS(os.DirFS(dir), cache.Options{})
	snapshot, err := origin.Load(t.Context())
	require.NoError(t, err)
	blobs := template.Bundles{}
	require.NoError(t, blobs.AddDirectory(t.Context(), "registry.example/gull-bundle:1.2.0", snapshot, origin.Blobs))

	input, err := registry.NewImageInput(image.SimpleReference(""), dir)
	require.NoError(t, err)
	_, stated, err := registry.ObjectsAndPropertiesFromBundle(input.Bundle)
	require.NoError(t, err)
	theirs, migrated := map[string]bool{}, v1alpha1.ClusterServiceVersion{}
	for _, o := range input.Bundle.Objects {
		text, err := json.Marshal(o)
		require.NoError(t, err)
		if o.GetKind() == "ClusterServiceVersion" {
			require.NoError(t, json.Unmarshal(text, &migrated))
		}
	}
	for _, p := range append(stated, property.MustBuildCSVMetadata(migrated)) {
		if p.Type != property.TypeBundleObject { // opm takes these out with --migrate-level
			theirs[shaped(t, p)] = true
		}
	}
	var ours struct {
		Schema, Package, Name, Image string
		Properties                   []property.Property
		RelatedImages                []struct{ Name, Image string }
	}
	require.NoError(t, json.Unmarshal(blobs["registry.example/gull-bundle:1.2.0"], &ours))
	properties := map[string]bool{}
	for _, p := range ours.Properties {
		properties[shaped(t, p)] = true
	}
	assert.Equal(t, theirs, properties)
	assert.Equal(t, []string{"olm.bundle", "gull", "gull.v1.2.0", "registry.example/gull-bundle:1.2.0"}, []string{ours.Schema, ours.Package, ours.Name, ours.Image})
	images, err := migratedImages(input.Bundle)
	require.NoError(t, err)
	for _, i := range ours.RelatedImages {
		delete(images, i.Image)
	}
	assert.Empty(t, images, "of its containers")
	assert.Len(t, ours.RelatedImages, 3)
}

func migratedImages(b *registry.Bundle) (map[string]struct{}, error) {
	csv, err := b.ClusterServiceVersion()
	if err != nil {
		return nil, err
	}
	return csv.GetOperatorImages()
}

// shaped is a property without empty objects, which mean nothing.
func shaped(t *testing.T, p property.Property) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(p.Value, &value))
	if fields, ok := value.(object); ok {
		for name, v := range fields {
			if inner, ok := v.(object); ok && len(inner) == 0 {
				delete(fields, name)
			}
		}
	}
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return p.Type + " " + string(text)
}
