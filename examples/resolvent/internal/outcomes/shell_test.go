package outcomes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// hostile is text that every shell would run if it were not data, and text that controls a
// terminal into which it is pasted.
const (
	hostile = `it's "so" ` + "`touch pwned1`" + ` $(touch pwned2) ${x:=$(touch pwned3)}; touch pwned4 # & touch pwned5 | touch pwned6 \ !touch !! !$ ^a^b =touch ~ *[a-z]? {a,b} <(touch pwned7) >pwned8 %s\n\\ ` + "\u00e9\U0001f600"
	control = "\n touch pwned9\r\ttouch pwned10\x03touch pwned11\x04\x15\x1b[200~\x1b[201~\x7f\u0085\u202e\u2028touch pwned12\n#"
)

// shells are those into which the commands are pasted, with what keeps the files of a user out.
var shells = map[string]string{
	"sh": "sh -i", "bash": "bash --norc --noprofile -i", "zsh": "zsh -f -i", "dash": "dash -i",
}

// TestPasted pastes the commands of every change that Apply knows, of every caution, and of
// hostile text in all of them into interactive shells, in which kubectl records its arguments.
func TestPasted(t *testing.T) {
	list, want := everyCommand(t)
	var texts []string
	help := &result.Help{Fixes: list, Search: "complete"}
	for i := range list {
		var text strings.Builder
		writeNotes(terminal.Legible{To: &text}, &help.Fixes[i], atOnce(help.Fixes[i].Steps())...) // who pastes all that a terminal shows
		require.NoError(t, writeCommands(t.Context(), &text, help.Fixes[i].Steps()))
		texts = append(texts, text.String())
	}
	all := strings.Join(texts, "")
	t.Logf("%d fixes, %d calls of kubectl, %d bytes", len(list), len(want), len(all))
	for _, line := range strings.Split(all, "\n") {
		assert.LessOrEqual(t, len(line), 1000, "a terminal cuts a line off")
		assert.Equal(t, terminal.Plain(line), line)
	}
	for i, name := range slices.Sorted(maps.Keys(shells)) {
		command := shells[name]
		for j, run := range []func(*testing.T, *exec.Cmd, string, []string){paste, runFile} {
			if !testkit.Today(i+j, 2) {
				continue
			}
			t.Run(name+[]string{" pasted", " as a file"}[j], func(t *testing.T) {
				t.Parallel()
				for _, needed := range []string{name, "script"} {
					testkit.Installed(t, needed)
				}
				dir := t.TempDir()
				require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
				recorder := "#!/bin/sh\nread=; for a; do [ \"$a\" != create ] || read=1; done\n" +
					"{ printf 'run\\0'; for a; do printf '%s\\0' \"$a\"; done; [ -z \"$read\" ] || { cat; printf '\\0'; }; } >> record\n" +
					"[ \"$*\" != 'get --all-namespaces --output yaml -- x' ] || printf 'apiVersion: v1\\nitems: []\\nkind: List\\n'\n"
				require.NoError(t, os.WriteFile(filepath.Join(dir, "bin/kubectl"), []byte(recorder), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "bin/warning:"), []byte("#!/bin/sh\n"), 0o700)) // it is not found elsewhere
				for _, tool := range []string{"touch", "cat", "grep", name} {
					path, err := exec.LookPath(tool)
					require.NoError(t, err)
					require.NoError(t, os.Symlink(path, filepath.Join(dir, "bin", tool)))
				}
				script, err := exec.LookPath("script")
				require.NoError(t, err)
				c := exec.CommandContext(t.Context(), script, "-q", "-e", "-f", "-c", command, "/dev/null")
				c.Dir = dir
				c.Env = []string{"PATH=" + filepath.Join(dir, "bin"), "HOME=" + dir, "HISTFILE=/dev/null", "PS1=ready> ", "TERM=xterm", "LC_ALL=C.UTF-8"}
				run(t, c, name, texts)
				files, err := os.ReadDir(dir)
				require.NoError(t, err)
				for _, f := range files {
					assert.Regexp(t, `^(bin|record|[a-z0-9][a-z0-9.-]*\.yaml)$`, f.Name())
				}
				record, err := os.ReadFile(filepath.Join(dir, "record"))
				require.NoError(t, err)
				compareCalls(t, want, record)
			})
		}
	}
}

// paste types the texts into a terminal, each once the shell has read the one before: a terminal
// that nobody reads loses what is typed.
func paste(t *testing.T, c *exec.Cmd, _ string, texts []string) {
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	stop := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	defer stop.Stop()
	shown := bufio.NewReader(out)
	var all []byte
	until := func(sign string) {
		for !bytes.HasSuffix(all, []byte(sign)) {
			r, err := shown.ReadByte()
			require.NoError(t, err, "%s", tail(all))
			all = append(all, r)
		}
	}
	until("ready> ")
	for i, text := range texts {
		_, err := fmt.Fprintf(in, "%secho read $((%d + 1))\n", text, i)
		require.NoError(t, err)
		until(fmt.Sprintf("read %d\r\n", i+1)) // what is typed shows the sum only
	}
	_, err = io.WriteString(in, "exit\n")
	require.NoError(t, err)
	rest, _ := io.ReadAll(shown)
	all = append(all, rest...)
	require.NoError(t, c.Wait(), "%s", tail(all))
	for _, complaint := range []string{"not found", "no matches", "syntax error", "parse error"} {
		assert.False(t, strings.Contains(string(all), complaint), "%s: %s", complaint, tail(all))
	}
}

func tail(all []byte) string { return string(all[max(0, len(all)-2000):]) }

// runFile has the shell read the text from a file.
func runFile(t *testing.T, c *exec.Cmd, name string, texts []string) {
	run := exec.CommandContext(t.Context(), name)
	run.Dir, run.Env, run.Stdin = c.Dir, c.Env, strings.NewReader(strings.Join(texts, ""))
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, string(out))
}

// call is one run of kubectl: its arguments, of which the last one may be JSON.
type call struct {
	args  []string
	value any // of the patch, or of what is created
}

func compareCalls(t *testing.T, want []call, record []byte) {
	var got []call
	for _, run := range strings.Split(string(record), "run\x00")[1:] {
		c := call{args: strings.Split(strings.TrimSuffix(run, "\x00"), "\x00")}
		at := slices.Index(c.args, "--patch") + 1
		if c.args[0] == "create" {
			at = len(c.args) - 1
		}
		if at > 0 {
			require.NoError(t, json.Unmarshal([]byte(c.args[at]), &c.value), c.args[at])
			c.args[at] = ""
		}
		got = append(got, c)
	}
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i], got[i])
	}
}

// resources are the names of kinds that kubectl takes for no others.
var resources = map[string]string{
	"Subscription": "subscriptions.operators.coreos.com", "ClusterServiceVersion": "clusterserviceversions.operators.coreos.com",
	"CustomResourceDefinition": "customresourcedefinitions.apiextensions.k8s.io", "OperatorGroup": "operatorgroups.operators.coreos.com", "OperatorCondition": "operatorconditions.operators.coreos.com",
	"InstallPlan": "installplans.operators.coreos.com", "CatalogSource": "catalogsources.operators.coreos.com", "Namespace": "namespaces",
	"ClusterExtension": "clusterextensions.olm.operatorframework.io", "ClusterCatalog": "clustercatalogs.olm.operatorframework.io",
	"ServiceAccount": "serviceaccounts",
	"Role":           "roles.rbac.authorization.k8s.io", "RoleBinding": "rolebindings.rbac.authorization.k8s.io",
	"ClusterRole": "clusterroles.rbac.authorization.k8s.io", "ClusterRoleBinding": "clusterrolebindings.rbac.authorization.k8s.io",
}

// everyCommand returns fixes and the calls of kubectl that carry them out.
func everyCommand(t *testing.T) (list []result.Fix, want []call) {
	names := []string{"x", "--all", "-f", "=touch", "#x", "~root", "!touch", hostile, strings.Repeat(hostile, 6)}
	values := []any{
		hostile + control, 7, true, []string{"--all", strings.Repeat(hostile+control, 12), "=touch"},
		cluster.Selector{MatchLabels: map[string]string{hostile + control: hostile + control}, MatchExpressions: []cluster.SelectorTerm{{Key: hostile, Operator: "In", Values: []string{control}}}},
		[]cluster.Condition{{Type: hostile, Status: control, Reason: hostile, Message: hostile + control}},
		"Available", "Unavailable", "CatalogProvided", "SelfCertified", "TechPreviewUnsafeFailForward", nil,
	}
	old := cluster.Selector{MatchLabels: map[string]string{"!old": hostile}}
	covered := map[string]bool{}
	add := func(c call, s result.Step) {
		list = append(list, result.Fix{Changes: []result.Change{{Object: s.Object, Steps: []result.Step{s}}}})
		want = append(want, c)
	}
	for kind, resource := range resources {
		for i, name := range names {
			o := result.Object{Kind: kind, Namespace: name, Name: name}
			object := []string{resource, "--namespace", name}
			if kind == "Namespace" || kind == "ClusterExtension" || kind == "ClusterCatalog" || kind == "CustomResourceDefinition" {
				o.Namespace, object = "", object[:1]
			}
			want = append(want, call{args: slices.Concat([]string{"get"}, object[1:], []string{"--output", "yaml", "--", resource + "/" + name})})
			add(call{args: slices.Concat([]string{"delete"}, object, []string{"--", name})}, result.Step{Object: o})
			for _, field := range declared(t, "Await") {
				wait := result.Step{Object: o, Field: field, To: hostile, Wait: &result.Wait{Updates: 1}}
				add(call{args: slices.Concat([]string{"wait"}, object, []string{"--for", "jsonpath={." + field + "}=" + hostile, "--timeout", "24h", "--", name})}, wait)
			}
			if i > 0 && name != hostile {
				continue
			}
			objects := holding(kind, o, "")
			for _, field := range declared(t, "Field") {
				for _, to := range values {
					step := result.Step{Object: o, Field: field, To: to}
					if !applies(objects, &step) {
						continue
					}
					covered[field] = true
					if _, ok := to.(cluster.Selector); ok {
						step.From = old
					}
					object := object
					if kind == "CustomResourceDefinition" {
						want = append(want, call{args: []string{"get", "--all-namespaces", "--output", "yaml", "--", name}})
						if name != "x" { // of which there are no resources
							want = append(want, call{args: []string{"replace", "--filename", "saved.yaml"}})
						}
						object = append(object, "--subresource", "status")
					}
					path := strings.Split(field, ".")
					if name, annotation := strings.CutPrefix(field, "metadata.annotations."); annotation {
						path = []string{"metadata", "annotations", name}
					}
					add(call{slices.Concat([]string{"patch"}, object, []string{"--type", "merge", "--patch", "", "--", name}), patched(t, path, to)}, step)
				}
			}
		}
		// Only what has text is created.
		o := result.Object{Kind: kind, Namespace: "n", Name: "x"}
		if objects := holding(kind, o, hostile+control); slices.Contains([]string{"Subscription", "ClusterExtension", "OperatorGroup", "Namespace"}, kind) {
			create := result.Step{Object: o, Create: &objects}
			created := call{[]string{"create", "-f", "-", ""}, roundTrip(t, create).(map[string]any)["create"]}
			add(created, create)
			wait := result.Step{Object: o, Field: declared(t, "Await")[0], To: "x", Wait: &result.Wait{Updates: 1}}
			object := []string{resources[kind], "--namespace", "n"}
			if kind == "Namespace" || kind == "ClusterExtension" {
				wait.Object.Namespace, object = "", object[:1]
			}
			want = append(want, call{args: slices.Concat([]string{"wait"}, object, []string{"--for", "jsonpath={.status.installedCSV}=x", "--timeout", "24h", "--", "x"})}, created)
			list = append(list, result.Fix{Changes: []result.Change{{Object: o, Steps: []result.Step{wait, create}}}})
		}
	}
	for _, field := range declared(t, "Field") {
		ofOptions := !strings.Contains(field, ".")
		assert.True(t, covered[field] || ofOptions, "no step of %s is pasted", field)
	}
	for _, kind := range declared(t, "Caution") {
		for _, name := range []string{hostile + control, "--all", "#x"} {
			waiting := []cluster.RequestKey{{Kind: cluster.KindSubscription, Namespace: name, Name: name}}
			list = append(list, result.Fix{Waiting: waiting, Cautions: []result.Caution{{Kind: result.CautionKind(kind), Names: []string{name}, Said: name + " http://u@a/?q=it's '$(touch pwned13)'"}}})
		}
	}
	held := func(said string) result.Caution {
		return result.Caution{Kind: "held", Names: []string{"x"}, Said: said}
	}
	list = append(list, result.Fix{Cautions: []result.Caution{held("http://a/?q"), held("$(touch pwned14)")}}) // queries are cut out of URLs
	return list, want
}

// declared are the values of the constants of fixes whose names begin with prefix.
func declared(t *testing.T, prefix string) (values []string) {
	text, err := os.ReadFile("../../../../resolver/internal/words/fix.go")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\t`+prefix+`\w+ += "(.+?)"`).FindAllSubmatch(text, -1) {
		values = append(values, string(m[1]))
	}
	require.NotEmpty(t, values)
	return values
}

// applies reports whether the step fits its object with some value before, and sets that.
func applies(objects cluster.Objects, s *result.Step) bool {
	for _, s.From = range []any{nil, false, true, "Available", "CatalogProvided", "Default", "", 0} {
		if _, err := result.Apply(cluster.NewIndex(objects), cluster.Scope{}, []result.Step{*s}); err == nil {
			return true
		}
	}
	return false
}

// patched is the merge patch that sets the field at a path.
func patched(t *testing.T, path []string, to any) any {
	if selector, ok := to.(cluster.Selector); ok {
		labels := map[string]any{"!old": nil}
		for name, value := range selector.MatchLabels {
			labels[name] = value
		}
		to = map[string]any{"matchLabels": labels, "matchExpressions": selector.MatchExpressions}
	}
	value := roundTrip(t, to)
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return value
}

func roundTrip(t *testing.T, value any) (read any) {
	text, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// holding are objects with one of that kind and identity, whose fields hold the text.
func holding(kind string, o result.Object, text string) (all cluster.Objects) {
	labels := map[string]string{}
	if text != "" {
		labels[text] = text
	}
	switch kind {
	case "Subscription":
		all.Subscriptions = []cluster.Subscription{{
			Namespace: o.Namespace, Name: o.Name, Package: text, Channel: text, StartingCSV: text, Catalog: text, CatalogNamespace: text,
			Labels: labels, Annotations: labels,
		}}
	case "CustomResourceDefinition":
		all.Definitions = []cluster.Definition{{Name: o.Name}}
	case "ClusterServiceVersion":
		all.CSVs = []cluster.ClusterServiceVersion{{Namespace: o.Namespace, Name: o.Name}}
	case "OperatorGroup":
		all.OperatorGroups = []cluster.OperatorGroup{{Namespace: o.Namespace, Name: o.Name, Annotations: labels}}
	case "OperatorCondition":
		all.OperatorConditions = []cluster.OperatorCondition{{Namespace: o.Namespace, Name: o.Name}}
	case "InstallPlan":
		all.InstallPlans = []cluster.InstallPlan{{Namespace: o.Namespace, Name: o.Name}}
	case "Namespace":
		all.Namespaces = []cluster.Namespace{{Name: o.Name, Labels: labels}}
	case "CatalogSource":
		all.CatalogSources = []cluster.CatalogSource{{}}
		all.CatalogSources[0].Key.Namespace, all.CatalogSources[0].Key.Name = o.Namespace, o.Name
	case "ClusterCatalog":
		all.ClusterCatalogs = []cluster.ClusterCatalog{{Name: o.Name}}
	case "ClusterExtension":
		all.ClusterExtensions = []cluster.ClusterExtension{{Name: o.Name, Package: text, Version: text, Labels: labels, Annotations: labels}}
	}
	return all
}

// A name that controls a terminal is no word of a shell.
func TestNamesThatControl(t *testing.T) {
	for _, name := range []string{"a\nb", "a\x1b", "a\u0085", "a\xff"} {
		object := result.Object{Kind: "ClusterServiceVersion", Namespace: "n", Name: name}
		help := &result.Help{Fixes: []result.Fix{{Changes: []result.Change{{Object: object, Steps: []result.Step{{Object: object}}}}}}, Search: "complete"}
		var text strings.Builder
		require.ErrorContains(t, writeCommands(t.Context(), &text, help.Fixes[0].Steps()), "rename it")
		assert.Empty(t, text.String())
	}
}
