package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// crd is a CustomResourceDefinition whose field size has a type.
func crd(of string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"ks.g"},"spec":{"group":"g","scope":"Namespaced","names":{"kind":"K","plural":"ks"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"size":{"type":"` + of + `"}}}}}]}}`
}

const refused = `because ks.g: v1: size: type changes from "string" to "integer"`

func run(t *testing.T, p command.Program, args ...string) (status int, out string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var to, errs strings.Builder
	status = p.Run(t.Context(), args, strings.NewReader(""), &to, &errs)
	require.NotEqual(t, 2, status, "%s", &errs)
	return status, to.String()
}

func bundleDirectory(version int, replaces, of string) string {
	return fmt.Sprintf(`-- v%[1]d/metadata/annotations.yaml --
annotations: {operators.operatorframework.io.bundle.package.v1: p, operators.operatorframework.io.bundle.channels.v1: c}
-- v%[1]d/manifests/p.clusterserviceversion.yaml --
kind: ClusterServiceVersion
metadata: {name: p.v%[1]d}
spec: {version: %[1]d.0.0, replaces: %[2]q, installModes: [{type: AllNamespaces, supported: true}]}
-- v%[1]d/manifests/k.yaml --
%[3]s
`, version, replaces, crd(of))
}

func folder(t *testing.T, text string) string {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, testkit.Tree(text)))
	return dir
}

// catalogOf is a catalog of two bundles, p.v1 and p.v2, with their objects.
func catalogOf(t *testing.T, first, second string) string {
	text := `{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"},{"name":"p.v2","replaces":"p.v1"}]}`
	for i, of := range []string{first, second} {
		object, err := json.Marshal(map[string]string{"data": base64.StdEncoding.EncodeToString([]byte(crd(of)))})
		require.NoError(t, err)
		text += fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"p.v%[1]d","image":"quay.io/p/p:v%[1]d","properties":[{"type":"olm.package","value":{"packageName":"p","version":"%[1]d.0.0"}},
{"type":"olm.csv.metadata","value":{"installModes":[{"type":"AllNamespaces","supported":true}]}},{"type":"olm.bundle.object","value":%[2]s}]}`, i+1, object)
	}
	file := filepath.Join(t.TempDir(), "catalog.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func templateOf(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "template.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// check finds what OLM v1 refuses in directories and catalogs, and between them; without the judge it
// finds nothing.
func TestCheckSafety(t *testing.T) {
	first, second := bundleDirectory(1, "", "string"), bundleDirectory(2, "p.v1", "integer")
	both, catalog := folder(t, first+second), catalogOf(t, "string", "integer")
	for name, args := range map[string][]string{
		"a tree":          {both},
		"two directories": {"--", filepath.Join(both, "v1"), filepath.Join(both, "v2")},
		"a catalog":       {catalog},
		"a semver template": {templateOf(t, "schema: olm.semver\nstable: {bundles: [{image: i/p:1}, {image: i/p:2}]}\n"),
			"--bundle", "i/p:1=" + filepath.Join(both, "v1"), "--bundle", "i/p:2=" + filepath.Join(folder(t, strings.Replace(second, "version: 2.0.0", "version: 1.1.0", 1)), "v2")},
		"a basic template": {templateOf(t, `{schema: olm.template.basic, entries: [{schema: olm.package, name: p, defaultChannel: c}, {schema: olm.channel, package: p, name: c, entries: [{name: p.v1}, {name: p.v2, replaces: p.v1}]},
{schema: olm.bundle, image: quay.io/p/p:v1}, {schema: olm.bundle, image: quay.io/p/p:v2}]}`), "--catalog", "c=" + catalog},
		"a directory for a catalog": {filepath.Join(folder(t, bundleDirectory(3, "p.v2", "integer")), "v3"), "--catalog", "c=" + catalogOf(t, "string", "string")},
	} {
		t.Run(name, func(t *testing.T) {
			status, out := run(t, program(), append([]string{"check"}, args...)...)
			if name != "two directories" { // no catalog has both
				assert.Regexp(t, "OLM v1 refuses the update from p.v[12], for 1 change of 1 CustomResourceDefinition: ", out)
				assert.Contains(t, out, refused)
				assert.Contains(t, out, "[unsafeUpdate]")
			}
			assert.Zero(t, status, out)

			_, out = run(t, command.Program{Name: "resolvent"}, append([]string{"check"}, args...)...)
			assert.NotContains(t, out, "unsafeUpdate")
		})
	}
	status, _ := run(t, program(), "check", both, "--fail-on", "warning")
	assert.Equal(t, 1, status)
	for form, want := range map[string]string{"json": `"code": "unsafe"`, "sarif": `"ruleId": "unsafeUpdate"`, "github": "::warning file="} {
		_, out := run(t, program(), "check", both, "-o", form)
		assert.Contains(t, out, want)
		assert.Contains(t, out, "unsafeUpdate")
	}
	baseline := filepath.Join(t.TempDir(), "known")
	run(t, program(), "check", both, "--write-baseline", baseline)
	_, out := run(t, program(), "check", both, "--baseline", baseline, "--show", "note")
	assert.NotContains(t, out, "[unsafeUpdate]")
}

// migrate says that OLM v1 would refuse the next update, and nothing where no objects are known.
func TestMigrateSafety(t *testing.T) {
	manifests := filepath.Join(t.TempDir(), "cluster.yaml")
	require.NoError(t, os.WriteFile(manifests, []byte(`apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: c, namespace: olm}
spec: {sourceType: grpc, image: quay.io/c/c:v1}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: g, namespace: n}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: p, namespace: n}
spec: {name: p, channel: c, source: c, sourceNamespace: olm, installPlanApproval: Automatic}
status: {installedCSV: p.v1, currentCSV: p.v1, state: AtLatestKnown}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: p.v1, namespace: n, annotations: {operatorframework.io/properties: '{"properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}'}}
spec: {version: 1.0.0, installModes: [{type: AllNamespaces, supported: true}]}
status: {phase: Succeeded, reason: InstallSucceeded}
`), 0o644))
	offline := program()
	offline.Live = nil
	said := `OLM v1 would refuse the update to p.v2, for 1 change of CustomResourceDefinitions (ks.g: v1: size: type changes from "string" to "integer")`
	for name, test := range map[string]struct {
		catalog string
		p       command.Program
		want    bool
	}{
		"refused":         {catalogOf(t, "string", "integer"), offline, true},
		"directories":     {folder(t, bundleDirectory(1, "", "string")+bundleDirectory(2, "p.v1", "integer")), offline, true},
		"the same":        {catalogOf(t, "string", "string"), offline, false},
		"without a judge": {catalogOf(t, "string", "integer"), command.Program{Name: "resolvent"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, out := run(t, test.p, "migrate", "-f", manifests, "--catalog", "olm/c="+test.catalog, "-o", "json")
			var plan struct {
				Rows []struct {
					Next struct {
						V1, Why string
						Fails   bool
					}
				}
			}
			require.NoError(t, json.Unmarshal([]byte(out), &plan))
			require.Len(t, plan.Rows, 1)
			assert.Equal(t, "p.v2", plan.Rows[0].Next.V1)
			assert.Equal(t, test.want, plan.Rows[0].Next.Fails)
			assert.Equal(t, test.want, strings.Contains(plan.Rows[0].Next.Why, said), plan.Rows[0].Next.Why)
			_, out = run(t, test.p, "migrate", "--cluster", "a="+manifests, "--cluster", "b="+manifests, "--catalog", "c="+test.catalog, "--acknowledge", "C8")
			assert.Equal(t, test.want, strings.Contains(out, said), out)
		})
	}
}
