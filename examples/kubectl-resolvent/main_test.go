package main

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/kubectl-resolvent/live"
	"github.com/resolvent/resolvent/examples/resolvent/command"
)

// TestExamples: each command that reads the cluster has examples of its own, which name
// flags that exist.
func TestExamples(t *testing.T) {
	var all strings.Builder
	help := func(topic ...string) string {
		all.Reset()
		require.Zero(t, program().Run(t.Context(), append([]string{"help"}, topic...), strings.NewReader(""), &all, io.Discard))
		return all.String()
	}
	root := help()
	assert.Contains(t, root, "\nExamples:\n"+live.Examples[""]+"\n")
	shared := help("flags")
	commands := regexp.MustCompile(`(?m)^  ([a-z-]+) +[A-Z]`).FindAllStringSubmatch(root[strings.Index(root, "Commands:"):], -1)
	require.Greater(t, len(commands), 14)
	for _, m := range commands {
		name := m[1]
		if name == "help" || name == "completion" || name == "schema" || name == "version" {
			continue
		}
		text := strings.ReplaceAll(help(name), " \\\n    ", " ") // of examples that are on several lines
		require.NotEmpty(t, live.Examples[name], name)
		assert.Contains(t, text, "\nExamples:\n"+live.Examples[name]+"\n")
		for _, example := range strings.Split(live.Examples[name], "\n") {
			assert.True(t, strings.HasPrefix(example, "  kubectl resolvent "+name), example)
			for _, flag := range regexp.MustCompile(` --?[a-zA-Z][a-z-]*`).FindAllString(example, -1) {
				assert.Regexp(t, regexp.MustCompile(regexp.QuoteMeta(flag)+`[\s,]`), text+shared, example)
			}
		}
	}
}

var _ command.Live = (*live.Cluster)(nil)

// Without any configuration of kubectl, manifests and catalogs that are given do.
func TestWithoutCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	_, out := run(t, program(), "status", "-f", "../../testdata/cluster/status.yaml", "--catalog", "olm/coast=../../testdata/catalogs/coast")
	assert.Contains(t, out, "INSTALLED -> NEXT")
}
