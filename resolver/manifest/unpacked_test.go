package manifest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// packed is a manifest as the writer of operator-registry packs it, in the text of an API server.
func packed(text string) string {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	once := base64.StdEncoding.EncodeToString(compressed.Bytes())
	return base64.StdEncoding.EncodeToString([]byte(once))
}

const unpackedPlan = `
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {namespace: harbor, name: install-a}
spec: {approval: Manual, approved: false, clusterServiceVersionNames: [a.v2]}
status:
  phase: RequiresApproval
  plan:
  - {resolving: a.v2, resource: {kind: CustomResourceDefinition, name: things.g.io, manifest: '{"kind":"ConfigMap","name":"hash","namespace":"olm","catalogSourceName":"c"}'}}
  - {resolving: a.v2, resource: {kind: Role, name: keeper, manifest: '{"kind":"ConfigMap","name":"hash","namespace":"olm"}'}}
  - {resolving: a.v2, resource: {kind: Role, name: other, manifest: '{"kind":"ConfigMap","name":"gone","namespace":"olm"}'}}
`

// The steps of an InstallPlan have what the ConfigMaps state that OLM has unpacked bundles into,
// compressed or not, also once the objects are written and read again.
func TestUnpacked(t *testing.T) {
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.g.io}\nspec:\n  group: g.io\n  names: {kind: Thing, plural: things}\n  scope: Cluster\n  versions: [{name: v1, served: true, storage: true}]\n"
	const role = "kind: Role\nmetadata: {name: keeper}\nrules: [{apiGroups: [\"\"], resources: [pods], verbs: [get]}]\n"
	head := "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: olm, name: hash, labels: {olm.managed: 'true'}}\n"
	for name, text := range map[string]string{
		"plain":      head + "data:\n  a: |\n    " + strings.ReplaceAll(crd, "\n", "\n    ") + "\n  b: |\n    " + strings.ReplaceAll(role, "\n", "\n    ") + "\n  c: \"{\"\n  d: \"no manifest\"\n",
		"compressed": head + "binaryData: {a: " + packed(crd) + ", b: " + packed(role) + ", c: bm8=, d: " + packed(strings.Repeat("x", 5<<20)) + "}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := manifest.Read(t.Context(), manifest.Input{Name: "in", Reader: strings.NewReader(unpackedPlan + text)})
			require.NoError(t, err)
			in := cluster.ConfigMap{Namespace: "olm", Name: "hash"}
			want := []cluster.PlanStep{
				{CSV: "a.v2", Kind: "CustomResourceDefinition", Name: "things.g.io", In: in, Definition: &properties.Definition{
					Group: "g.io", Names: properties.DefinitionNames{Kind: "Thing", Plural: "things"}, Scope: "Cluster", Versions: []properties.DefinedVersion{{Name: "v1", Served: true, Storage: true}},
				}},
				{CSV: "a.v2", Kind: "Role", Name: "keeper", In: in, Rights: []cluster.Right{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}},
				{CSV: "a.v2", Kind: "Role", Name: "other", In: cluster.ConfigMap{Namespace: "olm", Name: "gone"}},
			}
			for range 2 {
				assert.Equal(t, want, cluster.NewIndex(got).In("harbor").InstallPlans[0].Steps)
				text, err := manifest.Write(t.Context(), got)
				require.NoError(t, err)
				got, err = manifest.Read(t.Context(), manifest.Input{Name: "again", Reader: bytes.NewReader(text)})
				require.NoError(t, err)
			}
		})
	}
	got, err := manifest.Read(t.Context(), manifest.Input{Name: "in", Reader: strings.NewReader(strings.ReplaceAll(head, "olm.managed", "other") + "data: {a: '" + `{"kind":"Role"}` + "'}\n")})
	require.NoError(t, err)
	assert.Empty(t, got.Unpacked)
}

// What expands to more than any bundle has is not read.
func TestUnpackedLimit(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: olm, name: hash, labels: {olm.managed: 'true'}}\nbinaryData:\n"
	bomb := packed(strings.Repeat(" ", 30<<20))
	for _, name := range []string{"a", "b", "c"} {
		text += "  " + name + ": " + bomb + "\n"
	}
	text += "  d: " + packed("{kind: Role, metadata: {name: r}, rules: [{verbs: [get], apiGroups: [\"\"], resources: [pods]}]}") + "\n"
	got, err := manifest.Read(t.Context(), manifest.Input{Name: "in", Reader: strings.NewReader(text)})
	require.NoError(t, err)
	require.Len(t, got.Unpacked, 1)
	assert.Empty(t, got.Unpacked[0].Steps)
}
