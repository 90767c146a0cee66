package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/manifest"
)

// What is nearly right is refused, or said, with the nearest name.
func TestNearest(t *testing.T) {
	one := func(args ...string) []string { return append(args, coast...) }
	tests := map[string]struct {
		args   []string
		status int
		stderr string
	}{
		"command":   {[]string{"statsu"}, exitNotStarted, "statsu: unknown command; did you mean status?"},
		"help":      {[]string{"help", "diffs"}, exitNotStarted, "diffs: unknown command; did you mean diff?"},
		"far":       {[]string{"zzzzzz"}, exitNotStarted, "zzzzzz: unknown command\n"},
		"flag":      {one("resolve", "-f", "testdata/cluster/install.yaml", "--namespcae", "harbor"), exitNotStarted, "--namespcae: unknown flag; did you mean --namespace?"},
		"value":     {one("resolve", "-f", "testdata/cluster/install.yaml", "--namespace", "--harbor"), exitNotStarted, `-n "--harbor": invalid; want the name of a namespace`},
		"namespace": {one("resolve", "-f", "testdata/cluster/install.yaml", "-n", "harbour"), exitNotStarted, "--namespace harbour: nothing in the manifests has this namespace; did you mean harbor?"},
		"path":      {one("path", "--package", "pier", "-f", "testdata/cluster/status.yaml", "-n", "habor"), exitNotStarted, "did you mean harbor?"},
		"misspelt key": {
			[]string{"migrate", "-f", "testdata/cluster/update.yaml", "--catalog", "olm/cost=testdata/catalogs/coast"}, exitUnresolved,
			"catalog olm/coast of Subscription harbor/lighthouse is missing: pass it with --catalog olm/coast=FROM; did you mean olm/cost, which you passed?\n",
		},
		"key of v0 for v1": {
			one("resolve", "-f", "testdata/cluster/extension.yaml"), exitUnresolved,
			"no catalog for ClusterExtensions: pass one without a namespace, as in --catalog coast=FROM\n",
		},
		"quoted key": {
			[]string{"resolve", "-f", "testdata/cluster/extension.yaml", "--catalog", "olm/a b=testdata/catalogs/coast"}, exitUnresolved, "as in --catalog 'a b'=FROM\n",
		},
		"quoted key of an image": {
			[]string{"mirror", "--package", "lighthouse", "--catalog", "olm/a b=testdata/catalogs/coast", "-o", "imageset"}, exitUnresolved, "append ,image=REF to --catalog 'olm/a b'=FROM",
		},
		"empty catalog": {
			[]string{"resolve", "-f", "testdata/cluster/update.yaml", "--catalog", "olm/coast=testdata/cluster"}, exitNotStarted, "it has no bundle",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), "", tt.args...)
			assert.Equal(t, tt.status, got.status, got.stdout)
			assert.Contains(t, got.stderr, tt.stderr)
		})
	}
}

// Where content was given under another name, the whole flag to type stands in the answer, once, and is
// right; pages name no place.
func TestGivenUnderAnotherName(t *testing.T) {
	const flag = "--catalog olm/coast=testdata/catalogs/coast"
	for _, ask := range []string{"status", "resolve", "resolve --all", "path lighthouse", "why-not lighthouse"} {
		args := append(strings.Fields(ask), "-f", "testdata/cluster/update.yaml")
		for _, given := range []string{"sea/coast", "coast", "olm/cost"} {
			got := call(t, args, "--catalog", given+"=testdata/catalogs/coast")
			assert.Contains(t, got.stdout, "if it is the one you passed as "+given+", pass it by the cluster's name for it: "+flag+"\n", ask)
			assert.NotContains(t, got.stdout, "FROM", ask)
			assert.NotContains(t, got.stderr, "--catalog", ask)
		}
		assert.NotContains(t, call(t, args, strings.Fields(flag)...).stdout, "not judged", ask)
	}
	page := call(t, []string{"status", "-f", "testdata/cluster/update.yaml", "--catalog"}, "sea/coast=testdata/catalogs/coast", "-o", "html")
	assert.Contains(t, page.stdout, "FROM")
	assert.NotContains(t, page.stdout, "give it as what")
}

// A catalog that its object calls broken fails the namespace, with and without content.
func TestBrokenCatalog(t *testing.T) {
	const broken = `{kind: CatalogSource, apiVersion: operators.coreos.com/v1alpha1, metadata: {name: reef, namespace: olm}, spec: {sourceType: grpc},
  status: {connectionState: {lastObservedState: TRANSIENT_FAILURE}, reason: RegistryServerError, message: "image not\nfound",
    conditions: [{type: Serving, status: "False", reason: Down, message: no pod}]}}`
	run := func(name string, check func(t *testing.T, got outcome), args ...[]string) {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), broken, slices.Concat(append(args, from("update.yaml", "-f", "-"), coast)...)...)
			assert.Equal(t, exitUnresolved, got.status, got.stderr)
			check(t, got)
		})
	}
	fails := func(t *testing.T, got outcome) {
		assert.Contains(t, got.stdout, "olm/reef (the catalog source is not ready: last observed state TRANSIENT_FAILURE; "+
			"RegistryServerError: image not found; condition Serving is False: Down: no pod)")
		assert.Contains(t, got.stdout, "Do this (tried here, not on the cluster)\n  repair CatalogSource reef in namespace olm (its pod says why: kubectl describe pods --namespace olm --selector olm.catalogSource=reef), or wait until it is healthy; or at once:\n"+
			"  1. save what is deleted: kubectl get --namespace olm catalogsources.operators.coreos.com/reef --output yaml > saved-reef.yaml\n  2. delete CatalogSource reef in namespace olm\n  Then: ")
	}
	run("without content", fails, []string{"resolve"})
	run("with content", fails, []string{"resolve"}, reef)
	run("json", func(t *testing.T, got outcome) {
		assert.Contains(t, got.stdout, `"waitFor": "repair CatalogSource reef in namespace olm (its pod says why: kubectl describe pods --namespace olm --selector olm.catalogSource=reef), or wait until it is healthy"`)
	}, []string{"resolve", "-o", "json"})
	run("status", func(t *testing.T, got outcome) {
		assert.Contains(t, got.stdout, "\n    repair CatalogSource reef in namespace olm (its pod says why: kubectl describe pods --namespace olm --selector olm.catalogSource=reef), or wait until it is healthy\n")
	}, []string{"status"})
	const advice = "repair CatalogSource reef in namespace olm (its pod says why: "
	run("path", func(t *testing.T, got outcome) { assert.Contains(t, got.stdout, advice) }, []string{"path", "lighthouse"})
	run("mirror", func(t *testing.T, got outcome) { assert.Contains(t, got.stderr, advice) }, []string{"mirror"})
}

// A hint says which flags of this call the command that it names needs, too.
func TestHintsRepeat(t *testing.T) {
	args := append([]string{"status", "-n", "harbor", "--verbose", "--partial"}, from("status.yaml")...)
	hint := "resolvent why-not lighthouse -n harbor (with "
	assert.Contains(t, call(t, args, coast...).stdout, hint+"the same --partial, -f and --catalog)\n")
	assert.Contains(t, call(t, []string{"status", "--cluster", "a=testdata/cluster/status.yaml"}, coast...).stdout, hint+"-f for one of the clusters, and the same --catalog)\n")
	assert.Contains(t, call(t, []string{"resolve", "-o", "yaml", "--load", filepath.Join("testdata", "explanations", "hold.txtar")}).stderr, "and 1 more way: -o text --all\n")
	t.Run("another program", func(t *testing.T) {
		t.Chdir(filepath.Join("..", "..", ".."))
		var out strings.Builder
		Program{Name: "kubectl resolvent"}.Run(t.Context(), append(args, coast...), nil, &out, io.Discard)
		assert.Contains(t, out.String(), "No safe fix. For riskier options, run kubectl "+hint)
	})
	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, "{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: s%d, namespace: n}, spec: {name: none%[1]d, source: coast, sourceNamespace: olm}}\n---\n", i)
	}
	got := invoke(t, t.Context(), many.String(), append([]string{"mirror", "-f", "-"}, coast...)...)
	assert.Contains(t, got.stderr, ": resolvent resolve --all (with the same -f and --catalog)\n")
}

// The commands of a fix create what --package asks for, as the fix wants it: no cluster has it to be changed.
func TestFixOfWhatIsAskedFor(t *testing.T) {
	got := call(t, []string{"resolve", "--package", "lighthouse@zz", "--fix", "1"}, coast...)
	assert.Equal(t, outcome{exitResolved, `printf '%s' '{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"lighthouse","namespace":"operators"},` +
		`"spec":{"channel":"stable","name":"lighthouse","source":"coast","sourceNamespace":"olm"}}' | kubectl create -f -` + "\n", ""}, got)
}

// What is printed to be applied has names that an API server accepts, whatever those of packages
// and channels are.
func TestPrintedNames(t *testing.T) {
	long := strings.Repeat("x", 300)
	blobs := func(pkg, channel, requires string) string {
		return fmt.Sprintf(`{"schema": "olm.package", "name": %[1]q, "defaultChannel": %[2]q}
{"schema": "olm.channel", "package": %[1]q, "name": %[2]q, "entries": [{"name": "v1-%[1]s"}]}
{"schema": "olm.bundle", "package": %[1]q, "name": "v1-%[1]s", "image": "q.io/a", "properties": [{"type": "olm.package", "value": {"packageName": %[1]q, "version": "1.0.0"}}%[3]s]}
`, pkg, channel, requires)
	}
	content := blobs("My_Package", "Al_pha", `, {"type": "olm.package.required", "value": {"packageName": "a..b", "versionRange": ">=1.0.0"}}`) +
		blobs("a..b", long, "") + blobs(long, "c", "") + blobs("___", "c", "") + blobs("my-package", "c", "")
	file := filepath.Join(t.TempDir(), "c.json")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	catalog := []string{"--catalog", "olm/c=" + file, "--catalog", "c=" + file}
	const extension = "{kind: ClusterExtension, metadata: {name: ours}, spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: My_Package}}}}"

	for _, pkg := range []string{"My_Package", "a..b", "___", long} {
		for flag, args := range map[string][]string{
			"fixed":   {"resolve", "--package", pkg + "@zz", "--fix", "1"},
			"extends": {"resolve", "-f", "-", "-o", "yaml"},
		} {
			t.Run(flag, func(t *testing.T) {
				got := invoke(t, t.Context(), extension, append(args, catalog...)...)
				text := got.stdout
				if command, of := strings.CutPrefix(text, "printf "); of {
					_, text, _ = strings.Cut(strings.ReplaceAll(command, "'\\\n'", ""), " ")
					text = strings.Trim(strings.TrimSuffix(text, " | kubectl create -f -\n"), "'\\\n")
				}
				objects, err := manifest.Read(t.Context(), manifest.Input{Name: "printed", Reader: strings.NewReader(text)})
				require.NoError(t, err, "%s%s", got.stdout, got.stderr)
				assert.NotZero(t, len(objects.Subscriptions)+len(objects.ClusterExtensions), got.stderr)
			})
		}
	}
	got := call(t, []string{"resolve", "--package", strings.Repeat("n", 64) + "/etcd"}, catalog...)
	assert.Contains(t, got.stderr, "is not a valid namespace; want at most 63 lower-case letters")
}

// A namespace that asks for the package answers; the others are only named.
func TestWhyNotAsksTheNamespaceFirst(t *testing.T) {
	args := append([]string{"why-not", "iceberg.v0.9.0"}, from("status.yaml")...)
	got := invoke(t, t.Context(), "", append(append(args, coast...), "--catalog", "coast=testdata/catalogs/coast")...)
	assert.Contains(t, got.stdout, "namespace north: cannot be resolved")
	assert.Contains(t, got.stdout, "\nNothing requests or requires its package in namespace harbor or ClusterExtension light.\n")
	assert.NotContains(t, got.stdout, "namespace harbor:")
}

// A package that is requested and that no catalog has is explained as resolve does.
func TestWhyNotOfAbsentPackage(t *testing.T) {
	const manifests = "{kind: Subscription, metadata: {name: mine, namespace: n}, spec: {name: lighthous, source: coast, sourceNamespace: olm}}\n---\n" +
		"{kind: ClusterExtension, metadata: {name: ours}, spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: ferryman}}}}"
	const misspelt, fix = "catalog olm/coast has no package lighthous; the nearest name is lighthouse\n", "set spec.name of Subscription mine to lighthouse\n"
	v1 := []string{"--catalog", "coast=testdata/catalogs/coast"}
	for _, test := range []struct {
		question string
		catalogs []string
		want     []string
	}{
		{"why-not lighthous", coast, []string{"Subscription mine (package lighthous) cannot be satisfied", misspelt, fix}},
		{"why-not lighthous@1.0.0", coast, []string{misspelt, fix}},
		{"why-not mine", coast, []string{misspelt, fix}},
		{"why lighthous", coast, []string{misspelt, fix}},
		{"why-not ferryman", slices.Concat(coast, v1), []string{"ClusterExtension ours cannot be satisfied:\ncatalog coast has no package ferryman; the nearest name is ferry\n"}},
		{"why-not ours", slices.Concat(coast, v1), []string{"catalog coast has no package ferryman; the nearest name is ferry\n"}},
		{"why-not lighthous", []string{"--catalog", "olm/cost=testdata/catalogs/coast"}, []string{"namespace n is not judged: olm/coast (no content was given for this catalog, unless it is what was given as olm/cost)"}},
	} {
		t.Run(test.question, func(t *testing.T) {
			got := invoke(t, t.Context(), manifests, slices.Concat(strings.Fields(test.question), []string{"-f", "-"}, test.catalogs)...)
			assert.Equal(t, exitUnresolved, got.status, got.stderr)
			for _, want := range test.want {
				assert.Contains(t, strings.ReplaceAll(got.stdout, "\n  ", "\n"), want, got.stderr)
			}
		})
	}
	got := invoke(t, t.Context(), manifests, append([]string{"why-not", "lighthouse@9", "-f", "-"}, coast...)...)
	assert.Equal(t, exitNotStarted, got.status, "nobody requests it")
}

// A bundle that is installed from another package, or for somebody else, only has the same name.
func TestOfTheSameName(t *testing.T) {
	const blobs = `{"schema": "olm.package", "name": "p", "defaultChannel": "a"}
{"schema": "olm.channel", "package": "p", "name": "a", "entries": [{"name": "p.v1"}, {"name": "p.v2", "replaces": "p.v1"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "i", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v2", "image": "i", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "2.0.0"}}]}`
	csv := func(name, version, pkg string) string {
		return fmt.Sprintf("{kind: ClusterServiceVersion, metadata: {name: %s, namespace: n, annotations: {operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"%s\",\"version\":\"%s\"}}]}'}}, spec: {version: %[3]s}}\n---\n", name, pkg, version)
	}
	subscribed := csv("p.v2", "9.0.0", "q") + csv("p.v1", "1.0.0", "p") +
		"{kind: Subscription, metadata: {name: p, namespace: n}, spec: {name: p, channel: a, source: c, sourceNamespace: olm}, status: {installedCSV: p.v1}}"
	extended := csv("p.v2", "9.0.0", "q") +
		`{kind: ClusterExtension, metadata: {name: ours}, spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: p, version: "1.0.0"}}}}`
	const rule, ranged = "a namespace has at most one bundle named p.v2\n", "and version 2.0.0 is not in range\n"
	file := filepath.Join(t.TempDir(), "c.json")
	require.NoError(t, os.WriteFile(file, []byte(blobs), 0o600))
	for _, test := range []struct{ question, manifests, want string }{
		{"why-not p", subscribed, rule}, {"why-not p@2", subscribed, rule}, {"why-not p@2.0.0", subscribed, rule}, {"why p@2", subscribed, rule},
		{"why p.v2", subscribed, "p.v2 is kept in namespace n\n"},
		{"why-not p", extended, ranged}, {"why-not p@2.0.0", extended, ranged}, {"why-not p.v2", extended, ranged},
		{"status", subscribed, "n/p   1.0.0              2.0.0  blocked"},
		{"resolve --all", extended, "  p.v1, not p.v2\n    ClusterExtension ours asks for package p in version 1.0.0, " + ranged},
	} {
		t.Run(test.question, func(t *testing.T) {
			got := invoke(t, t.Context(), test.manifests, append(strings.Fields(test.question), "-f", "-", "--catalog", "c="+file, "--catalog", "olm/c="+file)...)
			assert.Contains(t, got.stdout, test.want, got.stderr)
		})
	}
}

// The name of a request stands for its package.
func TestWhyOfRequest(t *testing.T) {
	const manifests = "{kind: Subscription, metadata: {name: mine, namespace: n}, spec: {name: lighthouse, source: coast, sourceNamespace: olm}}\n---\n" +
		"{kind: ClusterExtension, metadata: {name: ours}, spec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: lighthouse}}}}"
	for name, want := range map[string]string{"mine": "lighthouse.v1.2.0 is selected in namespace n", "ours@2": "lighthouse.v2.0.0 is selected for ClusterExtension ours"} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), manifests, append([]string{"why", name, "-f", "-", "--catalog", "coast=testdata/catalogs/coast"}, coast...)...)
			assert.Contains(t, got.stdout, want, got.stderr)
		})
	}
}

// A catalog that the cluster has, and that is not given, is named first where something is
// missing, and only if the request sees it.
func TestCatalogNotGiven(t *testing.T) {
	const subscription = "{kind: Subscription, metadata: {name: s, namespace: n}, spec: {name: ferry, source: coast, sourceNamespace: olm}}\n---\n"
	source := func(namespace string) string {
		return "{kind: CatalogSource, metadata: {name: island, namespace: " + namespace + "}, spec: {sourceType: grpc}, status: {connectionState: {lastObservedState: READY}}}"
	}
	const hint = "catalog olm/island of the cluster may have what is missing: pass it with --catalog olm/island=FROM\n"
	const first = "catalog olm/island of the cluster was not given, and may have what is missing\n"
	for name, test := range map[string]struct {
		manifests string
		want      int
	}{"seen": {subscription + source("olm"), 1}, "unseen": {subscription + source("elsewhere"), 0}} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), test.manifests, append([]string{"resolve", "-f", "-"}, coast...)...)
			assert.Equal(t, exitUnresolved, got.status, got.stderr)
			assert.Empty(t, got.stderr)
			assert.Equal(t, test.want, strings.Count(got.stdout, first), got.stdout)
			assert.Equal(t, test.want == 0, strings.Contains(got.stdout, "delete Subscription s"))
		})
	}
	for _, command := range [][]string{{"status"}, {"why-not", "ferry.v1.0.0"}, {"path", "kraken", "-f", "testdata/cluster/status.yaml"}} {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			got := invoke(t, t.Context(), subscription+source("olm"), slices.Concat(command, []string{"-f", "-"}, coast)...)
			assert.Equal(t, 1, strings.Count(got.stdout, first), got.stdout)
			before, _, _ := strings.Cut(got.stdout, first)
			assert.NotContains(t, before, "ferry")
			assert.NotContains(t, before, "Why")
		})
	}
	several := strings.NewReplacer("island", "atoll")
	also := strings.NewReplacer("coast", "atoll", "name: s,", "name: z,")
	for _, manifests := range []string{ // catalogs that may have what is missing, and that are asked for
		subscription + source("olm") + "\n---\n" + several.Replace(source("olm")),
		subscription + also.Replace(subscription) + strings.NewReplacer("coast", "island", "name: s,", "name: y,").Replace(subscription),
	} {
		for _, command := range []string{"status", "resolve"} {
			t.Run("several "+command, func(t *testing.T) {
				got := invoke(t, t.Context(), manifests, append([]string{command, "-f", "-"}, coast...)...)
				assert.Equal(t, 1, strings.Count(got.stdout, "opm render"), got.stdout)
				assert.Contains(t, got.stdout, "olm/atoll")
			})
		}
	}
	for _, command := range [][]string{{"mirror"}, {"why", "ferry.v9"}} {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			got := invoke(t, t.Context(), subscription+source("olm"), slices.Concat(command, []string{"-f", "-"}, coast)...)
			assert.Equal(t, 1, strings.Count(got.stderr, hint), got.stderr)
		})
	}
}

// Rows that are not judged stand behind those that need somebody, on which they have no bearing.
func TestNotJudgedStandsBehind(t *testing.T) {
	const manifests = `{kind: Subscription, metadata: {name: s, namespace: m}, spec: {name: ferry, source: island, sourceNamespace: olm}}
---
{kind: CatalogSource, metadata: {name: island, namespace: m}, spec: {sourceType: grpc}, status: {connectionState: {lastObservedState: READY}}}
---
{kind: Subscription, metadata: {name: lost, namespace: n}, spec: {name: lantern, channel: bright, source: coast, sourceNamespace: olm}}
`
	got := invoke(t, t.Context(), strings.Replace(manifests, "sourceNamespace: olm", "sourceNamespace: m", 1), append([]string{"status", "-f", "-"}, coast...)...).stdout
	needs, unjudged := strings.Index(got, "What needs you"), strings.Index(got, "\nNot judged")
	require.Positive(t, needs, got)
	assert.Less(t, needs, unjudged, got)
}

// A ClusterCatalog that is neither given nor what a given catalog becomes is named by migrate.
func TestClusterCatalogNotGiven(t *testing.T) {
	manifest := func(kind, name, image string) string {
		return "{kind: " + kind + ", metadata: {name: " + name + ", namespace: olm}, spec: {sourceType: grpc, image: " + image + ", source: {image: {ref: " + image + "}}}}\n---\n"
	}
	const hint = "ClusterCatalog island, from which OLM v1 installs, is missing: pass it with --catalog island=FROM\n"
	for name, test := range map[string]struct {
		manifests, want string
		given           []string
	}{
		"not given":       {manifest("ClusterCatalog", "island", "a"), hint, coast},
		"given":           {manifest("ClusterCatalog", "island", "a"), "", v1},
		"of one image":    {manifest("ClusterCatalog", "island", "a") + manifest("CatalogSource", "coast", "a"), "", coast},
		"of other images": {manifest("ClusterCatalog", "island", "a") + manifest("CatalogSource", "coast", "b"), hint, coast},
		"of one name":     {manifest("ClusterCatalog", "coast", "a"), "", coast},
		"excluded":        {manifest("ClusterCatalog", "island", "a"), "", append([]string{"--exclude-catalog", "island"}, coast...)},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), test.manifests, append([]string{"migrate", "-f", "-"}, test.given...)...)
			assert.Equal(t, exitResolved, got.status, got.stderr)
			assert.Equal(t, test.want, got.stderr)
		})
	}
}
