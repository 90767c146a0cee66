package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestApproveField: InstallPlans as clusters have them, with steps and their manifests. They
// state no resourceVersion: the tests add one, and without it no patch is printed.
func TestApproveField(t *testing.T) {
	folder := t.TempDir()
	next := strings.ReplaceAll(policedCatalog, "1.0.1", "1.0.9")
	catalog := writeIn(t, folder, "catalog.yaml", next+"---\n"+strings.TrimPrefix(strings.ReplaceAll(next, "aa", "bb"), "\n"))
	narrow := writeIn(t, folder, "narrow.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: narrow}\nchanges:\n- {name: narrow, deny: plan.widens.size() > 0, message: no new rights}\n")
	ofBB := writeIn(t, folder, "bb.yaml", strings.Replace(patchesOnly, "namespaces: [prod]", "packages: [bb]", 1))
	const plan = `"name": "install-1", "namespace": "openshift-operators"`
	read := func(name string, old ...string) string {
		text, err := os.ReadFile(testkit.Shared(t, "defects", "field", name))
		require.NoError(t, err)
		given := strings.NewReplacer(old...).Replace(string(text))
		require.NotEqual(t, len(old) > 0, given == string(text), "what is replaced is there")
		return given
	}
	version := []string{`"metadata": {` + plan, `"metadata": {"resourceVersion": "42", ` + plan}
	const patch = `kubectl patch installplans.operators.coreos.com --namespace openshift-operators --type merge --patch '{"metadata":{"resourceVersion":"42"},"spec":{"approved":true}}' -- install-1` + "\n"
	perm := read("perm.json", version...)
	const all, one = `{\"apiGroups\": [\"*\"], \"resources\": [\"*\"], \"verbs\": [\"*\"]}`, `{\"apiGroups\": [\"\"], \"resources\": [\"configmaps\"], \"verbs\": [\"get\"]}`
	fine := strings.ReplaceAll(perm, all, one)
	require.NotEqual(t, perm, fine)
	two := strings.Replace(perm, `["aa.v1.1.0"]`, `["aa.v1.1.0", "bb.v1.1.0"]`, 1)
	require.NotEqual(t, perm, two)
	// The other operator is like the first one, without its plan.
	other := strings.Split(strings.ReplaceAll(read("perm.json"), "aa", "bb"), `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "`)
	require.Len(t, other, 4)
	two += "\n---\n" + other[0] + `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "` + other[1] + `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "` + other[3]
	const widens = "warning, widens: aa.v1.1.0 may * * of * in the whole cluster, which aa.v1.0.0 may not"
	for _, test := range []struct {
		name, cluster, policy string
		status                int
		commands              string
		says                  []string
	}{
		{"pin", read("pin.json", version...), "", 1, "", []string{
			"wait InstallPlan install-1 of namespace openshift-operators, which brings aa.v1.1.0",
			"stale: InstallPlan install-1 brings aa.v1.1.0, but resolving the namespace now brings aa.v1.0.0",
			"warning, pinned: Subscription aa asks for startingCSV aa.v1.0.0, and InstallPlan install-1 brings aa.v1.1.0"}},
		{"stale", read("stale.json", version...), "", 1, "", []string{"wait ", "stale: InstallPlan install-1 brings aa.v1.0.9, but resolving the namespace now brings aa.v1.1.0"}},
		{"wider, without a policy", perm, "", 0, patch, []string{"approve ", widens}},
		{"wider", perm, narrow, 1, "", []string{"wait ", widens, "denied: what InstallPlan install-1 brings is denied: no new rights (rule narrow of policy narrow)"}},
		{"two, one is denied", two, ofBB, 1, "", []string{
			"wait InstallPlan install-1 of namespace openshift-operators, which brings aa.v1.1.0, bb.v1.1.0",
			"stale: InstallPlan install-1 brings aa.v1.1.0 and bb.v1.1.0, but resolving the namespace now brings aa.v1.1.0",
			"denied: bb.v1.1.0 is denied: only patch updates in production (rule patches-only of policy production)"}},
		{"two", two, "", 0, patch, []string{"approve InstallPlan install-1 of namespace openshift-operators, which brings aa.v1.1.0, bb.v1.1.0"}},
		{"all fine", fine, narrow, 0, patch, []string{"approve InstallPlan install-1"}},
		{"without a resourceVersion", read("perm.json"), "", 0, "", []string{"approve InstallPlan install-1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := []string{"approve", "-f", writeIn(t, t.TempDir(), "cluster.yaml", test.cluster), "--catalog", "olm/c=" + catalog}
			if test.policy != "" {
				args = append(args, "--policy", test.policy)
			}
			status, out, problems := told(t, args...)
			assert.Equal(t, test.status, status, problems)
			for _, text := range test.says {
				assert.Contains(t, out, text)
			}
			_, out, problems = told(t, append(args, "-o", "kubectl")...)
			assert.Equal(t, test.commands, out)
			assert.Equal(t, test.name == "without a resourceVersion", strings.Contains(problems, "InstallPlan install-1 of namespace openshift-operators: without metadata.resourceVersion, the command could"))
		})
	}
}
