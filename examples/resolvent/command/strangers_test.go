package command

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// What a stranger wants to be read as the program's own line, or as a command of a workflow.
const (
	forged   = "forged: resolved"
	injected = "::error::"
)

// hostile makes the text of a stranger hostile.
func hostile(text string) string {
	return injected + text + "\x1b[2J\r\u202e\u009b\n" + forged + "\n  " + injected + "\u2028" + forged + "\n  | \t"
}

// strangerCatalog and strangerCluster have every kind of document and of object, with
// every field that is read.
const (
	strangerCatalog = `[
{"schema": "olm.package", "name": "a", "defaultChannel": "c", "description": "what it does"},
{"schema": "olm.channel", "package": "a", "name": "c", "entries": [{"name": "a.v3", "replaces": "a.v2", "skipRange": "<1.5.0"}, {"name": "a.v2", "replaces": "a.v1", "skips": ["a.v0"]}, {"name": "a.v1"}]},
{"schema": "olm.channel", "package": "a", "name": "beta", "entries": [{"name": "a.v3"}, {"name": "a.v2"}]},
{"schema": "olm.bundle", "package": "a", "name": "a.v3", "image": "registry.example/a:3", "relatedImages": [{"name": "tool", "image": "registry.example/tool:3"}], "properties": [
  {"type": "olm.package", "value": {"packageName": "a", "version": "3.0.0", "release": "1"}},
  {"type": "olm.gvk", "value": {"group": "light.example.com", "version": "v1", "kind": "Lamp"}},
  {"type": "olm.maxOpenShiftVersion", "value": "4.18"},
  {"type": "olm.constraint", "value": {"failureMessage": "get b", "package": {"packageName": "b", "versionRange": ">=1.0.0"}}}]},
{"schema": "olm.bundle", "package": "a", "name": "a.v2", "image": "registry.example/a:2", "properties": [
  {"type": "olm.package", "value": {"packageName": "a", "version": "2.0.0"}},
  {"type": "olm.gvk.required", "value": {"group": "oil.example.com", "version": "v1", "kind": "Oil"}},
  {"type": "olm.label", "value": {"label": "near"}},
  {"type": "olm.csv.metadata", "value": {"installModes": [{"type": "AllNamespaces", "supported": true}], "minKubeVersion": "1.20.0", "annotations": {"note": "text"}}},
  {"type": "olm.constraint", "value": {"failureMessage": "rule", "cel": {"rule": "properties.exists(p,\n p.type == 'olm.package')"}}}]},
{"schema": "olm.bundle", "package": "a", "name": "a.v1", "image": "registry.example/a:1", "properties": [
  {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}},
  {"type": "olm.constraint", "value": {"cel": {"rule": "x ++ "}}}]},
{"schema": "olm.package", "name": "o", "defaultChannel": "d"},
{"schema": "olm.channel", "package": "o", "name": "d", "entries": [{"name": "o.v1"}]},
{"schema": "olm.bundle", "package": "o", "name": "o.v1", "image": "registry.example/o:1", "properties": [
  {"type": "olm.package", "value": {"packageName": "o", "version": "1.0.1"}},
  {"type": "olm.label.required", "value": {"label": "far"}},
  {"type": "olm.package.required", "value": {"packageName": "a", "versionRange": "<9.0.0"}},
  {"type": "olm.gvk", "value": {"group": "oil.example.com", "version": "v1", "kind": "Oil"}}]},
{"schema": "olm.deprecations", "package": "a", "entries": [
  {"reference": {"schema": "olm.package"}, "message": "it is old"},
  {"reference": {"schema": "olm.channel", "name": "beta"}, "message": "it is beta"},
  {"reference": {"schema": "olm.bundle", "name": "a.v2"}, "message": "it is two"}]}]`
	strangerCluster = `[
{"kind": "Subscription", "metadata": {"name": "s", "namespace": "n"}, "spec": {"name": "a", "channel": "c", "source": "cat", "sourceNamespace": "olm", "startingCSV": "a.v2", "config": {"env": [{"name": "x", "value": "y"}]}}},
{"kind": "Subscription", "metadata": {"name": "t", "namespace": "n"}, "spec": {"name": "gone", "channel": "lost", "source": "other", "sourceNamespace": "elsewhere"}},
{"kind": "Subscription", "metadata": {"name": "u", "namespace": "m"}, "spec": {"name": "o", "source": "cat", "sourceNamespace": "olm"}, "status": {"installedCSV": "o.v0", "state": "AtLatestKnown", "conditions": [{"type": "ResolutionFailed", "status": "True", "reason": "Why", "message": "because"}]}},
{"kind": "ClusterServiceVersion", "metadata": {"name": "o.v0", "namespace": "m", "annotations": {"operatorframework.io/properties": "{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"o\",\"version\":\"0.1.0\"}}]}"}}, "spec": {"version": "0.1.0", "replaces": "o.v"}, "status": {"phase": "Succeeded", "reason": "InstallSucceeded"}},
{"kind": "ClusterServiceVersion", "metadata": {"name": "free.v1", "namespace": "m"}, "spec": {"version": "1.2.0", "customresourcedefinitions": {"owned": [{"name": "lamps.light.example.com", "version": "v1", "kind": "Lamp"}]}}},
{"kind": "OperatorCondition", "metadata": {"name": "o.v0", "namespace": "m"}, "spec": {"overrides": [{"type": "Upgradeable", "status": "False", "reason": "Busy", "message": "wait for it"}]}},
{"kind": "OperatorGroup", "metadata": {"name": "g", "namespace": "m", "annotations": {"olm.providedAPIs": "Lamp.v1.light.example.com"}}, "spec": {"targetNamespaces": ["m", "k"], "upgradeStrategy": "Default"}},
{"kind": "CatalogSource", "metadata": {"name": "dead", "namespace": "olm"}, "spec": {"priority": 3}, "status": {"connectionState": {"lastObservedState": "TRANSIENT_FAILURE"}}},
{"kind": "ClusterCatalog", "metadata": {"name": "cat", "labels": {"sea": "near"}}, "spec": {"priority": 1}},
{"kind": "ClusterExtension", "metadata": {"name": "e"}, "spec": {"namespace": "n", "source": {"sourceType": "Catalog", "catalog": {"packageName": "a", "version": "<2.0.0", "channels": ["c"], "upgradeConstraintPolicy": "CatalogProvided", "selector": {"matchLabels": {"sea": "far"}}}}}, "status": {"install": {"bundle": {"name": "a.v1", "version": "1.0.0"}}}},
{"kind": "Namespace", "metadata": {"name": "k", "labels": {"team": "keepers"}}}]`
)

// texts collects all texts in documents.
func texts(v any, found map[string]bool) {
	switch v := v.(type) {
	case string:
		found[v] = true
	case []any:
		for _, child := range v {
			texts(child, found)
		}
	case map[string]any:
		for _, child := range v {
			texts(child, found)
		}
	}
}

// broken returns documents in which one text is hostile wherever it stands, each on a line.
func broken(t *testing.T, documents []any, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	old, err := json.Marshal(text)
	require.NoError(t, err)
	bad, err := json.Marshal(hostile(text))
	require.NoError(t, err)
	for _, d := range documents {
		line, err := json.Marshal(d)
		require.NoError(t, err)
		for _, after := range []string{",", "}", "]"} { // a value, and no key
			line = bytes.ReplaceAll(line, append(old, after...), append(bad, after...))
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

// No text of a stranger controls a terminal, begins a line, or is a command of a workflow,
// in any output.
func TestStrangersTexts(t *testing.T) {
	var catalog, cluster []any
	require.NoError(t, json.Unmarshal([]byte(strangerCatalog), &catalog))
	require.NoError(t, json.Unmarshal([]byte(strangerCluster), &cluster))
	found := map[string]bool{}
	texts(catalog, found)
	texts(cluster, found)
	all := slices.Sorted(maps.Keys(found))
	for i, text := range all {
		if testkit.Today(i, 14) {
			t.Run(text, func(t *testing.T) { strangers(t, catalog, cluster, text) })
		}
	}
}

func strangers(t *testing.T, catalog, cluster []any, text string) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	is, known := write("catalog.json", broken(t, catalog, text)), write("cluster.json", broken(t, cluster, text))
	was := write("was.json", broken(t, catalog[:7], text))
	line, err := json.Marshal(map[string]string{"code": "trap" + text, "package": hostile(text), "channel": hostile("c"), "bundle": hostile("a.v1"), "cause": hostile("x")})
	require.NoError(t, err)
	baseline := write("known.jsonl", line)
	of := func(args ...string) []string {
		return append(args, "-f", known, "--catalog", "olm/cat="+is, "--catalog", "cat="+is, "--verbose")
	}
	alone := func(args ...string) []string { return append(of(args...), "-n", "n", "--lenient-health") }
	pkg, bundle := "a", "a.v2"
	if text == pkg {
		pkg = hostile(pkg)
	}
	if text == bundle {
		bundle = hostile(bundle)
	}
	for _, args := range [][]string{
		of("resolve", "--why"), of("resolve", "--lenient-health"), of("resolve", "--partial", "--lenient-health"), of("resolve", "-o", "json"), of("lock", "--lock", filepath.Join(dir, "operators.lock"), "--partial"), of("lock", "--lock", filepath.Join(dir, "other.lock"), "--partial", "-o", "diff"), of("resolve", "--jointly", "--lenient-health"),
		of("resolve", "--exclude-catalog", "olm/dead", "--why"), of("resolve", "-o", "yaml", "--exclude-catalog", "olm/dead"),
		of("resolve", "-o", "mermaid"), of("resolve", "-o", "dot"), of("resolve", "-o", "svg"), of("resolve", "--strict"),
		alone("resolve", "--pin", "a=9.9.9"),
		of("status"), of("status", "-o", "json"), of("status", "--target-openshift", "4.20", "--lenient-health"), of("status", "--without", "o"),
		alone("why", bundle), alone("why-not", hostile("a.v9")), alone("why-not", "a.v3"),
		of("path", "--package", "o", "-n", "m"), of("path", "--package", pkg),
		alone("mirror"), alone("mirror", "-o", "images"), alone("mirror", "-o", "json"),
		{"mirror", "-o", "imageset", "-f", known, "--catalog", "olm/cat=" + is + ",image=i"},
		{"list", "--catalog", "cat=" + is, "--verbose"}, {"list", pkg, "--catalog", "cat=" + is}, {"list", "-o", "json", "--catalog", "cat=" + is}, {"list", hostile("b"), "--catalog", "cat=" + is},
		{"check", is, "--show", "note"}, {"check", is, "--show", "note", "-o", "github"}, {"check", is, "--show", "note", "-o", "html"}, {"check", is, "-o", "json"},
		{"check", was, "--baseline", baseline}, {"check", was, "--baseline", baseline, "-o", "github"},
		{"diff", was, is, "-f", known, "--as", "olm/cat"}, {"diff", is, was, "--cluster", hostile("x") + "=" + known}, {"diff", is, was, "-o", "json"},
		{"graph", is, "--package", pkg}, {"graph", is, "--package", pkg, "-o", "mermaid"}, {"graph", is, "--package", pkg, "-o", "dot"}, {"graph", is, "--package", pkg, "-o", "svg"},
		{hostile("x")}, {"help", hostile("x")}, {"list", hostile("x"), hostile("y")}, {"resolve", "--" + hostile("x")}, {"resolve", "-f", hostile("x")},
		{"resolve", "--catalog", hostile("x")}, {"check", hostile("x")}, {"resolve", "--package", hostile("x"), "--catalog", "olm/cat=" + is},
	} {
		answered(t, args...)
	}
}

// answered runs a command, whose output has to be harmless.
func answered(t *testing.T, args ...string) outcome {
	got := invoke(t, t.Context(), "", args...)
	at := slices.Index(args, "-o")
	exact := at > 0 && (args[at+1] == "json" || args[at+1] == "yaml" || args[at+1] == "imageset")
	harmless(t, args, got.stderr, false)
	if !exact {
		controlsNothing(t, args, got.stdout)
	}
	harmless(t, args, got.stdout, at > 0 && args[at+1] == "github")
	return got
}

func controlsNothing(t *testing.T, args []string, text string) {
	t.Helper()
	for _, c := range []string{"\x1b", "\r", "\u202e", "\u009b", "\u2028"} {
		assert.NotContains(t, text, c, "%q", args)
	}
}

// harmless checks lines; those of annotations are commands, but not the stranger's.
func harmless(t *testing.T, args []string, text string, annotations bool) {
	t.Helper()
	for line := range strings.Lines(text) {
		start := strings.TrimLeft(line, " \t│├└─")
		if strings.HasPrefix(start, forged) || strings.HasPrefix(start, injected) || !annotations && strings.HasPrefix(start, "::") {
			t.Errorf("%q: %q", args, line)
		}
	}
}
