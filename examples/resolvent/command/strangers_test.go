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

// forged is what a stranger wants to be read as the program's own line.
const forged = "namespace n: resolved"

// hostile is at the end of every text of a stranger.
const hostile = "\x1b[2J\r\u202e\u009b\n" + forged + "\n  " + forged + "\n  | \t"

// hostileFiles are a catalog, one that differs, and manifests whose texts are hostile.
func hostileFiles(t *testing.T) (catalog, other, cluster string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, documents ...any) string {
		var b strings.Builder
		for _, d := range documents {
			line, err := json.Marshal(d)
			require.NoError(t, err)
			b.Write(append(line, '\n'))
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
		return path
	}
	type object = map[string]any
	named := func(s string) string { return s + hostile }
	bundle := func(name, version string, more ...any) object {
		return object{"schema": "olm.bundle", "package": named("a"), "name": named(name), "image": "i",
			"properties": append([]any{object{"type": "olm.package", "value": object{"packageName": named("a"), "version": version}}}, more...)}
	}
	constraint := func(value object) object { return object{"type": "olm.constraint", "value": value} }
	pkg := object{"schema": "olm.package", "name": named("a"), "defaultChannel": named("c")}
	channel := object{"schema": "olm.channel", "package": named("a"), "name": named("c"), "entries": []any{
		object{"name": named("a.v3"), "replaces": named("a.v2"), "skipRange": named("bad")}, object{"name": named("a.v2"), "replaces": named("a.v1")}, object{"name": named("a.v1")},
	}}
	deprecated := object{"schema": "olm.deprecations", "package": named("a"), "entries": []any{
		object{"reference": object{"schema": "olm.package"}, "message": named("old")},
		object{"reference": object{"schema": "olm.bundle", "name": named("a.v2")}, "message": named("old")},
	}}
	broken := bundle("a.v1", "1.0.0", constraint(object{"cel": object{"rule": named("x ++ ")}}))
	missing := bundle("a.v3", "3.0.0", constraint(object{"failureMessage": named("get b"), "package": object{"packageName": named("b"), "versionRange": ">=1.0.0"}}))
	rule := bundle("a.v2", "2.0.0", constraint(object{"failureMessage": named("rule"), "cel": object{"rule": "properties.exists(p,\n p.type == 'olm.package')"}}))
	catalog = write("catalog.json", pkg, channel, missing, rule, broken, deprecated)
	other = write("other.json", pkg, object{"schema": "olm.channel", "package": named("a"), "name": named("c"), "entries": []any{object{"name": named("a.v3")}}}, missing)
	subscription := func(name string, spec object) object {
		return object{"kind": "Subscription", "metadata": object{"name": name, "namespace": "n"}, "spec": spec}
	}
	cluster = write("cluster.json",
		subscription("good", object{"name": named("a"), "startingCSV": named("a.v2")}))
	return catalog, other, cluster
}

// Texts of strangers neither control a terminal nor forge a line.
func TestStrangersTexts(t *testing.T) {
	catalog, other, cluster := hostileFiles(t)
	failing := filepath.Join(t.TempDir(), "failing.json")
	text, err := os.ReadFile(cluster)
	require.NoError(t, err)
	for _, spec := range []map[string]any{{"startingCSV": "a.v3" + hostile}, {"channel": "d" + hostile}} {
		spec["name"] = "a" + hostile
		line, err := json.Marshal(map[string]any{"kind": "Subscription", "metadata": map[string]any{"name": fmt.Sprint("s", len(text)), "namespace": "m"}, "spec": spec})
		require.NoError(t, err)
		text = append(append(text, "\n"...), line...)
	}
	require.NoError(t, os.WriteFile(failing, text, 0o600))
	line, err := json.Marshal(map[string]string{"code": "trap" + hostile, "package": "a" + hostile, "channel": "c" + hostile, "bundle": "a.v1" + hostile, "cause": hostile})
	require.NoError(t, err)
	baseline := filepath.Join(t.TempDir(), "known.jsonl")
	require.NoError(t, os.WriteFile(baseline, line, 0o600))
	from := func(file string, args ...string) []string {
		return append(args, "-f", file, "--catalog", "olm/c="+catalog, "--verbose")
	}
	for name, args := range map[string][]string{
		"resolve":         from(cluster, "resolve", "--why"),
		"failing":         from(failing, "resolve", "--why"),
		"failing yaml":    from(failing, "resolve", "-o", "yaml"),
		"failing mermaid": from(failing, "resolve", "-o", "mermaid"),
		"failing dot":     from(failing, "resolve", "-o", "dot"),
		"failing svg":     from(failing, "resolve", "-o", "svg"),
		"partial":         from(failing, "resolve", "--partial"),
		"jointly":         from(failing, "resolve", "--jointly"),
		"strict":          from(cluster, "resolve", "--strict"),
		"why":             from(cluster, "why", "a.v2"+hostile),
		"why-not":         from(cluster, "why-not", "a.v3"+hostile),
		"why-not unknown": from(cluster, "why-not", "a.v9"+hostile),
		"path":            from(cluster, "path", "--package", "a"+hostile),
		"check":           {"check", catalog, "--show", "note"},
		"check github":    {"check", catalog, "--show", "note", "-o", "github"},
		"check html":      {"check", catalog, "--show", "note", "-o", "html"},
		"baseline":        {"check", other, "--baseline", baseline},
		"baseline github": {"check", other, "--baseline", baseline, "-o", "github"},
		"diff":            {"diff", catalog, other, "-f", cluster},
		"diff back":       {"diff", other, catalog, "-f", cluster},
		"graph":           {"graph", catalog, "--package", "a" + hostile},
		"graph mermaid":   {"graph", catalog, "--package", "a" + hostile, "-o", "mermaid"},
		"graph dot":       {"graph", catalog, "--package", "a" + hostile, "-o", "dot"},
		"graph svg":       {"graph", catalog, "--package", "a" + hostile, "-o", "svg"},
	} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), "", args...)
			shown := got.stdout + got.stderr
			for _, c := range []string{"\x1b", "\r", "\u202e", "\u009b"} {
				assert.NotContains(t, shown, c)
			}
			assert.Contains(t, shown, `2J`, "what a stranger says is shown all the same")
			for line := range strings.Lines(shown) {
				assert.NotEqual(t, forged, strings.TrimSuffix(line, "\n"))
			}
		})
	}
}
