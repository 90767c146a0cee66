package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWrittenPolicies: the cases of each written policy pass, and each wants a rule of its own.
func TestWrittenPolicies(t *testing.T) {
	files, err := filepath.Glob(filepath.FromSlash("../../../testdata/policies/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		status, out, problems := told(t, "policy", "test", file)
		assert.Equal(t, 0, status, "%s: %s%s", file, out, problems)
		assert.Empty(t, problems)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Regexp(t, `rules: \[[a-z]`, string(text), file)
	}
}

// TestPolicyCases: a case that fails says what was wanted and what came, and one that cannot
// run says where it is.
func TestPolicyCases(t *testing.T) {
	folder := t.TempDir()
	writeIn(t, folder, "cluster.yaml", policedCluster)
	writeIn(t, folder, "catalog.yaml", policedCatalog)
	const inputs = "\n  objects: cluster.yaml\n  catalogs: [olm/c=catalog.yaml]\n"
	test := func(cases string, more ...string) (int, string, string) {
		return told(t, append([]string{"policy", "test", writeIn(t, folder, "policy.yaml", patchesOnly+"cases:\n"+cases)}, more...)...)
	}
	status, out, problems := test("- name: right" + inputs + "  want: {result: resolved, installs: [], rules: [patches-only]}\n- name: wrong" + inputs + "  want: {result: denied, installs: [aa.v1.1.0], rules: [], approvals: {prod/x: approve}}\n")
	assert.Equal(t, 1, status)
	assert.Empty(t, problems)
	assert.Equal(t, `passed right
failed wrong (line 15)
  result: wanted denied, got resolved
  installs: wanted aa.v1.1.0, got none
  rules: wanted none, got patches-only
  approvals: wanted prod/x: approve, got none
  why: aa.v1.0.0 is below aa.v1.1.0, the head of channel stable of package aa: aa.v1.1.0 is not allowed here: only patch updates in production (rule patches-only of policy production)
1 of 2 cases of policy production passed
`, out)
	status, out, _ = test("- name: wrong"+inputs+"  want: {rules: []}\n", "-o", "json")
	assert.Equal(t, 1, status)
	var tested struct {
		Cases []struct {
			Passed      bool
			Differences []struct{ Got []string }
			Why         []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &tested))
	assert.False(t, tested.Cases[0].Passed)
	assert.Equal(t, []string{"patches-only"}, tested.Cases[0].Differences[0].Got)
	assert.Len(t, tested.Cases[0].Why, 1)

	// Of several namespaces, installs tells which installs what. A failed case says why.
	writeIn(t, folder, "two.yaml", policedCluster+"---"+strings.ReplaceAll(policedCluster, "namespace: prod", "namespace: dev"))
	_, out, _ = test("- name: two\n  objects: two.yaml\n  catalogs: [olm/c=catalog.yaml]\n  want: {installs: [dev/aa.v1.1.0]}\n- name: swapped\n  objects: two.yaml\n  catalogs: [olm/c=catalog.yaml]\n  want: {installs: [prod/aa.v1.1.0]}\n" +
		"- name: other\n  objects: two.yaml\n  catalogs: [olm/d=catalog.yaml]\n  want: {result: resolved}\n")
	assert.Contains(t, out, "passed two\nfailed swapped (line 15)\n  installs: wanted prod/aa.v1.1.0, got dev/aa.v1.1.0\n  why: ")
	assert.Contains(t, out, "  result: wanted resolved, got catalogsUnhealthy\n  why: namespace dev is not judged: olm/c (no content was given for this catalog")

	for cases, want := range map[string]string{
		"- name: a\n  objects: none.yaml\n  want: {result: resolved}\n":                                                    "case a, line 11: " + filepath.Join(folder, "none.yaml"),
		"- name: a" + inputs + "  want: {result: fine}\n":                                                                  `case a, line 11: want.result: unknown result "fine"; want resolved, notSatisfiable, denied, catalogsUnhealthy, invalidInput or ambiguous`,
		"- name: a" + inputs + "  want: {approvals: {prod/x: deny}}\n":                                                     `case a, line 11: want.approvals: prod/x: unknown verdict "deny"; want approve or wait`,
		"- name: a\n  objects: cluster.yaml\n  want: {result: resolved}\n":                                                 "case a, line 11: no catalogs",
		"- name: a\n  objects: cluster.yaml\n  catalogs: [olm/c=-]\n  want: {result: resolved}\n":                          "case a, line 11: catalogs: olm/c=-: a policy cannot read standard input",
		"- name: a\n  objects: cluster.yaml\n  catalogs: [\"x/y/z=c\"]\n  want: {result: resolved}\n":                      "case a, line 11: catalogs: x/y/z=c",
		"- name: a\n  objects: cluster.yaml\n  catalogs: [olm/c=catalog.yaml]\n  date: soon\n  want: {result: resolved}\n": "case a, line 11: date: soon",
		"- name: a\n  objects: catalog.yaml\n  catalogs: [olm/c=catalog.yaml]\n  want: {result: resolved}\n":               "case a, line 11: " + filepath.Join(folder, "catalog.yaml"),
		"- name: a" + inputs + "  want: {rules: [none]}\n":                                                                 "line 11: case a wants rule none, which the policy does not have",
		"  []\n": "the policy has no cases",
	} {
		status, out, problems := test(cases)
		assert.Equal(t, 2, status, cases)
		assert.Empty(t, out)
		assert.Contains(t, problems, want)
	}
}

// TestPolicyExplained: rules are counted on new bundles and, if they read what is installed, on
// updates, in a namespace in which they count.
func TestPolicyExplained(t *testing.T) {
	folder := t.TempDir()
	catalog := "olm/c=" + writeIn(t, folder, "catalog.yaml", policedCatalog)
	file := writeIn(t, folder, "policy.yaml", strings.Replace(patchesOnly, "[prod]", "[prod-*]", 1)+`- {name: bad, deny: 'bundle.catalog.labels["x"] == "y"', severity: warn}
changes:
- {name: whole, deny: 'changes.size() > 3'}
`)
	status, out, problems := told(t, "policy", "explain", file, "--catalog", catalog, "--date", "2026-01-31")
	assert.Equal(t, 1, status, problems) // a rule fails
	assert.Equal(t, `policy production on 2026-01-31, 3 bundles of 1 package
rule patches-only (deny): only patch updates in production
  in namespace prod-x it denies 0 of 3 new bundles
  and 2 of 2 next updates
  of aa (2)
rule bad (warn): bundle.catalog.labels["x"] == "y"
  in namespace prod-x it warns of 3 of 3 new bundles
  of aa (3)
  it fails on 3 of them, such as aa.v1.1.0: no such key: x; ask "x" in bundle.catalog.labels && ... before it
rule whole (deny): changes.size() > 3
  it judges answers, not bundles
`, out)
	dated := writeIn(t, folder, "dated.yaml", strings.Replace(policedCatalog, "version: 1.0.0}}]", "version: 1.0.0}}, {type: olm.csv.metadata, value: {annotations: {createdAt: 01/24/2025}}}]", 1))
	aged := writeIn(t, folder, "aged.yaml", "apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: aged}\ncandidates:\n- {name: week, deny: '!has(bundle.createdAt)'}\n"+
		"- {name: others, deny: 'true', match: {packages: [kafka], catalogs: {matchLabels: {tier: vendor}}}}\n")
	status, out, _ = told(t, "policy", "explain", aged, "--catalog", "olm/c="+dated)
	assert.Equal(t, 0, status)
	assert.Contains(t, out, "it denies 3 of 3 new bundles\n  createdAt is missing on 2 of these, and no day such as 2026-01-31 on 1\n")
	assert.Contains(t, out, "rule others (deny): true\n  no catalog has what it applies to: package kafka, catalog label tier: vendor\n")
	_, out, _ = told(t, "policy", "explain", file, "--catalog", catalog, "-n", "dev")
	assert.Contains(t, out, "it does not apply here")
	_, out, _ = told(t, "policy", "explain", file, "--catalog", catalog, "-o", "json")
	assert.Contains(t, out, `"deniedUpdates": 2`)
	for want, args := range map[string][]string{
		"no catalogs": {"explain", file}, "unknown action; want test or explain": {"try", file}, "missing argument": {"test"},
		"leave it out": {"test", file, "-n", "prod"}, "no such file": {"explain", filepath.Join(folder, "none"), "--catalog", catalog},
	} {
		status, _, problems := told(t, append([]string{"policy"}, args...)...)
		assert.Equal(t, 2, status, want)
		assert.Contains(t, problems, want)
	}
}
