package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// TestProfile reads the profile of OLM v1 from definitions.
func TestProfile(t *testing.T) {
	definition := func(name, field string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: " + name + "}, spec: {versions: [" +
			"{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {" + field + ": {type: object}}}}}}}]}}\n---\n"
	}
	const extensions = "clusterextensions.olm.operatorframework.io"
	for text, want := range map[string]cluster.Profile{
		"":                               "",
		definition("a.b.c", "config"):    "",
		definition(extensions, "config"): cluster.ProfileExperimental,
		definition(extensions, "source"): cluster.ProfileStandard,
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: " + extensions + "}}": cluster.ProfileStandard,
	} {
		objects, err := manifest.Read(t.Context(), manifest.Input{Name: "f", Reader: strings.NewReader(text)})
		require.NoError(t, err, text)
		assert.Equal(t, want, objects.OLMv1, text)
	}
}

// TestDefinition reads which versions the definitions of a cluster and of an InstallPlan have,
// and writes them again.
func TestDefinition(t *testing.T) {
	got := read(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.g.io}
spec: {group: g.io, names: {kind: Thing}, versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object}}}, {name: v1beta1, served: false}]}
status: {storedVersions: [v1beta1, v1]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: p, namespace: n}
spec: {approved: false, clusterServiceVersionNames: [a.v2]}
status:
  plan:
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: things.g.io, manifest: '{"spec":{"group":"g.io","names":{"kind":"Thing"},"versions":[{"name":"v2","served":true},{"name":"v1","served":false}]}}'}}
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: olds.g.io, manifest: '{"spec":{"group":"g.io","names":{"kind":"Old"},"versions":[{"name":"v1"}]}}'}}
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: kept.g.io, manifest: '{"kind":"ConfigMap","name":"c"}'}}
`)
	assert.Equal(t, []cluster.Definition{{Name: "things.g.io", Served: []string{"v1"}, Stored: []string{"v1beta1", "v1"}}}, got.Definitions)
	thing := func(kind, version string) []properties.GVK {
		return []properties.GVK{{Group: "g.io", Version: version, Kind: kind}}
	}
	assert.Equal(t, []cluster.PlanStep{
		{CSV: "a.v2", Kind: "CustomResourceDefinition", Name: "things.g.io", Served: thing("Thing", "v2"), Unserved: thing("Thing", "v1")},
		{CSV: "a.v2", Kind: "CustomResourceDefinition", Name: "olds.g.io", Unserved: thing("Old", "v1")},
	}, got.InstallPlans[0].Steps)
	text, err := manifest.Write(t.Context(), got)
	require.NoError(t, err)
	assert.Equal(t, got, read(t, string(text)))
	_, err = manifest.Read(t.Context(), manifest.Input{Name: "f", Reader: strings.NewReader("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b.c}, status: {storedVersions: v1}}")})
	assert.ErrorContains(t, err, "status.storedVersions")
}
