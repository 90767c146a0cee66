package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// What was saved resolves to the same bytes, in every form of output.
func TestSaveAndLoad(t *testing.T) {
	problems := map[string][]string{
		"install":   resolveArgs(from("install.yaml"), coast, island, reef),
		"update":    resolveArgs(from("update.yaml"), coast),
		"failing":   resolveArgs(from("failing.yaml"), coast, island),
		"partial":   resolveArgs(from("failing.yaml", "--partial"), coast, island),
		"extension": resolveArgs(from("extension.yaml"), v1),
		"bundle":    resolveArgs(from("install.yaml", "--compound", "bundle"), coast, island),
		"hidden":    resolveArgs(from("install.yaml", "--global-namespace", ""), coast),
		"jointly":   resolveArgs(from("failing.yaml", "--jointly"), coast, island),
		"pinned":    resolveArgs(from("install.yaml", "--pin", "lighthouse=1.1.0"), coast, island),
		"asked":     resolveArgs(coast, []string{"--package", "ferry"}), // no fix deletes what is in no cluster
		"excluded":  resolveArgs(from("install.yaml", "--exclude-catalog", "olm/island"), coast, island),
	}
	for name, args := range problems {
		for _, output := range [][]string{{"-o", "text", "--why"}, {"-o", "json", "--why"}, {"-o", "mermaid"}, {"-o", "dot"}, {"-o", "svg"}, {"-o", "yaml"}} {
			if name == "jointly" {
				output = output[:2] // --why is for namespaces that do not depend on each other
			}
			t.Run(name+"/"+output[1], func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "problem.txtar")
				want := invoke(t, t.Context(), "", append(append([]string{}, args...), append(output, "--save", file)...)...)
				require.NotEqual(t, exitNotStarted, want.status, want.stderr)
				got := invoke(t, t.Context(), "", append([]string{"resolve", "--load", file}, output...)...)
				assert.Equal(t, want.stdout, got.stdout)
				assert.Equal(t, want.status, got.status)
			})
		}
	}
}

// A file that is no saved problem is not a problem that is solved.
func TestLoadRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"manifests":          {"kind: Subscription\nmetadata: {name: s, namespace: n}\nspec: {name: a}\n", "resolve --save did not write this file"},
		"empty":              {"", "resolve --save did not write this file"},
		"options only":       {"-- options.yaml --\npartial: true\n", "resolve --save did not write this file"},
		"broken options":     {"-- options.yaml --\nnamespaces\n-- want --\nx\n", "problem.txtar: options.yaml: "},
		"broken manifests":   {"-- cluster.yaml --\nkind: [\n", "problem.txtar: cluster.yaml: "},
		"nothing to resolve": {"-- cluster.yaml --\nkind: Namespace\nmetadata: {name: n}\n", "nothing to resolve: the manifests have no Subscription"},
	} {
		file := filepath.Join(t.TempDir(), "problem.txtar")
		require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
		for _, command := range [][]string{{"resolve"}, {"why", "a.v1"}, {"why-not", "a.v1"}} {
			t.Run(name+"/"+command[0], func(t *testing.T) {
				got := invoke(t, t.Context(), "", append(command, "--load", file)...)
				assert.Equal(t, exitNotStarted, got.status)
				assert.Contains(t, got.stderr, tt.want)
				assert.Empty(t, got.stdout)
			})
		}
	}
}

// What was resolved is printed even if it cannot be saved.
func TestNotSaved(t *testing.T) {
	args := resolveArgs(from("install.yaml"), coast, island)
	t.Run("no such folder", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "none")
		got := invoke(t, t.Context(), "", append(args, "--save", filepath.Join(folder, "problem.txtar"))...)
		assert.Equal(t, exitUnresolved, got.status)
		assert.Contains(t, got.stdout, "namespace harbor: resolved, 7 bundles to install")
		assert.Contains(t, got.stderr, "the problem is not saved: "+folder+": no such file or directory\n")
	})
	t.Run("no time", func(t *testing.T) {
		q := &question{Question: scenario.Question{
			Problem: resolver.Problem{Cluster: cluster.NewIndex(cluster.Objects{}), Catalogs: cache.NewView(nil)},
			Scopes:  []cluster.Scope{cluster.InNamespace("n")},
		}}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 0, inputs.ErrTimeout)
		defer cancel()
		file := filepath.Join(t.TempDir(), "problem.txtar")
		assert.ErrorIs(t, q.save(ctx, file), inputs.ErrTimeout)
		assert.NoFileExists(t, file)
	})
	t.Run("incomplete", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pigeons.yaml")
		require.NoError(t, os.WriteFile(file, []byte(pigeons(12, 11)), 0o600))
		var got outcome
		for timeout := 250 * time.Millisecond; !strings.Contains(got.stdout, "stopped while searching") && timeout < time.Minute; timeout *= 2 { // on a busy machine it reads for longer
			got = invoke(t, t.Context(), subscriptions(12), "resolve", "-f", "-", "--catalog", "olm/c="+file, "--timeout", timeout.String(), "--save", filepath.Join(t.TempDir(), "problem.txtar"))
		}
		assert.Equal(t, exitUnresolved, got.status)
		assert.Contains(t, got.stdout, "namespace n: not finished\n\nWhy\n  stopped while searching: context deadline exceeded\n")
		assert.Contains(t, got.stderr, "the problem is not saved: "+inputs.ErrTimeout.Error())
	})
}

// pigeons is a catalog of packages each of which needs one of some holes, in a
// version of its own, and so each hole is for one: to see that there are too few
// of them takes very long.
func pigeons(n, holes int) string {
	var b strings.Builder
	bundle := func(pkg string, version int, properties string) {
		fmt.Fprintf(&b, "---\n{schema: olm.channel, package: %s, name: c%d, entries: [{name: %[1]s.v%[2]d}]}\n", pkg, version)
		fmt.Fprintf(&b, "---\n{schema: olm.bundle, package: %s, name: %[1]s.v%d, image: i, properties: ["+
			"{type: olm.package, value: {packageName: %[1]s, version: %[2]d.0.0}}%s]}\n", pkg, version, properties)
	}
	for hole := range holes {
		fmt.Fprintf(&b, "---\n{schema: olm.package, name: h%d, defaultChannel: c0}\n", hole)
		for i := range n {
			bundle(fmt.Sprintf("h%d", hole), i, "")
		}
	}
	for i := range n {
		var choices []string
		for hole := range holes {
			choices = append(choices, fmt.Sprintf("{package: {packageName: h%d, versionRange: %d.0.0}}", hole, i))
		}
		fmt.Fprintf(&b, "---\n{schema: olm.package, name: p%d, defaultChannel: c0}\n", i)
		bundle(fmt.Sprintf("p%d", i), 0, ", {type: olm.constraint, value: {any: {constraints: ["+strings.Join(choices, ", ")+"]}}}")
	}
	return b.String()
}

// subscriptions ask for the packages of pigeons.
func subscriptions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\nkind: Subscription\nmetadata: {name: s%d, namespace: n}\nspec: {name: p%[1]d}\n", i)
	}
	return b.String()
}
