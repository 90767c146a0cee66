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
metadata: {name: things.g.io, labels: {olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: e}}
spec: {group: g.io, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}, {name: v1beta1, served: false}]}
status: {storedVersions: [v1beta1, v1]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: p, namespace: n}
spec: {approved: false, clusterServiceVersionNames: [a.v2]}
status:
  plan:
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: things.g.io, manifest: '{"spec":{"group":"g.io","names":{"kind":"Thing","plural":"things"},"versions":[{"name":"v2","served":true},{"name":"v1","served":false}]}}'}}
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: olds.g.io, manifest: '{"spec":{"group":"g.io","names":{"kind":"Old","plural":"olds"},"versions":[{"name":"v1"}]}}'}}
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: kept.g.io, manifest: '{"kind":"ConfigMap","name":"c"}'}}
`)
	definition := func(kind, plural, scope string, versions ...properties.DefinedVersion) properties.Definition {
		return properties.Definition{Group: "g.io", Names: properties.DefinitionNames{Kind: kind, Plural: plural}, Scope: scope, Versions: versions}
	}
	things := definition("Thing", "things", "", properties.DefinedVersion{Name: "v2", Served: true}, properties.DefinedVersion{Name: "v1"})
	olds := definition("Old", "olds", "", properties.DefinedVersion{Name: "v1"})
	assert.Equal(t, []cluster.Definition{{
		Name: "things.g.io", Stored: []string{"v1beta1", "v1"}, Owner: "e",
		Definition: definition("Thing", "things", "Namespaced", properties.DefinedVersion{Name: "v1", Served: true, Storage: true}, properties.DefinedVersion{Name: "v1beta1"}),
	}}, got.Definitions)
	assert.Equal(t, []cluster.PlanStep{
		{CSV: "a.v2", Kind: "CustomResourceDefinition", Name: "things.g.io", Definition: &things},
		{CSV: "a.v2", Kind: "CustomResourceDefinition", Name: "olds.g.io", Definition: &olds},
		{CSV: "a.v2", Kind: "CustomResourceDefinition", Name: "kept.g.io", In: cluster.ConfigMap{Name: "c"}},
	}, got.InstallPlans[0].Steps)
	text, err := manifest.Write(t.Context(), got)
	require.NoError(t, err)
	assert.Equal(t, got, read(t, string(text)))
	_, err = manifest.Read(t.Context(), manifest.Input{Name: "f", Reader: strings.NewReader("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b.c}, status: {storedVersions: v1}}")})
	assert.ErrorContains(t, err, "status.storedVersions")
}
