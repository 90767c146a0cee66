package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told runs a command.
func told(t *testing.T, args ...string) (status int, out, problems string) {
	o := run(t, args...)
	return o.status, o.stdout, o.stderr
}

// writeIn writes a file of a test and returns its name.
func writeIn(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

const (
	policedCluster = `
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: aa, namespace: prod}, spec: {name: aa, source: c, sourceNamespace: olm}, status: {installedCSV: aa.v1.0.0}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: aa.v1.0.0, namespace: prod, creationTimestamp: "2026-01-01T00:00:00Z", annotations: {operatorframework.io/properties: '{"properties":[{"type":"olm.package","value":{"packageName":"aa","version":"1.0.0"}}]}'}}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
`
	policedCatalog = `
{schema: olm.package, name: aa, defaultChannel: stable}
---
{schema: olm.channel, package: aa, name: stable, entries: [{name: aa.v1.0.0}, {name: aa.v1.0.1, replaces: aa.v1.0.0}, {name: aa.v1.1.0, replaces: aa.v1.0.0, skips: [aa.v1.0.1]}]}
---
{schema: olm.bundle, package: aa, name: aa.v1.0.0, image: example.com/aa:1.0.0, properties: [{type: olm.package, value: {packageName: aa, version: 1.0.0}}]}
---
{schema: olm.bundle, package: aa, name: aa.v1.0.1, image: example.com/aa:1.0.1, properties: [{type: olm.package, value: {packageName: aa, version: 1.0.1}}]}
---
{schema: olm.bundle, package: aa, name: aa.v1.1.0, image: example.com/aa:1.1.0, properties: [{type: olm.package, value: {packageName: aa, version: 1.1.0}}]}
`
	patchesOnly = `
apiVersion: resolvent/v1
kind: Policy
metadata: {name: production}
match: {namespaces: [prod]}
candidates:
- name: patches-only
  deny: has(installed.version) && minor(bundle.version) != minor(installed.version)
  message: only patch updates in production
`
)

// TestPolicyFlag: each command that asks about requests obeys a policy, a saved problem holds
// it, and the day decides about today.
func TestPolicyFlag(t *testing.T) {
	folder := t.TempDir()
	cluster, catalog := writeIn(t, folder, "cluster.yaml", policedCluster), writeIn(t, folder, "catalog.yaml", policedCatalog)
	rules := writeIn(t, folder, "policy.yaml", patchesOnly)
	inputs := []string{"-f", cluster, "--catalog", "olm/c=" + catalog, "--policy", rules}
	ask := func(args ...string) (int, string, string) { return told(t, args...) }
	const refused = "aa.v1.1.0 is not allowed here: only patch updates in production (rule patches-only of policy production)"

	status, out, _ := ask(append([]string{"resolve"}, inputs...)...)
	assert.Equal(t, 0, status)
	assert.Contains(t, out, "0 bundles to install") // 1.0.1 is skipped
	assert.Contains(t, out, refused)
	status, out, _ = ask(append([]string{"status"}, inputs...)...)
	assert.Equal(t, 1, status)
	assert.Contains(t, out, refused)
	assert.Contains(t, out, "an exception for aa.v1.1.0 in rule patches-only of policy production")
	status, out, _ = ask(append([]string{"why-not", "aa@1.1.0"}, inputs...)...)
	assert.Equal(t, 0, status)
	assert.Contains(t, out, refused)
	status, out, _ = ask(append([]string{"path", "aa"}, inputs...)...)
	assert.Equal(t, 1, status)
	assert.Contains(t, out, refused)
	_, out, _ = ask(append([]string{"mirror", "-o", "images"}, inputs...)...)
	assert.NotContains(t, out, "1.1.0")
	_, out, _ = ask("diff", writeIn(t, folder, "old.yaml", strings.ReplaceAll(policedCatalog, "1.1.0", "1.0.9")), catalog, "-f", cluster, "--policy", rules)
	assert.Contains(t, out, "aa.v1.0.9")
	assert.NotContains(t, out, "updates to aa.v1.1.0")

	saved := filepath.Join(folder, "saved.txtar")
	status, out, problems := ask(append([]string{"resolve", "--save", saved}, inputs...)...)
	require.Equal(t, 0, status, problems)
	status, again, problems := ask("resolve", "--load", saved)
	require.Equal(t, 0, status, problems)
	assert.Equal(t, out, again)
	text, err := os.ReadFile(saved)
	require.NoError(t, err)
	assert.Contains(t, string(text), "name: patches-only")

	aged := writeIn(t, folder, "aged.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: aged}\ncandidates:\n"+
		"- name: month\n  deny: has(installed.installedAt) && days(installed.installedAt, cluster.today) < 30\n  message: one update a month\n")
	for day, installs := range map[string]string{"2026-01-20": "0 bundles", "2026-01-31": "1 bundle to"} {
		_, out, _ = ask("resolve", "-f", cluster, "--catalog", "olm/c="+catalog, "--policy", aged, "--date", day)
		assert.Contains(t, out, installs)
	}
}

// TestDeniedAnswer: an answer that a rule about changes denies is shown, and no success.
func TestDeniedAnswer(t *testing.T) {
	folder := t.TempDir()
	cluster, catalog := writeIn(t, folder, "cluster.yaml", policedCluster), writeIn(t, folder, "catalog.yaml", policedCatalog)
	rules := writeIn(t, folder, "policy.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: frozen}\nchanges:\n"+
		"- {name: nothing, deny: changes.size() > 0, message: frozen until March}\n")
	inputs := []string{"-f", cluster, "--catalog", "olm/c=" + catalog, "--policy", rules}
	status, out, _ := told(t, append([]string{"resolve"}, inputs...)...)
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "resolves, but a policy denies the answer")
	assert.Contains(t, out, "frozen until March (rule nothing of policy frozen)")
	assert.Contains(t, out, "aa.v1.1.0")
	status, out, _ = told(t, append([]string{"resolve", "-o", "json"}, inputs...)...)
	assert.Equal(t, 1, status)
	assert.Contains(t, out, `"result": "denied"`)
	assert.Contains(t, out, `"bundle": "aa.v1.1.0"`)
	assert.Contains(t, out, `"kind": "policy"`)
	status, out, _ = told(t, append([]string{"status"}, inputs...)...)
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "frozen until March")
}

// TestPolicyFaults: a policy that cannot be read starts nothing, and its place is named.
func TestPolicyFaults(t *testing.T) {
	folder := t.TempDir()
	cluster, catalog := writeIn(t, folder, "cluster.yaml", policedCluster), writeIn(t, folder, "catalog.yaml", policedCatalog)
	rules := writeIn(t, folder, "policy.yaml", patchesOnly)
	for _, test := range []struct {
		files   []string
		message string
	}{
		{[]string{filepath.Join(folder, "none.yaml")}, "none.yaml"},
		{[]string{folder}, "policy " + folder},
		{[]string{writeIn(t, folder, "bad.yaml", strings.Replace(patchesOnly, "installed.version)", "installed.verison)", 1))}, "bad.yaml: line 8, column 9: candidates[0].deny (rule patches-only): the rule does not compile: undefined field 'verison'"},
		{[]string{rules, writeIn(t, folder, "again.yaml", patchesOnly)}, "there already is a policy named production"},
		{[]string{writeIn(t, folder, "huge.yaml", strings.Repeat("#", 3<<20))}, "more than the 1048576 allowed"},
	} {
		args := []string{"resolve", "-f", cluster, "--catalog", "olm/c=" + catalog}
		for _, name := range test.files {
			args = append(args, "--policy", name)
		}
		status, _, problems := told(t, args...)
		assert.Equal(t, 2, status)
		assert.Contains(t, problems, test.message)
	}
}
