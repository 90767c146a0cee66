package apiserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// storedDefinition is a definition with versions, as in "v1alpha1 +v1", of which one is for storage.
func storedDefinition(plural, versions string) string {
	text := fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.sea.example.com}
spec:
  group: sea.example.com
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]s, singular: %[3]s, listKind: %[2]sList}
  versions:
`, plural, strings.ToUpper(plural[:1])+plural[1:len(plural)-1], strings.TrimSuffix(plural, "s"))
	for _, v := range strings.Fields(versions) {
		name, storage := strings.CutPrefix(v, "+")
		text += fmt.Sprintf("  - {name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n", name, storage)
	}
	return text
}

// storedBundle is an update of operator lantern whose definition has other versions.
func storedBundle(plural, versions string) string {
	return `-- metadata/annotations.yaml --
annotations: {operators.operatorframework.io.bundle.package.v1: lantern, operators.operatorframework.io.bundle.channels.v1: stable, operators.operatorframework.io.bundle.channel.default.v1: stable}
-- manifests/csv.yaml --
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: lantern.v3.2.0}
spec: {version: 3.2.0, replaces: lantern.v3.1.0, installModes: [{type: OwnNamespace, supported: true}]}
-- manifests/crd.yaml --` + storedDefinition(plural, versions)
}

const storedOperator = `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {namespace: harbor, name: lantern}, spec: {name: lantern, channel: stable, source: c, sourceNamespace: olm}, status: {lastUpdated: "2026-01-01T00:00:00Z", state: AtLatestKnown, installedCSV: lantern.v3.1.0, currentCSV: lantern.v3.1.0}}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {namespace: harbor, name: og}, spec: {targetNamespaces: [harbor]}, status: {namespaces: [harbor], lastUpdated: "2026-01-01T00:00:00Z"}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {namespace: harbor, name: lantern.v3.1.0, annotations: {operatorframework.io/properties: '{"properties": [{"type": "olm.package", "value": {"packageName": "lantern", "version": "3.1.0"}}]}'}}, spec: {version: 3.1.0}, status: {phase: Succeeded, reason: InstallSucceeded}}
`

// inShell are the commands that a page of status has somebody copy.
var inShell = regexp.MustCompile(`(?m)^ *\d+\. .*?: ((?:kubectl|grep) .*)$`)

// TestStoredVersions: what status says to do about a version that is still stored is carried out in a
// shell, word for word. Then the server takes the definition without that version, and no resource is
// lost. Without it, resources cannot be read any more.
func TestStoredVersions(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("kubectl is not installed: the commands cannot be carried out")
	}
	s := Start(t)
	s.Apply(t, storedOperator)
	client, err := dynamic.NewForConfig(s.Config())
	require.NoError(t, err)
	definitions := client.Resource(resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"))
	kubeconfig := Kubeconfig(t, s.Config())
	for _, test := range []struct {
		plural, first, then, next string
		resources, commands       int
		skip                      bool
	}{
		{"lanterns", "+v1alpha1", "v1alpha1 +v1", "+v1", 40, 3, false},
		{"lamps", "+v1alpha1", "+v1alpha1 v1", "+v1", 3, 4, false}, // storage has to move before
		{"wicks", "+v1alpha1", "v1alpha1 +v1", "+v1", 0, 3, false},
		{"beams", "+v1alpha1", "v1alpha1 +v1", "+v1", 3, 0, true},
	} {
		t.Run(test.plural, func(t *testing.T) {
			kind := strings.ToUpper(test.plural[:1]) + test.plural[1:len(test.plural)-1]
			name, old := test.plural+".sea.example.com", client.Resource(resource("sea.example.com", "v1alpha1", test.plural))
			s.Apply(t, storedDefinition(test.plural, test.first))
			for i := range test.resources {
				s.Apply(t, fmt.Sprintf("{apiVersion: sea.example.com/v1alpha1, kind: %s, metadata: {namespace: bay-%d, name: r%d}, spec: {light: %[3]d}}", kind, i%2, i))
			}
			s.Apply(t, storedDefinition(test.plural, test.then))

			if test.skip { // the control: this is what OLM guards against
				_, err := definitions.Patch(t.Context(), name, "application/merge-patch+json", []byte(`{"status":{"storedVersions":["v1"]}}`), metav1.PatchOptions{}, "status")
				require.NoError(t, err)
				s.Apply(t, storedDefinition(test.plural, test.next))
				assert.Eventually(t, func() bool {
					_, err := client.Resource(resource("sea.example.com", "v1", test.plural)).List(t.Context(), metav1.ListOptions{})
					return err != nil && strings.Contains(err.Error(), "v1alpha1")
				}, startTimeout, 100*time.Millisecond, "resources that are not written anew can be read")
				return
			}
			before, err := old.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.Len(t, before.Items, test.resources)

			bundle := t.TempDir()
			require.NoError(t, os.CopyFS(bundle, testkit.Tree(storedBundle(test.plural, test.next))))
			status := func() ran {
				saved := kubectl(t, kubeconfig, "save")
				require.Zero(t, saved.status, saved.errors)
				file := filepath.Join(t.TempDir(), "cluster.yaml")
				require.NoError(t, os.WriteFile(file, []byte(saved.out), 0o600))
				return resolvent(t, "status", "-f", file, "--catalog", "olm/c="+bundle)
			}
			said := status()
			require.Equal(t, 1, said.status, said.out)
			commands := inShell.FindAllStringSubmatch(said.out, -1)
			require.Len(t, commands, test.commands, said.out)
			folder := t.TempDir()
			for _, command := range commands {
				shell := exec.CommandContext(t.Context(), "sh", "-c", command[1])
				shell.Dir, shell.Env = folder, append(os.Environ(), "KUBECONFIG="+kubeconfig)
				out, err := shell.CombinedOutput()
				require.NoError(t, err, "%s\n%s", command[1], out)
			}
			said = status()
			assert.Zero(t, said.status, said.out)

			s.Apply(t, storedDefinition(test.plural, test.next))
			require.Eventually(t, func() bool { // the server serves it after a moment
				_, err := old.List(t.Context(), metav1.ListOptions{})
				return err != nil
			}, startTimeout, 100*time.Millisecond)
			after, err := client.Resource(resource("sea.example.com", "v1", test.plural)).List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.Len(t, after.Items, len(before.Items))
			for i := range before.Items {
				was, is := &before.Items[i], &after.Items[i]
				assert.Equal(t, was.GetUID(), is.GetUID())
				assert.Equal(t, was.Object["spec"], is.Object["spec"])
			}
			d, err := definitions.Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, []any{"v1"}, d.Object["status"].(map[string]any)["storedVersions"])
		})
	}
}
