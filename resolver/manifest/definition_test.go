package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		objects, err := manifest.Read(t.Context(), strings.NewReader(text), "f")
		require.NoError(t, err, text)
		assert.Equal(t, want, objects.OLMv1, text)
	}
}
