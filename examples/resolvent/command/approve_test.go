package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const waitingPlan = policedCluster + `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: InstallPlan, metadata: {name: install-1, namespace: prod, resourceVersion: "42"}, spec: {approval: Manual, approved: false, clusterServiceVersionNames: [aa.v1.1.0]}, status: {phase: RequiresApproval}}
`

// TestApprove: an InstallPlan is approved if it brings what resolving brings and no rule denies
// it, and only as long as it is as it was judged.
func TestApprove(t *testing.T) {
	folder := t.TempDir()
	catalog := writeIn(t, folder, "catalog.yaml", policedCatalog)
	two := strings.ReplaceAll(policedCatalog, "aa", "bb")
	both := writeIn(t, folder, "both.yaml", policedCatalog+"---\n"+strings.TrimPrefix(two, "\n"))
	rules := writeIn(t, folder, "policy.yaml", patchesOnly)
	ofBB := writeIn(t, folder, "bb.yaml", strings.Replace(patchesOnly, "namespaces: [prod]", "namespaces: [prod], packages: [bb]", 1))
	frozen := writeIn(t, folder, "frozen.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: frozen}\nchanges:\n- {name: reviewed, deny: 'plan.name == \"install-1\"', message: not reviewed}\n")
	parts := strings.Split(waitingPlan, "---")
	fresh := parts[0] + "---" + parts[2] // nothing is installed
	narrow := writeIn(t, folder, "narrow.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: narrow}\nchanges:\n- {name: narrow, deny: plan.widens.size() > 0, message: no new rights}\n")
	step := func(kind, manifest string) string {
		return strings.Replace(waitingPlan, "status: {phase: RequiresApproval}", "status: {phase: RequiresApproval, plan: [{resolving: aa.v1.1.0, resource: {kind: "+kind+", name: things.g.io, manifest: '"+manifest+"'}}]}", 1)
	}
	widens := strings.Replace(step("ClusterRole", `{"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}`), "spec: {version: 1.0.0}",
		`spec: {version: 1.0.0, install: {spec: {clusterPermissions: [{rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]}]}}}`, 1)
	drops := strings.Replace(step("CustomResourceDefinition", `{"spec":{"group":"g.io","names":{"kind":"Thing"},"versions":[{"name":"v2","served":true},{"name":"v1","served":false}]}}`), "spec: {version: 1.0.0}",
		"spec: {version: 1.0.0, customresourcedefinitions: {owned: [{name: things.g.io, kind: Thing, version: v1}]}}", 1)
	defined := drops + "---\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.g.io}, "
	kept := writeIn(t, folder, "kept.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: kept}\nchanges:\n- {name: kept, deny: plan.drops.size() > 0}\n")
	older := strings.Replace(waitingPlan, "resourceVersion: \"42\"}, spec: {", "resourceVersion: \"41\"}, spec: {generation: 1, ", 1)
	const patch = `kubectl patch installplans.operators.coreos.com --namespace prod --type merge --patch '{"metadata":{"resourceVersion":"42"},"spec":{"approved":true}}' -- install-1` + "\n"
	for _, test := range []struct {
		name, cluster, catalog, policy string
		status                         int
		commands                       string
		says                           []string
	}{
		{"right", waitingPlan, catalog, "", 0, patch, []string{"approve InstallPlan install-1 of namespace prod, which brings aa.v1.1.0"}},
		{"stale", strings.Replace(waitingPlan, "Names: [aa.v1.1.0]", "Names: [aa.v1.0.1]", 1), catalog, "", 1, "", []string{"stale: InstallPlan install-1 brings aa.v1.0.1, but resolving the namespace now brings aa.v1.1.0"}},
		{"unknown", strings.Replace(waitingPlan, "Names: [aa.v1.1.0]", "Names: [aa.v1.1.0, cc.v1]", 1), catalog, "", 1, "", []string{"stale: ", "unknown: no given catalog has cc.v1"}},
		{"denied", waitingPlan, catalog, rules, 1, "", []string{"stale: ", "brings nothing", "denied: aa.v1.1.0 is denied: only patch updates in production (rule patches-only of policy production)"}},
		{"denied change", waitingPlan, catalog, frozen, 1, "", []string{"denied: what InstallPlan install-1 brings is denied: not reviewed (rule reviewed of policy frozen)"}},
		{"two of which one is denied", strings.Replace(waitingPlan, "Names: [aa.v1.1.0]", "Names: [bb.v1.1.0, aa.v1.1.0]", 1) + "---" + strings.ReplaceAll(policedCluster, "aa", "bb"), both, ofBB, 1, "",
			[]string{"which brings aa.v1.1.0, bb.v1.1.0", "resolving the namespace now brings aa.v1.1.0", "denied: bb.v1.1.0 is denied"}},
		{"pinned", strings.Replace(strings.Replace(fresh, "status: {installedCSV: aa.v1.0.0}", "status: {}", 1), "sourceNamespace: olm", "sourceNamespace: olm, startingCSV: aa.v1.0.0", 1), catalog, "", 1, "",
			[]string{"stale: ", "warning, pinned: Subscription aa asks for startingCSV aa.v1.0.0, and InstallPlan install-1 brings aa.v1.1.0"}},
		{"widens", widens, catalog, "", 0, patch, []string{"warning, widens: aa.v1.1.0 may * * of * in the whole cluster, which aa.v1.0.0 may not"}},
		{"widens against a rule", widens, catalog, narrow, 1, "", []string{"wait InstallPlan install-1", "denied: what InstallPlan install-1 brings is denied: no new rights (rule narrow of policy narrow)"}},
		{"as wide", strings.Replace(widens, `"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]`, `"rules":[{"apiGroups":[""],"resources":["configmaps"],"resourceNames":["x"],"verbs":["get"]}]`, 1), catalog, narrow, 0, patch, []string{"approve"}},
		{"drops", drops, catalog, "", 0, patch, []string{"warning, drops: aa.v1.1.0 no longer serves", "which aa.v1.0.0 has in use"}},
		{"drops what is stored", defined + `spec: {group: g.io, names: {kind: Thing}, versions: [{name: v1, served: true}, {name: v1beta1, served: true}, {name: v1alpha1, served: false}]}, status: {storedVersions: [v1alpha1, v1beta1, v1, v2]}}`, catalog, kept, 1, "",
			[]string{"warning, drops: aa.v1.1.0 no longer serves version v1 of things.g.io, in which objects may be stored",
				"refused: aa.v1.1.0 has no version v1beta1 of things.g.io, in which objects may be stored: OLM refuses to install it",
				"warning, drops: aa.v1.1.0 no longer serves Thing.v1.g.io, which aa.v1.0.0 has in use",
				"denied: what InstallPlan install-1 brings is denied: rule kept of policy kept denies it"}},
		{"served no more", defined + `spec: {group: g.io, names: {kind: Thing}, versions: [{name: v1, served: false}, {name: v2, served: true}]}, status: {storedVersions: [v1, v2]}}`, catalog, kept, 0, patch, []string{"approve"}},
		{"another one is defined", strings.Replace(defined, "things.g.io", "others.g.io", 1) + `status: {storedVersions: [v1]}}`, catalog, "", 0, patch, []string{"which aa.v1.0.0 has in use"}},
		{"drops what another namespace uses", drops + strings.NewReplacer("namespace: prod", "namespace: elsewhere", "aa.v1.0.0", "cc.v1.0.0", `"aa"`, `"cc"`, "spec: {version: 1.0.0}",
			"spec: {version: 1.0.0, customresourcedefinitions: {required: [{name: things.g.io, kind: Thing, version: v1}]}}").Replace("---"+parts[1]), catalog, kept, 1, "",
			[]string{"drops: aa.v1.1.0 no longer serves Thing.v1.g.io, which cc.v1.0.0 of namespace elsewhere requires: update that one first, or it fails"}},
		{"needs it no more", strings.Replace(drops, "owned:", "required:", 1), catalog, kept, 0, patch, []string{"approve"}},
		{"foreign", strings.Replace(waitingPlan, "Names: [aa.v1.1.0]", "Names: [aa.v1.1.0, bb.v1.0.0]", 1), both, "", 1, "", []string{"stale: ", "warning, foreign: no Subscription and no dependency of the namespace asks for bb.v1.0.0"}},
		{"held", waitingPlan + "---\n{apiVersion: operators.coreos.com/v2, kind: OperatorCondition, metadata: {name: aa.v1.0.0, namespace: prod}, spec: {conditions: [{type: Upgradeable, status: \"False\", message: backup runs}]}}\n", catalog, "", 1, "",
			[]string{"held: aa.v1.0.0 refuses updates: backup runs"}},
		{"unhealthy", strings.Replace(waitingPlan, "{name: aa, source: c", "{name: none, source: c", 1), catalog, "", 1, "", []string{"unhealthy: the namespace cannot be resolved"}},
		{"not given", strings.Replace(waitingPlan, "{name: aa, source: c", "{name: aa, source: d", 1), catalog, "", 1, "",
			[]string{"  unhealthy: the namespace is not judged, as the content of catalog olm/d was not given\n"}},
		{"approved", strings.Replace(waitingPlan, "approved: false", "approved: true", 1), catalog, "", 0, "", []string{"no InstallPlan waits for approval"}},
		{"newest", older + "---" + strings.Replace(waitingPlan, "install-1", "install-2", 1)[len(policedCluster)+4:] + "---" + strings.Replace(strings.Replace(waitingPlan, "install-1", "install-3", 1), "spec: {approval", "spec: {generation: 2, approval", 1)[len(policedCluster)+4:], catalog, "", 0,
			strings.Replace(patch, "install-1", "install-3", 1), []string{"approve InstallPlan install-3"}},
		{"unconditional", strings.Replace(waitingPlan, `, resourceVersion: "42"`, "", 1), catalog, "", 0, "", []string{"approve InstallPlan install-1"}},
		{"hostile", strings.Replace(waitingPlan, "\"42\"", "\"4'2; touch x\"", 1), catalog, "", 0, strings.Replace(patch, "42", `4\u00272; touch x`, 1), []string{"approve"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := []string{"approve", "-f", writeIn(t, t.TempDir(), "cluster.yaml", test.cluster), "--catalog", "olm/c=" + test.catalog}
			if test.policy != "" {
				args = append(args, "--policy", test.policy)
			}
			status, out, problems := told(t, args...)
			assert.Equal(t, test.status, status, problems)
			for _, text := range test.says {
				assert.Contains(t, out, text)
			}
			status, out, problems = told(t, append(args, "-o", "kubectl")...)
			assert.Equal(t, test.status, status)
			assert.Equal(t, test.commands, out)
			assert.Equal(t, test.name == "unconditional", strings.Contains(problems, "without metadata.resourceVersion"))
			status, out, _ = told(t, append(args, "-o", "json")...)
			require.Equal(t, test.status, status)
			assert.Contains(t, out, `"approvals": [`)
		})
	}
}

// TestStatusApproval: status says of an InstallPlan whether it may be approved, with the
// command or why not; it offers to approve only what may be.
func TestStatusApproval(t *testing.T) {
	folder := t.TempDir()
	catalog := writeIn(t, folder, "catalog.yaml", policedCatalog)
	waiting := strings.Replace(waitingPlan, "status: {installedCSV: aa.v1.0.0}", "status: {installedCSV: aa.v1.0.0, installPlanRef: {name: install-1}}", 1)
	require.NotEqual(t, waitingPlan, waiting)
	for _, test := range []struct {
		name, cluster string
		text          string
		fix, command  bool
	}{
		{"approve", waiting, "    approve: it matches what OLM would resolve today; resolvent approve -o kubectl prints the command (with the same -f and --catalog)\n", true, true},
		{"wait", strings.Replace(waiting, "Names: [aa.v1.1.0]", "Names: [aa.v1.0.1]", 1), "    do not approve it now: stale: InstallPlan install-1 brings aa.v1.0.1, but resolving the namespace now brings aa.v1.1.0\n", false, false},
		{"its catalog is not given", strings.Replace(waiting, "source: c", "source: d", 1), "  namespace prod: InstallPlan install-1 waits for approval: do not approve it until its namespace resolves\n", false, false},
		{"another one is newer", waiting + `---
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {namespace: prod, name: install-2, resourceVersion: "9"}
spec: {approval: Manual, approved: false, generation: 99, clusterServiceVersionNames: [aa.v1.0.1]}
status: {phase: RequiresApproval}
`, "    do not approve it now: OLM has since made a new plan, InstallPlan install-2\n", false, false},
		{"no row waits for it", waitingPlan, "  namespace prod\n    InstallPlan install-1 waits for approval\n    approve: ", false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := []string{"status", "-f", writeIn(t, t.TempDir(), "cluster.yaml", test.cluster), "--catalog", "olm/c=" + catalog}
			_, out, problems := told(t, args...)
			assert.Contains(t, out, test.text, problems)
			assert.Equal(t, test.fix, strings.Contains(out, "set spec.approved of InstallPlan install-1"))
			_, out, _ = told(t, append(args, "-o", "json")...)
			assert.Contains(t, out, `"approvals": [`)
			assert.Equal(t, test.command, strings.Contains(out, `"command": "kubectl patch installplans`))
			_, out, _ = told(t, append(args, "-o", "html")...)
			assert.Contains(t, out, "InstallPlan <bdi>install-1</bdi> waits for approval")
		})
	}
}
