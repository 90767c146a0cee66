package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each thing that can come of it if Subscriptions go: those of one package in all namespaces,
// and several in one; a ClusterExtension uses what is installed, too.
func TestWithout(t *testing.T) {
	bundle := func(name, more string) string {
		return `{schema: olm.package, name: ` + name + `, defaultChannel: c}
---
{schema: olm.channel, package: ` + name + `, name: c, entries: [{name: ` + name + `.v2}]}
---
{schema: olm.bundle, package: ` + name + `, name: ` + name + `.v2, image: i, properties: [{type: olm.package, value: {packageName: ` + name + `, version: 2.0.0}}` + more + `]}
---
`
	}
	const lamp = `, {type: olm.gvk, value: {group: g, version: v1, kind: Lamp}}`
	torch := bundle("torch", lamp)
	catalog := bundle("lamp", "") + bundle("app", `, {type: olm.gvk.required, value: {group: g, version: v1, kind: Lamp}}`)
	subscription := func(name, namespace, pkg string) string {
		return "---\nkind: Subscription\nmetadata: {name: " + name + ", namespace: " + namespace + "}\nspec: {name: " + pkg + "}\n"
	}
	installed := subscription("lamp", "house", "lamp") + `status: {installedCSV: lamp.v1}
---
kind: ClusterServiceVersion
metadata: {name: lamp.v1, namespace: house, annotations: {operatorframework.io/properties: '{"properties":[{"type":"olm.package","value":{"packageName":"lamp","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"Lamp"}}]}'}}
spec: {version: 1.0.0}
`
	for name, tt := range map[string]struct {
		catalog, cluster, want string
		status                 int
	}{
		"breaks": {catalog, installed + subscription("app", "house", "app"), `without Subscription lamp, lamp.v1 in namespace house: what remains cannot be resolved

Required by
  app.v2: an operator providing Lamp (g/v1)

Why
  Subscription app cannot be satisfied in namespace house: no operator of the visible catalog olm/c provides Lamp (g/v1); required by app.v2
`, exitUnresolved},
		"replaced": {catalog + torch, installed + subscription("app", "house", "app"), `without Subscription lamp, lamp.v1 in namespace house: OLM would install something else instead

Required by
  app.v2: an operator providing Lamp (g/v1)

Then installed
  torch.v2 of catalog olm/c, for app.v2
`, exitUnresolved},
		"a ClusterExtension breaks": {catalog, installed + "---\nkind: ClusterExtension\nmetadata: {name: e}\nspec: {source: {catalog: {packageName: app}}}\n", `without Subscription lamp, lamp.v1 in namespace house: what remains cannot be resolved

Why
  ClusterExtension e cannot be satisfied: no operator of the available catalog c provides Lamp (g/v1); required by app.v2
`, exitUnresolved},
		"several": {catalog, subscription("lamp", "shed", "lamp") + installed + subscription("second", "house", "lamp"), `without Subscription lamp, second, lamp.v1 in namespace house: nothing that remains requires it

without Subscription lamp in namespace shed: nothing that remains requires it
`, exitResolved},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "catalog.yaml")
			require.NoError(t, os.WriteFile(file, []byte(strings.TrimSuffix(tt.catalog, "---\n")), 0o600))
			got := invoke(t, t.Context(), tt.cluster, "status", "-f", "-", "--catalog", "olm/c="+file, "--catalog", "c="+file, "--without", "lamp")
			const notGiven = "not taken into account: whether operators refuse updates (no OperatorConditions given), install modes and APIs that namespaces share (no OperatorGroups given); 'kubectl get operatorconditions,operatorgroups -A -o yaml' prints them\n"
			assert.Equal(t, outcome{tt.status, tt.want, notGiven}, got)
		})
	}
}
