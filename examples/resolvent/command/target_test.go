package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// harbourArgs are the flags that give a catalog and a cluster on which version 1 of its first
// packages is installed. A bundle is "PACKAGE VERSION [LIMIT] [REQUIRED RANGE]", and each is
// in channel s, where it replaces the version before; LIMIT is 0 for none.
func harbourArgs(t *testing.T, installed string, bundles ...string) []string {
	var catalog, objects strings.Builder
	channels, versions := map[string][]string{}, map[string]string{}
	var order []string
	for _, text := range bundles {
		f := strings.Fields(text)
		pkg, version := f[0], f[1]
		properties := fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":"%s.0.0"}}`, pkg, version)
		if len(f) > 2 && f[2] != "0" {
			properties += fmt.Sprintf(`,{"type":"olm.maxOpenShiftVersion","value":%q}`, f[2])
		}
		if len(f) > 3 {
			properties += fmt.Sprintf(`,{"type":"olm.package.required","value":{"packageName":%q,"versionRange":%q}}`, f[3], strings.Join(f[4:], " "))
		}
		entry := fmt.Sprintf(`{"name":"%s.v%s"`, pkg, version)
		if len(channels[pkg]) == 0 {
			order = append(order, pkg)
			versions[pkg] = properties
		} else {
			entry += fmt.Sprintf(`,"replaces":"%s.v%d"`, pkg, len(channels[pkg]))
		}
		channels[pkg] = append(channels[pkg], entry+"}")
		fmt.Fprintf(&catalog, `{"schema":"olm.bundle","package":%q,"name":"%s.v%s","image":"example.com/%s:v%s","properties":[%s]}`+"\n", pkg, pkg, version, pkg, version, properties)
	}
	for _, pkg := range order {
		fmt.Fprintf(&catalog, `{"schema":"olm.package","name":%q,"defaultChannel":"s"}`+"\n"+`{"schema":"olm.channel","package":%q,"name":"s","entries":[%s]}`+"\n", pkg, pkg, strings.Join(channels[pkg], ","))
	}
	for pkg := range strings.FieldsSeq(installed) {
		stated, err := json.Marshal(`{"properties":[` + versions[pkg] + `]}`)
		require.NoError(t, err)
		fmt.Fprintf(&objects, `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":%q,"namespace":"w"},"spec":{"name":%q,"channel":"s","source":"c","sourceNamespace":"olm"},"status":{"installedCSV":"%s.v1"}}`+"\n", pkg, pkg, pkg)
		fmt.Fprintf(&objects, `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"%s.v1","namespace":"w","annotations":{"operatorframework.io/properties":%s}},"spec":{"version":"1.0.0"},"status":{"phase":"Succeeded"}}`+"\n", pkg, stated)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.json"), []byte(catalog.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.json"), []byte(objects.String()), 0o600))
	return []string{"-f", filepath.Join(dir, "k.json"), "--catalog", "olm/c=" + filepath.Join(dir, "c.json")}
}

func call(t *testing.T, args []string, more ...string) (got outcome) {
	t.Helper()
	t.Run(args[0], func(t *testing.T) { got = invoke(t, t.Context(), "", append(args, more...)...) })
	return got
}

// A cluster does not go back to an older Kubernetes.
func TestTargetBelow(t *testing.T) {
	args := append([]string{"status", "--kube-version", "1.31"}, harbourArgs(t, "a", "a 1", "a 2")...)
	got := call(t, args, "--target-kube", "1.20")
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "resolvent status: target: the target Kubernetes 1.20 is below 1.31, which the cluster runs\n")
	assert.Empty(t, got.stdout)
	assert.Equal(t, exitResolved, call(t, args, "--target-kube", "v1.31.0").status)
}

// What must move before the cluster does not depend on which rows are shown.
func TestPlanOfAllRows(t *testing.T) {
	args := append([]string{"status", "--openshift-version", "4.18", "--target-openshift", "4.19"}, harbourArgs(t, "a b", "a 1 4.18", "a 2", "b 1", "b 2")...)
	plan := func(more ...string) string {
		var got struct {
			Rows []any           `json:"rows"`
			Plan json.RawMessage `json:"plan"`
		}
		require.NoError(t, json.Unmarshal([]byte(call(t, args, append(more, "-o", "json")...).stdout), &got))
		assert.Len(t, got.Rows, map[bool]int{true: 2, false: 0}[more == nil])
		return string(got.Plan)
	}
	assert.Contains(t, plan(), "a.v2")
	assert.Equal(t, plan(), plan("--only-stuck"))
	assert.Contains(t, call(t, args, "--only-stuck").stdout, "1. w/a: from a.v1 (up to OpenShift 4.18) to a.v2")
}

// What a hop brings stands below it, and what is so now already is not said again.
func TestKnowOfHop(t *testing.T) {
	args := harbourArgs(t, "a", "a 1")
	_, from, _ := strings.Cut(args[3], "=")
	data, err := os.ReadFile(from)
	require.NoError(t, err)
	later := filepath.Join(t.TempDir(), "later.json")
	require.NoError(t, os.WriteFile(later, fmt.Appendf(data, `{"schema":"olm.deprecations","package":"a","entries":[{"reference":{"schema":"olm.package"},"message":"over"}]}`), 0o600))
	args = append([]string{"status", "--openshift-version", "4.17", "--target-openshift", "4.19", "--target-catalog", "4.18:olm/c=" + later}, args...)
	got := call(t, args)
	assert.Equal(t, exitResolved, got.status, got.stderr)
	assert.Contains(t, got.stdout, "\n\nGood to know once the cluster is at 4.18\n  w/a: package a is deprecated: over\n\nNAME")
	assert.Contains(t, call(t, args, "-o", "json").stdout, `"remarks": [
          {
            "hop": "4.18",
            "remark": "package a is deprecated: over"
          }
        ]`)
}
