package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		"pinned":    resolveArgs(from("install.yaml", "--pin", "lighthouse@1.1.0"), coast, island),
		"excluded":  resolveArgs(from("install.yaml", "--exclude-catalog", "olm/island"), coast, island),
	}
	for name, args := range problems {
		for _, output := range [][]string{{"-o", "text", "--why"}, {"-o", "json", "--why"}, {"-o", "mermaid"}, {"-o", "dot"}, {"-o", "yaml"}} {
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
