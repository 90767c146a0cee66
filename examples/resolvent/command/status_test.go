package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// Every fix that JSON has is printed by its number, the recommended ones first; and the table
// of versions fits a narrow terminal.
func TestStatusFix(t *testing.T) {
	args := append([]string{"status"}, from("status.yaml", coast...)...)
	var got struct {
		Rows []struct {
			Changes []struct {
				Number int
				Object struct{ Name string }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(call(t, args, "-o", "json").stdout), &got))
	most := 0
	for _, r := range got.Rows {
		for _, c := range r.Changes {
			most = max(most, c.Number)
			if c.Number%4 != 1 && testkit.Scale(0, 1) == 0 {
				continue
			}
			fix := call(t, args, "--fix", fmt.Sprint(c.Number))
			assert.Equal(t, exitResolved, fix.status)
			assert.Contains(t, fix.stdout, " -- "+c.Object.Name)
		}
	}
	text := call(t, args).stdout
	assert.Contains(t, text, "Fix 1: ")
	assert.Equal(t, strings.Count(text, "Fix "), strings.Count(text, "\n    Fix "))
	assert.Greater(t, most, strings.Count(text, "Fix "))
	unknown := call(t, args, "--fix", fmt.Sprint(most+1))
	assert.Equal(t, exitUnresolved, unknown.status)
	assert.Contains(t, unknown.stderr, fmt.Sprintf("there are only fixes 1 to %d", most))
	_, table, _ := strings.Cut(text, "\nNAME ")
	for line := range strings.Lines(table) {
		assert.LessOrEqual(t, len(line), 80, line)
	}
	assert.Contains(t, call(t, args, "-o", "wide").stdout, "  lighthouse.v1.2.0  ")
	legend := call(t, []string{"status", "--legend"})
	assert.Equal(t, exitResolved, legend.status, legend.stderr)
	assert.Contains(t, legend.stdout, "\n  notJudged ")
	refused := call(t, []string{"status", "--cluster", "testdata/cluster/status.yaml", "--fix", "1"}, coast...)
	assert.Equal(t, exitNotStarted, refused.status)
	assert.Contains(t, refused.stderr, "--fix: it prints commands for one cluster")
}

// What is to be known of rows that are not stuck takes a few lines, and that one update follows
// another none.
func TestStatusNotes(t *testing.T) {
	var objects, blobs strings.Builder
	for i := range 9 {
		name := fmt.Sprintf("dam%d", i)
		fmt.Fprintf(&blobs, `{"schema":"olm.package","name":%[1]q,"defaultChannel":"c"}
{"schema":"olm.channel","package":%[1]q,"name":"c","entries":[{"name":"%[1]s.v1"},{"name":"%[1]s.v2","replaces":"%[1]s.v1"},{"name":"%[1]s.v3","replaces":"%[1]s.v2"}]}
{"schema":"olm.deprecations","package":%[1]q,"entries":[{"reference":{"schema":"olm.package"},"message":"over"}]}
`, name)
		for v := range 3 {
			fmt.Fprintf(&blobs, `{"schema":"olm.bundle","package":%[1]q,"name":"%[1]s.v%[2]d","image":"i","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"%[2]d.0.0"}}]}
`, name, v+1)
		}
		installed := 3 // at the head
		if i < 2 {
			installed = 1
		}
		fmt.Fprintf(&objects, `{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: %[1]s, namespace: %[1]s}, spec: {name: %[1]s, source: c, sourceNamespace: olm}, status: {installedCSV: %[1]s.v%[2]d}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: %[1]s.v%[2]d, namespace: %[1]s}, spec: {version: %[2]d.0.0}}
---
`, name, installed)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.jsonl"), []byte(blobs.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "objects.yaml"), []byte(objects.String()), 0o600))
	args := []string{"status", "-f", filepath.Join(dir, "objects.yaml"), "--catalog", "olm/c=" + filepath.Join(dir, "c.jsonl")}
	text := call(t, args).stdout
	assert.NotContains(t, text, "one step at a time", "it is no news")
	assert.Equal(t, 5, strings.Count(text, "is deprecated: over"))
	assert.Contains(t, text, "\n  and 4 more, listed by -o wide\n")
	assert.Equal(t, 9, strings.Count(call(t, args, "-o", "wide").stdout, "is deprecated: over"))
	stuck := call(t, args, "--only-stuck")
	assert.Equal(t, exitResolved, stuck.status, stuck.stderr)
	assert.NotContains(t, stuck.stdout, "What to know")
}

// Causes that only help together are one recommendation with one number; what has no safe fix
// stays apart.
func TestStatusTogether(t *testing.T) {
	const manifests = `{kind: Subscription, metadata: {name: foghorn, namespace: n}, spec: {name: foghorn, channel: quiet, source: coast, sourceNamespace: olm}}
---
{kind: Subscription, metadata: {name: lantern, namespace: n}, spec: {name: lantern, channel: bright, source: coast, sourceNamespace: olm}}
---
{kind: Subscription, metadata: {name: wreck, namespace: n}, spec: {name: wreck, source: coast, sourceNamespace: olm}, status: {installedCSV: wreck.v1}}
---
{kind: ClusterServiceVersion, metadata: {name: wreck.v1, namespace: n}, spec: {version: 1.0.0}, status: {phase: Succeeded}}
`
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	require.NoError(t, os.WriteFile(file, []byte(manifests), 0o600))
	args := append([]string{"status", "-f", file}, coast...)
	text := call(t, args).stdout
	assert.Contains(t, text, "No safe fix. No immediate action needed: what is installed keeps running. For riskier options, run resolvent resolve -n n (with the same -f and --catalog)\n  n/foghorn, n/lantern\n"+ // last, as it waits
		"    package foghorn has no channel quiet; its channels are loud, stable\n"+
		"    package lantern has no channel bright; its channel is stable\n"+
		"    Fix 7, once wreck is satisfied or deleted:\n"+
		"      1. set spec.channel of Subscription foghorn to stable\n"+
		"      2. set spec.channel of Subscription lantern to stable\nFor the commands of fix 7, run this again with --fix 7\n\nNAME")
	fix := call(t, args, "--fix", "7")
	assert.Equal(t, 2, strings.Count(fix.stdout, "kubectl patch"), fix.stderr)
	var got struct {
		Together []struct{ Number int }
	}
	require.NoError(t, json.Unmarshal([]byte(call(t, args, "-o", "json").stdout), &got))
	assert.Equal(t, []struct{ Number int }{{7}}, got.Together)
}

// The plan of a real cluster of 22 operators is one screen: what OLM does by itself is counted, equal rows
// are one, what has no safe fix is pointed to once, and JSON and -o wide have all.
func TestStatusScreen(t *testing.T) {
	args := []string{"status", "-f", testkit.Shared(t, "defects", "use", "ocp20.json"), "--target-openshift", "4.20",
		"--catalog", "openshift-marketplace/community-operators=" + testkit.Shared(t, "catalogs", "community-v4.19")}
	got := run(t, args...)
	compareGolden(t, filepath.Join("..", "testdata", "status-screen.golden"), got.String())
	above, table, found := strings.Cut(got.stdout, "\n\nNAME ")
	assert.True(t, found)
	assert.Equal(t, 1+22, strings.Count(table, "\n"))
	assert.LessOrEqual(t, strings.Count(above, "\n"), 35)
	assert.Equal(t, 1, strings.Count(got.stdout, "riskier options"))
	assert.Less(t, strings.Index(got.stdout, "has no package dell-csi-operator"), strings.Index(got.stdout, "dell-csi-operator are satisfied"), "what waits stands behind")
	front, _, _ := strings.Cut(above, "\n\n")
	assert.Contains(t, front, "First, fix 1: ", "a recommendation is in front")
	wide := run(t, append(args, "-o", "wide")...).stdout
	for _, hidden := range []string{"ns-microcks/microcks: from", "eginnovations-operator.v0.0.11 and 3 more", "openshift-operators/jaeger"} {
		assert.NotContains(t, above, hidden)
		assert.Contains(t, wide, hidden)
	}
	var all struct {
		Rows []struct{ Namespace, Subscription string }
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, append(args, "-o", "json")...).stdout), &all))
	require.Len(t, all.Rows, 22)
	for _, r := range all.Rows {
		assert.Contains(t, wide, "\n"+r.Namespace+"/"+r.Subscription+" ", "a row")
	}
}

// What an update passes over stands in its step, for people and programs.
func TestPathPassesOver(t *testing.T) {
	args := []string{"path", "--package", "a", "--namespace", "operators", "--load", filepath.Join("testdata", "scenarios", "path-around.txtar")}
	assert.Contains(t, call(t, args).stdout, "\n  install a.v5, replaces a.v2, skips a.v3, a.v4, a new major version\n")
	var all struct {
		Steps []struct{ PassedOver []string }
	}
	require.NoError(t, json.Unmarshal([]byte(call(t, args, "-o", "json").stdout), &all))
	require.Len(t, all.Steps, 2)
	assert.Empty(t, all.Steps[0].PassedOver)
	assert.Equal(t, []string{"a.v3", "a.v4"}, all.Steps[1].PassedOver)
}

// A fix has one number, in status as in resolve.
func TestOneNumber(t *testing.T) {
	flags := []string{"-f", testkit.Shared(t, "defects", "use", "ocp20.json"), "--catalog", "openshift-marketplace/community-operators=" + testkit.Shared(t, "catalogs", "community-v4.19")}
	type change struct {
		Number        int
		Object, Steps any
		Field         string
		To            any
	}
	var resolved struct {
		Namespaces []struct{ Error struct{ Changes []change } }
	}
	require.NoError(t, json.Unmarshal([]byte(call(t, append([]string{"resolve", "-o", "json"}, flags...)).stdout), &resolved))
	numbers := map[int]change{}
	for _, n := range resolved.Namespaces {
		for _, c := range n.Error.Changes {
			numbers[c.Number] = c
		}
	}
	require.Len(t, numbers, 11, "two namespaces fail")
	var status struct{ Rows []struct{ Changes []change } }
	require.NoError(t, json.Unmarshal([]byte(call(t, append([]string{"status", "-o", "json"}, flags...)).stdout), &status))
	shared := map[int]bool{}
	for _, r := range status.Rows {
		for _, c := range r.Changes {
			if of, both := numbers[c.Number]; both {
				assert.Equal(t, of, c)
				shared[c.Number] = true
			}
		}
	}
	assert.Len(t, shared, 11)
	assert.Equal(t, call(t, append([]string{"status", "--fix", "5"}, flags...)), call(t, append([]string{"resolve", "--fix", "5"}, flags...)))
}

// Of a path of many steps the text has those that are more than an update of the package.
func TestLongPath(t *testing.T) {
	args := []string{"path", "keycloak-operator", "-f", testkit.Shared(t, "defects", "use", "ocp20.json"), "--catalog", "openshift-marketplace/community-operators=" + testkit.Shared(t, "catalogs", "community-v4.19")}
	assert.Equal(t, "package keycloak-operator in namespace ns-keycloak-operator: 47 steps from keycloak-operator.v26.0.0 to keycloak-operator.v26.7.1\n\n"+
		"47 steps only update the package, the first to keycloak-operator.v26.0.1; all steps are listed by -o names\n", call(t, args).stdout)
	names := call(t, args, "-o", "names").stdout
	assert.Equal(t, 47, strings.Count(names, "\n"))
	assert.True(t, strings.HasSuffix(names, "keycloak-operator.v26.7.0\nkeycloak-operator.v26.7.1\n"), names)
}

// --color decides about colors whatever the output is; a pipe has none by itself.
func TestColor(t *testing.T) {
	args := append([]string{"status"}, from("status.yaml", coast...)...)
	plain := call(t, args).stdout
	assert.NotEmpty(t, plain)
	assert.NotContains(t, plain, "\x1b")
	assert.Equal(t, plain, call(t, args, "--color", "never").stdout)
	t.Setenv("NO_COLOR", "1")
	colored := call(t, args, "--color", "always").stdout
	assert.Contains(t, colored, "\x1b[31mfailed\x1b[0m")
	assert.Equal(t, plain, regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(colored, ""))
	assert.NotContains(t, call(t, args, "--color", "always", "-o", "json").stdout, "\x1b")
}

// What the deletion of a namespace waits for is said once: by the row of a request that it keeps out, if
// there is one. Nobody is asked whether a package was meant to be itself.
func TestTerminatingOnce(t *testing.T) {
	const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: dock}, status: {phase: Terminating, conditions: [{type: NamespaceContentRemaining, status: "True", message: boats remain}]}}
---
{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: light}, spec: {namespace: dock, source: {sourceType: Catalog, catalog: {packageName: lighthouse}}}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: light, namespace: dock}, spec: {name: lighthouse, source: coast, sourceNamespace: olm}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: light, namespace: pier}, spec: {name: lighthouse, source: coast, sourceNamespace: olm}, status: {installedCSV: lighthouse.v1.0.0}}
`
	extension := strings.Join(strings.Split(objects, "---")[:2], "---")
	t.Run("status", func(t *testing.T) {
		got := invoke(t, t.Context(), extension, append([]string{"status", "-f", "-"}, coast...)...)
		assert.Equal(t, 1, strings.Count(got.stdout, "boats remain"))
		assert.NotContains(t, got.stderr, "boats remain")
	})
	t.Run("path", func(t *testing.T) {
		got := invoke(t, t.Context(), objects, append([]string{"path", "lighthouse", "-n", "dock", "-f", "-"}, coast...)...)
		assert.Contains(t, got.stderr, "lighthouse: no Subscription or ClusterExtension has this package installed\n")
	})
}
