package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// integrations are what other repositories include, below the folder .github.
const integrations = "../../.github"

// program puts this program into a folder for PATH.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, self)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "resolvent"), []byte(script), 0o755))
	return bin
}

// script runs a script as a CI does, and returns what it printed and its exit status.
func script(t *testing.T, text string, variables ...string) (string, int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", text)
	c.Env = append(os.Environ(), "PATH="+program(t)+":"+os.Getenv("PATH"))
	c.Env = append(c.Env, variables...)
	output, err := c.CombinedOutput()
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	return string(output), c.ProcessState.ExitCode()
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(integrations, file))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, into))
}

// checkedFolders are catalogs, real ones too, with the exit status of their check.
func checkedFolders(t *testing.T) map[string]int {
	return map[string]int{
		"../../testdata/catalogs/island":                   0,
		"../../testdata/catalogs/coast":                    1,
		"missing":                                          2,
		testkit.Shared(t, "catalogs", "community", "keda"): 0,
		testkit.Shared(t, "catalogs", "raw-v4.19"):         1,
	}
}

func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	readYAML(t, "actions/check/action.yml", &action)
	for folder, want := range checkedFolders(t) {
		var output string
		var status int
		temp := t.TempDir()
		given := map[string]string{"path": folder, "sarif": "true"}
		for _, step := range action.Runs.Steps {
			if step.Run == "" {
				continue // another action
			}
			variables := []string{"GITHUB_STEP_SUMMARY=" + filepath.Join(temp, "summary"), "GITHUB_PATH=/dev/null", "RUNNER_TEMP=" + temp}
			for name, value := range step.Env {
				input, _, _ := strings.Cut(strings.TrimPrefix(value, "${{ inputs."), " ")
				require.Contains(t, action.Inputs, input)
				variables = append(variables, name+"="+cmp.Or(given[input], action.Inputs[input].Default))
			}
			output, status = script(t, step.Run, variables...)
		}
		assert.Equal(t, want, status, "%s: %s", folder, output)
		assert.Equal(t, want == 1, strings.Contains(output, "::error"), output)
		summary, err := os.ReadFile(filepath.Join(temp, "summary"))
		require.NoError(t, err)
		assertCode(t, string(summary))
		log, err := os.ReadFile(filepath.Join(temp, "resolvent.sarif"))
		require.NoError(t, err)
		assert.Equal(t, want == 1, strings.Contains(string(log), `"level": "error"`), folder)
	}
}

func TestTektonTask(t *testing.T) {
	var task struct {
		Spec struct {
			Params []struct {
				Name    string
				Default *string
			}
			Steps []struct {
				Script string
				Env    []struct{ Name, Value string }
			}
		}
	}
	readYAML(t, "ci/tekton-check.yaml", &task)
	for folder, want := range checkedFolders(t) {
		for _, step := range task.Spec.Steps {
			var variables []string
			for _, env := range step.Env {
				value := env.Value
				for _, param := range task.Spec.Params {
					given := folder
					if param.Default != nil {
						given = *param.Default
					}
					value = strings.ReplaceAll(value, "$(params."+param.Name+")", given)
				}
				require.NotContains(t, value, "$(")
				variables = append(variables, env.Name+"="+value)
			}
			file := filepath.Join(t.TempDir(), "script")
			require.NoError(t, os.WriteFile(file, []byte(step.Script), 0o755))
			output, status := script(t, file, variables...)
			assert.Equal(t, want, status, "%s: %s", folder, output)
		}
	}
}

func TestGitLabJob(t *testing.T) {
	var file struct {
		Job struct {
			Variables map[string]string
			Script    []string
		} `yaml:"resolvent-check"`
	}
	readYAML(t, "ci/gitlab-check.yml", &file)
	for folder, want := range checkedFolders(t) {
		variables := []string{}
		for name, value := range file.Job.Variables {
			variables = append(variables, name+"="+value)
		}
		output, status := script(t, strings.Join(file.Job.Script, "\n"), append(variables, "CHECK_PATH="+folder)...)
		assert.Equal(t, want, status, "%s: %s", folder, output)
	}
}

// assertCode checks that a text in Markdown is code from the first to the last line.
func assertCode(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.Empty(t, lines[0], "code begins a paragraph")
	for _, line := range lines[1:] {
		assert.True(t, strings.HasPrefix(line, "    "), line)
	}
}

// TestForeignText gives the scripts of CI a path that a shell or the program could take for
// more than a path, and a catalog that says what could end a block of Markdown or begin a
// command of a workflow.
func TestForeignText(t *testing.T) {
	const folder = "--fail-on=never $(touch pwned1) `touch pwned2`; touch pwned3 # '\" *"
	const said = "\n```\n<img src=x>\n::error::forged\n\u2028::warning::forged\n"
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	var task struct {
		Spec struct{ Steps []struct{ Script string } }
	}
	var job struct {
		Job struct{ Script []string } `yaml:"resolvent-check"`
	}
	readYAML(t, "actions/check/action.yml", &action)
	readYAML(t, "ci/tekton-check.yaml", &task)
	readYAML(t, "ci/gitlab-check.yml", &job)
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir(folder, 0o700))
	catalog, err := json.Marshal(map[string]any{"schema": "olm.bundle", "package": said, "name": said, "image": said,
		"properties": []any{map[string]any{"type": "olm.package", "value": map[string]any{"packageName": said, "version": said}}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c.json"), catalog, 0o600))
	temp := t.TempDir()
	for name, text := range map[string]string{
		"action": action.Runs.Steps[1].Run, "tekton": task.Spec.Steps[0].Script, "gitlab": strings.Join(job.Job.Script, "\n"),
	} {
		output, status := script(t, text, "CHECK_PATH="+folder, "CHECK_PATHS="+folder, "CATALOG=", "CATALOGS=", "BASELINE=", "SARIF=true", "FAIL_ON=error", "VERSION=v0",
			"GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"), "RUNNER_TEMP="+temp)
		assert.Equal(t, 1, status, "%s: %s", name, output)
		assert.NotContains(t, output, "\n::error::", name)
		assert.NotContains(t, output, "\n::warning::", name)
	}
	summary, err := os.ReadFile(filepath.Join(temp, "summary"))
	require.NoError(t, err)
	assertCode(t, string(summary))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 1)
}

// TestPinned holds that nothing of others runs in a version that they can change later.
func TestPinned(t *testing.T) {
	commit := regexp.MustCompile(`^ *(- )?uses: [\w./-]+@[0-9a-f]{40} # v[0-9.]+$`)
	moving := regexp.MustCompile(`(@|default: |VERSION: )["']?latest`)
	files := 0
	for _, folder := range []string{"../../.ci", integrations + "/workflows", integrations + "/actions", integrations + "/ci"} {
		require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			data, err := os.ReadFile(name)
			for i, line := range strings.Split(string(data), "\n") {
				assert.False(t, strings.Contains(line, "uses: ") && !commit.MatchString(line), "%s:%d: pin the action by its commit: %s", name, i+1, line)
				assert.NotRegexp(t, moving, line, "%s:%d", name, i+1)
			}
			return err
		}))
	}
	assert.GreaterOrEqual(t, files, 7)
}
