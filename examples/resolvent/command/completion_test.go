package command

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

func TestComplete(t *testing.T) {
	tests := map[string][]string{
		"resolve --compound ":   {"solution", "bundle"},
		"resolve -o ":           {"text", "json", "yaml", "mermaid", "dot", "svg"},
		"check -o ":             {"text", "json", "github", "html"},
		"status -o ":            {"text", "json"},
		"completion ":           {"bash", "zsh", "fish"},
		"resolve -f ":           nil, // files
		"resolve --pin ":        nil,
		"check --ignore ":       inputs.CodeNames(),
		"list --ignore ":        nil,
		"unknown --compound ":   nil,
		"resolve --exclude-cat": complete([]string{"resolve", "-"}),
	}
	for line, want := range tests {
		assert.Equal(t, want, complete(strings.Split(line, " ")), line)
	}
	assert.Contains(t, complete([]string{"st"}), "status")
	assert.Contains(t, complete([]string{"help", ""}), "status")
	flags := complete([]string{"status", "-"})
	for _, flag := range []string{"-f", "-n", "--namespace", "--target-openshift", "--cluster"} {
		assert.Contains(t, flags, flag)
	}
}

// The scripts are correct for the shells that are there.
func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		got := invoke(t, t.Context(), "", "completion", shell)
		require.Equal(t, exitResolved, got.status)
		assert.Contains(t, got.stdout, "resolvent __complete")
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), shell, check...)
		cmd.Stdin = strings.NewReader(got.stdout)
		output, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s: %s", shell, output)
	}
	assert.Equal(t, exitNotStarted, invoke(t, t.Context(), "", "completion", "csh").status)
	got := invoke(t, t.Context(), "", "__complete", "path", "--upd", "")
	assert.Equal(t, outcome{exitResolved, "", ""}, got)
}

// Every help ends with what can be copied, and names flags that exist.
func TestHelpHasExamples(t *testing.T) {
	for _, c := range commands() {
		got := invoke(t, t.Context(), "", c.name, "--help")
		assert.Equal(t, exitResolved, got.status, c.name)
		assert.Contains(t, got.stdout, "\nExamples:\n", c.name)
		assert.Contains(t, got.stdout, "resolvent "+c.name, c.name)
	}
	got := invoke(t, t.Context(), "", "version")
	assert.True(t, strings.HasPrefix(got.stdout, "resolvent "), got.stdout)
}
