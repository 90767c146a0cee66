package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var update = flag.Bool("update", false, "write the wanted outputs anew")

// outcome is what one run of the program leaves behind.
type outcome struct {
	status         int
	stdout, stderr string
}

// invoke runs the program. It starts in the folder of the project, as its
// documentation has it.
func invoke(t *testing.T, ctx context.Context, stdin string, args ...string) outcome {
	t.Helper()
	t.Chdir(filepath.Join("..", "..", ".."))
	var stdout, stderr strings.Builder
	status := Run(ctx, args, strings.NewReader(stdin), &stdout, &stderr)
	validate(t, args, stdout.String())
	return outcome{status, stdout.String(), stderr.String()}
}

// programOfPage is what a page says of the program that made it: its version is that of a build.
var programOfPage = regexp.MustCompile(`(<dt>Program</dt><dd>).*?(?:</dd>)`)

// String is the content of a golden file.
func (o outcome) String() string {
	var b strings.Builder
	b.WriteString(programOfPage.ReplaceAllString(o.stdout, "$1"))
	if o.stderr != "" {
		b.WriteString("-- standard error --\n" + o.stderr)
	}
	fmt.Fprintf(&b, "-- exit status %d --\n", o.status)
	return b.String()
}

var (
	coast  = []string{"--catalog", "olm/coast=testdata/catalogs/coast"}
	island = []string{"--catalog", "olm/island=testdata/catalogs/island/catalog.yaml,priority=10"}
	reef   = []string{"--catalog", "olm/reef=testdata/catalogs/reef"}
	v1     = []string{"--catalog", "coast=testdata/catalogs/coast", "--catalog", "island=testdata/catalogs/island,label=sea:near"}
)

// resolveArgs joins the flags of a resolve command.
func resolveArgs(flags ...[]string) []string {
	args := []string{"resolve"}
	for _, f := range flags {
		args = append(args, f...)
	}
	return args
}

func from(name string, more ...string) []string {
	return append([]string{"-f", "testdata/cluster/" + name}, more...)
}

func statusArgs(flags ...string) []string {
	args := append([]string{"status"}, from("status.yaml", flags...)...)
	return append(append(args, coast...), "--catalog", "coast=testdata/catalogs/coast")
}

func pathArgs(flags ...string) []string {
	return append(append([]string{"path"}, from("update.yaml", flags...)...), coast...)
}

func mirrorArgs(flags ...string) []string {
	args := append([]string{"mirror"}, from("update.yaml", flags...)...)
	return append(args, "--catalog", "olm/coast=testdata/catalogs/coast,image=registry.example/coast:v1")
}

func TestGolden(t *testing.T) {
	tests := map[string][]string{
		"help":                  {"help"},
		"help-resolve":          {"help", "resolve"},
		"help-flags":            {"help", "flags"},
		"install":               resolveArgs(from("install.yaml"), coast, island),
		"install-json":          resolveArgs(from("install.yaml", "-o", "json"), coast, island),
		"install-yaml":          resolveArgs(from("install.yaml", "-o", "yaml"), coast, island),
		"extension-yaml":        resolveArgs(from("extension.yaml", "-o", "yaml"), v1),
		"install-by-manifest":   resolveArgs(from("install.yaml"), coast, []string{"--catalog=olm/island=testdata/catalogs/island"}, reef),
		"install-other-order":   resolveArgs(from("install.yaml"), coast, island, []string{"--catalog", "olm/reef=testdata/catalogs/reef,priority=20"}),
		"faults":                resolveArgs(from("install.yaml", "--verbose"), coast, island, reef),
		"strict":                resolveArgs(from("install.yaml", "--strict"), coast, island, reef),
		"update":                resolveArgs(from("update.yaml"), coast),
		"update-json":           resolveArgs(from("update.yaml", "-o", "json"), coast),
		"failing":               resolveArgs(from("failing.yaml"), coast, island),
		"failing-json":          resolveArgs(from("failing.yaml", "-o", "json"), coast, island),
		"failing-yaml":          resolveArgs(from("failing.yaml", "-o", "yaml"), coast, island),
		"failing-partial":       resolveArgs(from("failing.yaml", "--partial"), coast, island),
		"fix":                   resolveArgs(from("failing.yaml", "--namespace", "deep-sea", "--fix", "1"), coast),
		"why-not-fix":           append([]string{"why-not", "lighthouse@1.0.0", "--fix", "1"}, append(from("update.yaml"), coast...)...),
		"fix-unknown":           resolveArgs(from("failing.yaml", "--namespace", "deep-sea", "--fix", "9"), coast),
		"one-namespace":         resolveArgs(from("failing.yaml", "--namespace", "deep-sea"), coast),
		"no-global-namespaces":  resolveArgs(from("install.yaml", "--global-namespace", ""), coast),
		"excluded":              resolveArgs(from("install.yaml", "--exclude-catalog", "olm/island"), coast, island),
		"extension":             resolveArgs(from("extension.yaml"), v1),
		"extension-json":        resolveArgs(from("extension.yaml", "-o", "json", "--installed", "light=lighthouse.v1.0.0@1.0.0"), v1),
		"install-why":           resolveArgs(from("install.yaml", "--why"), coast, island),
		"install-mermaid":       resolveArgs(from("install.yaml", "-o", "mermaid"), coast, island),
		"install-dot":           resolveArgs(from("install.yaml", "-o", "dot"), coast, island),
		"install-svg":           resolveArgs(from("install.yaml", "-o", "svg"), coast, island),
		"failing-svg":           resolveArgs(from("failing.yaml", "-o", "svg"), coast, island),
		"why-not-svg":           append([]string{"why-not", "lighthouse@1.0.0", "-o", "svg"}, append(from("install.yaml"), append(coast, island...)...)...),
		"update-why":            resolveArgs(from("update.yaml", "--why"), coast),
		"update-mermaid":        resolveArgs(from("update.yaml", "-o", "mermaid"), coast),
		"failing-mermaid":       resolveArgs(from("failing.yaml", "-o", "mermaid"), coast, island),
		"failing-dot":           resolveArgs(from("failing.yaml", "-o", "dot"), coast, island),
		"why":                   append([]string{"why", "lantern.v1.0.0"}, append(from("install.yaml"), append(coast, island...)...)...),
		"why-not":               append([]string{"why-not", "lighthouse@1.0.0"}, append(from("install.yaml"), append(coast, island...)...)...),
		"why-not-head":          append([]string{"why-not", "lantern"}, append(from("update.yaml"), append(coast, island...)...)...),
		"why-not-begins":        append([]string{"why-not", "lighthouse@1.0"}, append(from("install.yaml"), append(coast, island...)...)...),
		"path-begins":           append(pathArgs(), "lighthouse@1.2"),
		"why-not-json":          append([]string{"why-not", "lighthouse@1.0.0", "-o", "json"}, append(from("install.yaml"), append(coast, island...)...)...),
		"why-extension":         append([]string{"why", "kerosene.v1.4.0"}, append(from("extension.yaml"), v1...)...),
		"why-not-extension":     append([]string{"why-not", "lighthouse.v1.1.0"}, append(from("extension.yaml"), v1...)...),
		"why-failing":           append([]string{"why", "ferry.v1.0.0"}, append(from("failing.yaml"), append(coast, island...)...)...),
		"why-not-unknown":       append([]string{"why-not", "lanterns.v1.0.0"}, append(from("install.yaml"), append(coast, island...)...)...),
		"help-list":             {"help", "list"},
		"list":                  append([]string{"list"}, append(coast, island...)...),
		"list-json":             append([]string{"list", "lighthouse", "-o", "json"}, coast...),
		"list-part":             append([]string{"list", "LIGHT"}, append(coast, island...)...),
		"list-provides":         append([]string{"list", "--provides", "beacon.v1.light.example.com"}, append(coast, island...)...),
		"list-provides-part":    append([]string{"list", "--provides", "lam", "-o", "json"}, append(coast, reef...)...),
		"list-requires":         append([]string{"list", "--requires", "Lamp"}, append(coast, island...)...),
		"list-requires-package": append([]string{"list", "--requires", "compass"}, append(coast, island...)...),
		"list-search":           append([]string{"list", "--search", "Light"}, append(coast, island...)...),
		"list-texts":            {"list", "--search", "by night", "--catalog", "tide=examples/resolvent/testdata/tide/lighthouse"},
		"list-version":          append([]string{"list", "lighthouse@1.1", "-o", "yaml"}, coast...),
		"list-nothing":          append([]string{"list", "--provides", "Beacon.v9"}, coast...),
		"show":                  append([]string{"show", "lighthouse"}, append(coast, island...)...),
		"show-version":          append([]string{"show", "lantern@1.1", "-o", "json"}, coast...),
		"show-bundle":           append([]string{"show", "ferry.v1.0.0"}, coast...),
		"show-unknown":          append([]string{"show", "lighthouse@9"}, coast...),
		"show-misspelt":         append([]string{"show", "lighthose"}, coast...),
		"list-package":          append([]string{"list", "solar-panel"}, append(coast, reef...)...),
		"package":               resolveArgs([]string{"--package", "ferry"}, coast, island),
		"path":                  pathArgs("--package", "lighthouse"),
		"status":                statusArgs(),
		"status-json":           statusArgs("-o", "json", "--target-openshift", "4.19"),
		"status-target-minors":  statusArgs("--openshift-version", "4.17", "--target-openshift", "4.19", "--target-catalog", "4.19:olm/coast=testdata/catalogs/reef"),
		"status-target-no-hop":  statusArgs("--openshift-version", "4.17", "--target-openshift", "4.19", "--target-catalog", "4.20:olm/coast=testdata/catalogs/reef"),
		"status-target":         statusArgs("--target-openshift", "4.19", "--target-catalog", "olm/coast=testdata/catalogs/reef"),
		"without":               append(append([]string{"status", "--without", "lighthouse"}, from("update.yaml")...), coast...),
		"without-back":          append(append([]string{"status", "--without", "harbor/lantern"}, from("update.yaml")...), coast...),
		"without-json":          append(append([]string{"status", "--without", "lantern", "-o", "json"}, from("update.yaml")...), coast...),
		"path-channels":         append(append([]string{"path", "--package", "foghorn", "--to", "3.0.0"}, from("status.yaml")...), coast...),
		"path-json":             pathArgs("--package", "lighthouse", "-o", "json"),
		"path-none":             pathArgs("--package", "lighthouse", "--to", "1.0.0"),
		"mirror":                mirrorArgs(),
		"mirror-images":         mirrorArgs("-o", "images"),
		"mirror-imageset":       mirrorArgs("-o", "imageset"),
		"mirror-json":           mirrorArgs("-o", "json"),
		"mirror-failing":        append([]string{"mirror", "-o", "json"}, append(from("failing.yaml"), append(coast, island...)...)...),
		"mirror-extension":      append([]string{"mirror", "-o", "json"}, append(from("extension.yaml"), v1...)...),
		"jointly":               resolveArgs(from("failing.yaml", "--jointly"), coast, island),
		"jointly-json":          resolveArgs(from("failing.yaml", "--jointly", "-o", "json"), coast, island),
		"jointly-mermaid":       resolveArgs(from("failing.yaml", "--jointly", "-o", "mermaid"), coast, island),
		"jointly-partial":       resolveArgs(from("failing.yaml", "--jointly", "--partial"), coast, island),
		"jointly-partial-dot":   resolveArgs(from("failing.yaml", "--jointly", "--partial", "-o", "dot"), coast, island),
		"migrate":               append(append([]string{"migrate"}, from("migrate.yaml")...), coast...),
		"migrate-wide":          append(append([]string{"migrate", "-o", "wide"}, from("migrate.yaml")...), coast...),
		"migrate-json":          append(append([]string{"migrate", "-o", "json", "--acknowledge", "C8"}, from("migrate.yaml")...), coast...),
		"migrate-yaml":          append(append([]string{"migrate", "-o", "yaml"}, from("migrate.yaml")...), coast...),
		"migrate-survey-html":   append([]string{"migrate", "--survey", "-o", "html", "--date", "2026-11-26"}, coast...),
		"migrate-html":          append(append([]string{"migrate", "-o", "html", "--date", "2026-11-26"}, from("migrate.yaml")...), coast...),
		"migrate-survey":        append([]string{"migrate", "--survey"}, append(coast, island...)...),
		"migrate-survey-json":   append([]string{"migrate", "--survey", "-o", "json"}, v1...),
		"help-migrate":          {"help", "migrate"},
		"help-lock":             {"help", "lock"},
		"pin":                   resolveArgs(from("update.yaml", "--pin", "harbor/lighthouse"), coast),
		"bundle-scope":          resolveArgs(from("install.yaml", "--compound", "bundle"), coast, island),
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			assertGolden(t, name, args)
		})
	}
}

// An API is found by what is at hand: its group, or the name of its custom resource definition.
// Help fits 80 columns, but for the command to copy.
func TestHelpIsNarrow(t *testing.T) {
	pages := []string{""}
	for _, c := range (Program{Name: "resolvent"}).Command(inputs.Streams{}, new(int)).Commands() {
		pages = append(pages, c.Name())
	}
	assert.Greater(t, len(pages), 15)
	for _, page := range append(pages, "catalogs", "flags", "exit") {
		for line := range strings.Lines(call(t, append([]string{"help"}, strings.Fields(page)...)).stdout) {
			assert.True(t, len(line) <= 81 || strings.Contains(line, "kubectl get "), "help %s: %s", page, line)
		}
	}
}

func TestListByGroup(t *testing.T) {
	for api, want := range map[string]string{"lamps.light.example.com": "Lamp.v1", "beacons.v1.light.example.com": "Beacon.v1", "Light.example.com": "Beacon.v1"} {
		t.Run(api, func(t *testing.T) {
			assert.Contains(t, invoke(t, t.Context(), "", append([]string{"list", "--provides", api}, coast...)...).stdout, want+".light.example.com")
		})
	}
}

// What cannot be used ends with status 2, a sentence that says why, and nothing
// on standard output.
func TestUnusableInput(t *testing.T) {
	manifests := func(text string) []string {
		file := filepath.Join(t.TempDir(), "cluster.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return []string{"-f", file}
	}
	install := from("install.yaml")
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no command", nil, "Commands:"},
		{"unknown command", []string{"solve"}, "solve: unknown command; did you mean resolve?\nRun 'resolvent help' for its commands."},
		{"another word for a command", []string{"search"}, "search: unknown command; did you mean list?"},
		{"part of a name", append([]string{"show", "house"}, coast...), "house: no catalog has a package or bundle of this name; similar names: lighthouse"},
		{"help for an unknown command", []string{"help", "solve"}, `solve: unknown command`},
		{"no manifests", resolveArgs(coast), "no manifests: pass them with -f FILE, or a package with --package; to save those of a cluster: kubectl get subscriptions.operators.coreos.com,"},
		{"unknown flag", resolveArgs(install, coast, []string{"--colour"}), "--colour: unknown flag"},
		{"a flag of another command", resolveArgs(coast, []string{"--package", "ferry", "--channel", "stable"}), "--channel: unknown flag; write --package PACKAGE@CHANNEL"},
		{"no text", resolveArgs(manifests("\xff\xfea\xd8"), coast), "cluster.yaml: document 1: it is neither JSON nor YAML: "},
		{"argument", resolveArgs(install, coast, []string{"now"}), "now: this command takes no arguments; write --package now"},
		{"unknown output", resolveArgs(install, coast, []string{"-o", "png"}), "want text, json, yaml, mermaid, dot or svg"},
		{"everything as JSON", resolveArgs(install, coast, []string{"--all", "-o", "json"}), "--all: it is for -o text"},
		{"unknown scope", resolveArgs(install, coast, []string{"--compound", "all"}), "want bundle or solution"},
		{"unknown updates", resolveArgs(install, coast, []string{"--updates", "none"}), "want named or visible"},
		{"bad timeout", resolveArgs(install, coast, []string{"--timeout", "soon"}), "want a duration, such as 30s or 2m, or 0"},
		{"negative timeout", resolveArgs(install, coast, []string{"--timeout", "-1s"}), "want a duration, such as 30s or 2m, or 0"},
		{"bad Kubernetes version", resolveArgs(install, coast, []string{"--kube-version", "new"}), `--kube-version "new": invalid; want a version, such as 1.31 or 1.31.2`},
		{"bad OpenShift version", resolveArgs(install, coast, []string{"--openshift-version", "new"}), `--openshift-version "new": invalid`},
		{"bad installed bundle", resolveArgs(install, coast, []string{"--installed", "x"}), "want NAME@VERSION or EXTENSION=NAME@VERSION"},
		{"installed without extension", resolveArgs(install, coast, []string{"--installed", "x@1.0.0"}), "--installed x: the manifests have no ClusterExtension"},
		{"path without package", pathArgs(), "no package: name one, as in 'path PACKAGE@VERSION'"},
		{"path of what is not installed", pathArgs("--package", "anchor"), "anchor: no Subscription or ClusterExtension has this package installed"},
		{"path of part of a name", pathArgs("--package", "light"), "has this package installed; did you mean lighthouse?"},
		{"path as a picture", pathArgs("--package", "lighthouse", "-o", "svg"), `-o "svg": invalid; want text, names, json or yaml`},
		{"without what nothing asks for", append(append([]string{"status", "--without", "lamtern"}, from("update.yaml")...), coast...), "--without lamtern: no Subscription asks for this package; did you mean lantern?"},
		{"without a package in another namespace", append(append([]string{"status", "--without", "harbour/lantern"}, from("update.yaml")...), coast...), "did you mean harbor/lantern?"},
		{"without half a name", append(append([]string{"status", "--without", "/lantern"}, from("update.yaml")...), coast...), "want PACKAGE or NAMESPACE/PACKAGE"},
		{"an empty file name", resolveArgs(install, coast, []string{"--save", ""}), `--save "": it is empty`},
		{"without twice", append(append([]string{"status", "--without", "lantern", "--without", "foghorn"}, from("update.yaml")...), coast...), "it is passed twice; name one package at a time"},
		{"without and a target", append(append([]string{"status", "--without", "lantern", "--target-kube", "1.31"}, from("update.yaml")...), coast...), "leave out --cluster and the --target flags"},
		{"bad pin", resolveArgs(install, coast, []string{"--pin", "a="}), "want PACKAGE, PACKAGE=BUNDLE or PACKAGE=VERSION"},
		{"empty namespace", resolveArgs(install, coast, []string{"--namespace", ""}), "want the name of a namespace"},
		{"catalog without path", resolveArgs(install, []string{"--catalog", "olm/coast="}), "FROM is missing"},
		{"catalog twice", resolveArgs(install, coast, []string{"--catalog", "olm/coast=testdata/catalogs/reef"}), "catalog olm/coast is passed twice"},
		{"unknown pinned package", resolveArgs(install, coast, []string{"--pin", "lighthose=1"}), "--pin lighthose: no catalog has this package; did you mean lighthouse?"},
		{"a flag without its value", resolveArgs(install, coast, []string{"--save"}), "--save: missing value; write --save FILE"},
		{"no namespace of it", append(append([]string{"migrate", "-n", "harbour"}, from("migrate.yaml")...), coast...), "--namespace harbour: nothing in the manifests has this namespace; did you mean harbor?"},
		{"a namespace of catalogs", append([]string{"migrate", "--survey", "-n", "harbor"}, coast...), "--survey: it is for catalogs; leave out -f, -n, "},
		{"no switch", resolveArgs(install, coast, []string{"--partial=maybe"}), `--partial "maybe": invalid; want true or false`},
		{"an unknown flag of no command", []string{"--nope"}, "--nope: unknown flag"},
		{"no shell", []string{"completion", "csh"}, "csh: unknown shell; want bash, zsh, fish or powershell"},
		{"none with both", append([]string{"list", "lantern", "--provides", "Beacon"}, coast...), "--provides Beacon and lantern: no package of the catalogs is found by this\n"},
		{"no such API", append([]string{"list", "--provides", "beacn"}, coast...), "--provides beacn: no package of the catalogs is found by this; did you mean Beacon?"},
		{"no such requirement", append([]string{"list", "--requires", "fogorn"}, coast...), "did you mean foghorn?"},
		{"a catalog of the target that is none now", statusArgs("--target-openshift", "4.19", "--target-catalog", "olm/cost=testdata/catalogs/reef"),
			"--target-catalog olm/cost: no --catalog has this name; pass it as well; did you mean olm/coast?"},
		{"catalogs for no target", statusArgs("--target-catalog", "olm/coast=x"), "add --target-openshift VERSION"},
		{"rows by cluster of only one", statusArgs("--by", "cluster"), "pass each of several with --cluster"},
		{"reasons of manifests", resolveArgs(install, coast, []string{"--why", "-o", "yaml"}), "--why: it is for -o text and -o json"},
		{"unknown excluded catalog", resolveArgs(install, coast, []string{"--exclude-catalog", "olm/cost"}), "--exclude-catalog olm/cost: unknown catalog; did you mean olm/coast?"},
		{"missing catalog", resolveArgs(install, []string{"--catalog", "olm/coast=testdata/catalogs/cost"}), "catalog olm/coast: testdata/catalogs/cost: no such file or directory; name a folder or file that is a catalog"},
		{"catalog that is no file", resolveArgs(install, []string{"--catalog", "olm/coast=/dev/null"}), "null: there is nothing in it"},
		{"catalog of another type", resolveArgs(install, []string{"--catalog", "olm/coast=go.mod"}), "go.mod: it does not begin as a catalog in JSON or YAML does"},
		{"no OpenShift version", resolveArgs(install, coast, []string{"--openshift-version", "x"}), "want a version, such as 4.20 or 4.20.1"},
		{"missing manifests", resolveArgs(from("nowhere.yaml"), coast), "-f testdata/cluster/nowhere.yaml: no such file or directory; pass a file or a folder of manifests"},
		{"folder of several clusters", resolveArgs([]string{"-f", "testdata"}, coast), "differs from the object of that name in testdata/cluster/"},
		{"truncated JSON", resolveArgs(manifests(`{"kind": "List", "items": [{`), coast), "the JSON ends in the middle of a value"},
		{"nothing to resolve", resolveArgs(manifests("kind: Namespace\nmetadata: {name: n}\n"), coast), "the manifests have no Subscription"},
		{"only an InstallPlan", resolveArgs(manifests("kind: InstallPlan\nmetadata: {name: i, namespace: n}\nspec: {clusterServiceVersionNames: [a]}\n"), coast), "status shows what approving i does"},
		{"why of namespaces as one problem", resolveArgs(from("failing.yaml", "--jointly", "--why"), coast, island), "--jointly: with it, the choices in 2 namespaces depend on each other"},
		{"why-not of namespaces as one problem", append([]string{"why-not", "lighthouse.v1.0.0", "--jointly"}, append(from("failing.yaml"), coast...)...), "leave it out, or name one namespace"},
		{"why of namespaces in turn", append([]string{"why", "lighthouse.v1.0.0", "--single-owner"}, append(from("failing.yaml"), coast...)...), "--single-owner: with it, the choices"},
		{"saved problem and manifests", []string{"resolve", "--load", "x", "-f", "y"}, "--load: it replaces all other inputs and choices; leave out -f"},
		{"saved problem and choice", []string{"resolve", "--load", "x", "--partial"}, "leave out --partial"},
		{"why of a saved problem and namespace", []string{"why", "a.v1", "--load", "x", "--namespace", "n"}, "leave out -n"},
		{"standard input twice", resolveArgs([]string{"-f", "-", "--catalog", "olm/coast=-"}), "standard input can be read only once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := invoke(t, t.Context(), "", tt.args...)
			assert.Equal(t, exitNotStarted, got.status)
			assert.Contains(t, got.stderr, tt.want)
			assert.Empty(t, got.stdout)
		})
	}
}

// A call without catalogs says nothing else.
func TestNoCatalogs(t *testing.T) {
	got := invoke(t, t.Context(), "", "status", "-f", "testdata/cluster/update.yaml")
	assert.Equal(t, exitNotStarted, got.status)
	assert.Equal(t, "resolvent status: no catalogs: pass them with --catalog [NAMESPACE/]NAME=FROM; see 'help catalogs'\nRun 'resolvent help status' for its flags.\n", got.stderr)
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// verbs are arguments of each command, by its name, in the folder of the module.
func verbs() map[string][]string {
	return map[string][]string{
		"resolve": resolveArgs(from("install.yaml"), coast, island), "status": statusArgs(), "list": append([]string{"list"}, coast...),
		"why":     append([]string{"why", "lantern.v1.0.0"}, append(from("install.yaml"), append(coast, island...)...)...),
		"why-not": append([]string{"why-not", "lighthouse@1.0.0"}, append(from("install.yaml"), append(coast, island...)...)...),
		"check":   {"check", "testdata/catalogs/coast"}, "graph": {"graph", "testdata/catalogs/coast", "--package", "lantern"},
		"diff": {"diff", "testdata/catalogs/coast", "testdata/catalogs/island"}, "path": pathArgs("--package", "lighthouse"), "mirror": mirrorArgs(),
		"approve": append([]string{"approve"}, append(from("install.yaml"), append(coast, island...)...)...),
		"policy":  append([]string{"policy", "explain", "testdata/policies/no-previews.yaml"}, coast...),
		"migrate": append([]string{"migrate", "-f", "testdata/cluster/migrate.yaml"}, coast...),
		"lock":    lockArgs("testdata/examples/lock/operators.lock", "--check"),
		"show":    append([]string{"show", "lantern"}, coast...), "schema": {"schema"}, "version": {"version"}, "completion": {"completion", "bash"}, "flags": {"help", "flags"}, "exit": {"help", "exit"}, "catalogs": {"help", "catalogs"},
	}
}

// What cannot be printed is told, and ends every command with status 2.
func TestFullDisk(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	args := verbs()
	for _, c := range program().Commands() {
		require.NotEmpty(t, args[c.Name()], c.Name())
		args["help "+c.Name()] = []string{"help", c.Name()}
	}
	args["help"], args["words"] = []string{"help"}, []string{"__complete", "re"}
	args["status json"], args["resolve json"] = statusArgs("-o", "json"), resolveArgs(from("install.yaml", "-o", "json"), coast, island)
	for name, args := range args {
		var stderr strings.Builder
		assert.Equal(t, exitNotStarted, Run(t.Context(), args, strings.NewReader(""), full{}, &stderr), name)
		assert.Equal(t, 1, strings.Count(stderr.String(), "no space left"), "%s: %s", name, &stderr)
	}
}

func TestUnusableStandardInput(t *testing.T) {
	tests := map[string]struct{ stdin, want string }{
		"YAML bomb": {"a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
			"standard input: document 1: line 7: aliases expand to more than"},
		"wrong type": {"kind: Subscription\nmetadata: {name: s, namespace: n}\nspec: {channel: 5}\n",
			"standard input: document 1: Subscription n/s: spec.channel: want a string, got a number"},
		"not Kubernetes": {"schema: olm.package\n", "standard input: document 1: no kind"},
		"empty":          {"", "the manifests have no Subscription"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), tt.stdin, resolveArgs([]string{"-f", "-"}, coast)...)
			assert.Equal(t, exitNotStarted, got.status)
			assert.Contains(t, got.stderr, tt.want)
			assert.Empty(t, got.stdout)
		})
	}
}

func TestStandardInput(t *testing.T) {
	got := invoke(t, t.Context(), `{"kind":"Subscription","metadata":{"name":"s","namespace":"n"},`+
		`"spec":{"name":"kerosene","channel":"barrel","source":"coast","sourceNamespace":"olm"}}`,
		resolveArgs([]string{"-f", "-"}, coast)...)
	assert.Equal(t, exitResolved, got.status, got.stderr)
	assert.Contains(t, got.stdout, "kerosene.v1.4.0")
}

// The dependencies that -o yaml prints can be read back, and are marked as what
// nobody requested.
func TestYAMLIsManifests(t *testing.T) {
	got := invoke(t, t.Context(), "", resolveArgs(from("install.yaml", "-o", "yaml"), coast, island)...)
	require.Equal(t, exitResolved, got.status, got.stderr)
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "output", Reader: strings.NewReader(got.stdout)})
	require.NoError(t, err)
	require.NotEmpty(t, objects.Subscriptions)
	assert.Equal(t, cluster.Subscription{
		Namespace: "harbor", Name: "lighthouse-stable-coast-olm", Package: "lighthouse", Channel: "stable",
		Catalog: "coast", CatalogNamespace: "olm", StartingCSV: "lighthouse.v1.2.0", Generated: true,
	}, objects.Subscriptions[0])
}

// A wrong folder is refused: nothing would be known of what is installed.
func TestEmptyCatalog(t *testing.T) {
	got := invoke(t, t.Context(), "", resolveArgs(from("install.yaml"), []string{"--catalog", "olm/coast=" + t.TempDir()})...)
	assert.Equal(t, outcome{exitNotStarted, "", "resolvent resolve: catalog olm/coast: it has no bundle; to save a catalog: opm render IMAGE -o json > catalog.json\n"}, got)
}

// A catalog whose bundles are all quarantined holds bundles, and stops no other catalog.
func TestOnlyQuarantined(t *testing.T) {
	const (
		pkg     = `{"schema":"olm.package","name":"kelp","defaultChannel":"a"}`
		channel = `{"schema":"olm.channel","package":"kelp","name":"a","entries":[{"name":"kelp.v1.0.3"}]}`
		bundle  = `{"schema":"olm.bundle","package":"kelp","name":"kelp.v1.0.3","image":"r/x@sha256:0","properties":[`
		version = `{"type":"olm.package","value":{"packageName":"kelp","version":"1.0.3"}}`
	)
	for name, test := range map[string]struct {
		text, stderr string
		status       int
	}{
		"bundle":             {pkg + channel + bundle + `]}`, "catalog olm/bad: 1 fault, 1 bundle quarantined (--verbose lists them)\n", exitResolved},
		"package":            {pkg + `{"schema":"olm.package","name":"kelp"}` + channel + bundle + version + `]}`, "catalog olm/bad: 2 faults, 0 bundles quarantined (--verbose lists them)\n", exitResolved},
		"nothing but a head": {pkg + channel, "it has no bundle", exitNotStarted},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.json")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			got := invoke(t, t.Context(), "", append([]string{"resolve", "--package", "lighthouse", "--catalog", "olm/bad=" + path}, coast...)...)
			assert.Equal(t, test.status, got.status)
			assert.Contains(t, got.stderr, test.stderr)
			assert.Equal(t, test.status == exitResolved, strings.Contains(got.stdout, "lighthouse.v"))
		})
	}
}

// A namespace that is asked for twice is resolved once, and a misspelt one is reported.
func TestNamespacesAskedFor(t *testing.T) {
	for _, jointly := range []string{"--jointly", "--jointly=false"} {
		t.Run(jointly, func(t *testing.T) {
			args := from("install.yaml", "-f", "-", "--namespace", "harbor", "-n", "harbour", "--namespace", "harbor", jointly)
			got := invoke(t, t.Context(), "{kind: Namespace, apiVersion: v1, metadata: {name: harbour}}", resolveArgs(args, coast, island)...)
			assert.Equal(t, exitResolved, got.status)
			assert.Equal(t, "namespace harbour: the manifests have no Subscription in it\n", got.stderr)
			assert.Equal(t, 1, strings.Count(got.stdout, "namespace harbor:"))
		})
	}
}

func TestEnds(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := invoke(t, ctx, "", resolveArgs(from("install.yaml"), coast)...)
		assert.Equal(t, exitNotStarted, got.status)
		assert.Empty(t, got.stdout)
		assert.Contains(t, got.stderr, "reading manifests: context canceled")
	})
	t.Run("timeout", func(t *testing.T) {
		var got outcome
		took := testkit.Took(func() {
			got = invoke(t, t.Context(), "", resolveArgs(from("install.yaml", "--timeout", "1ns"), coast)...)
		})
		assert.Equal(t, exitNotStarted, got.status)
		assert.Empty(t, got.stdout)
		assert.Contains(t, got.stderr, inputs.ErrTimeout.Error())
		assert.Less(t, took, 10*time.Second)
	})
}

// Whoever ends a command reads of what ended it, wherever it was.
func TestNamedEnd(t *testing.T) {
	ctx, stop := inputs.Limited(t.Context(), time.Nanosecond)
	defer stop()
	<-ctx.Done()
	assert.EqualError(t, ended(ctx, fmt.Errorf("stopped while judging: %w", ctx.Err())), "stopped while judging: the time limit of --timeout is over")
	for _, err := range []error{nil, errors.New("x"), context.Cause(ctx)} {
		assert.Equal(t, err, ended(ctx, err))
	}
}
