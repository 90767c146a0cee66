package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

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
	require.NoError(t, os.WriteFile(filepath.Join(bin, "kubectl-resolvent"), []byte("#!/bin/sh\necho the plugin: \"$@\"\n"), 0o755))
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

// eachFolder has a test check catalogs, real ones too, and says which exit status to expect.
func eachFolder(t *testing.T, check func(t *testing.T, folder string, want int)) {
	local := func(t *testing.T, name string) string { return filepath.Join("../../testdata/catalogs", name) }
	real := func(t *testing.T, name string) string { return testkit.Shared(t, "catalogs", name) }
	for _, c := range []struct {
		find func(*testing.T, string) string
		name string
		want int
	}{
		{local, "island", 0}, {local, "coast", 1}, {local, "missing", 2}, {real, "community/keda", 0}, {real, "raw-v4.19", 1},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.find(t, c.name), c.want) })
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
	run := func(t *testing.T, given map[string]string) (temp, output string, status int) {
		temp = t.TempDir()
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
		return temp, output, status
	}
	// The plugin takes the same arguments. It is installed only where it is asked for.
	_, output, status := run(t, map[string]string{"path": "../../testdata/catalogs/island", "crd-safety": "true"})
	assert.Zero(t, status, output)
	assert.Contains(t, output, "the plugin: check -o github --fail-on error -- ../../testdata/catalogs/island")
	eachFolder(t, func(t *testing.T, folder string, want int) {
		temp, output, status := run(t, map[string]string{"path": folder, "sarif": "true"})
		assert.NotContains(t, output, "the plugin")
		assert.Equal(t, want, status, "%s: %s", folder, output)
		assert.Equal(t, want == 1, strings.Contains(output, "::error"), output)
		summary, err := os.ReadFile(filepath.Join(temp, "summary"))
		require.NoError(t, err)
		assertCode(t, string(summary))
		log, err := os.ReadFile(filepath.Join(temp, "resolvent.sarif"))
		require.NoError(t, err)
		assert.Equal(t, want == 1, strings.Contains(string(log), `"level": "error"`), folder)
	})
}

// TestActionInstalls: the action takes a release, checks its sum, and compiles only what has
// no release.
func TestActionInstalls(t *testing.T) {
	for _, tool := range []string{"curl", "tar", "sha256sum"} {
		testkit.Installed(t, tool)
	}
	var action struct {
		Runs struct{ Steps []struct{ Run string } }
	}
	readYAML(t, "actions/check/action.yml", &action)
	releases, tools := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\necho go \"$@\"\n"), 0o755))
	_, status := script(t, `
		cd "$RELEASES"; mkdir v1 v2; printf '#!/bin/sh\necho released\n' > resolvent; chmod +x resolvent
		cp resolvent kubectl-resolvent
		for v in v1 v2; do tar -czf $v/"$ARCHIVE" resolvent; tar -czf $v/kubectl-"$ARCHIVE" kubectl-resolvent; (cd $v; sha256sum *"$ARCHIVE" > SHA256SUMS); done
		echo more >> v2/"$ARCHIVE"; rm *resolvent
		mkdir -p resolvent-3/examples/kubectl-resolvent; tar -czf v3.tar.gz resolvent-3`,
		"RELEASES="+releases, "ARCHIVE=resolvent_linux_amd64.tar.gz")
	require.Zero(t, status)
	for _, test := range []struct {
		program, version, arch, says string
		fails                        bool
	}{
		{"resolvent", "v1", "X64", "released", false},
		{"resolvent", "v2", "X64", "FAILED", true},
		{"resolvent", "v3", "X64", "go install github.com/resolvent/resolvent/examples/resolvent@v3", false},
		{"resolvent", "v1", "ARM64", "go install", false},
		{"resolvent", "v1", "ARM", "go install", false},
		{"resolvent", "", "X64", "set the input version", true},
		{"kubectl-resolvent", "v1", "X64", "released", false},
		{"kubectl-resolvent", "v3", "X64", "go -C examples/kubectl-resolvent build -o", false},
		{"kubectl-resolvent", "v4", "X64", "curl: (37)", true},
	} {
		temp := t.TempDir()
		c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
			action.Runs.Steps[0].Run+"\nwhile read -r folder; do ! [ -x \"$folder/$PROGRAM\" ] || \"$folder/$PROGRAM\"; done < \"$GITHUB_PATH\"")
		c.Env = []string{"PATH=" + tools + ":/usr/bin:/bin", "GITHUB_PATH=" + temp + "/path", "RUNNER_TEMP=" + temp,
			"RUNNER_OS=Linux", "RUNNER_ARCH=" + test.arch, "VERSION=" + test.version, "RESOLVENT_RELEASES=" + (&url.URL{Scheme: "file", Path: releases}).String(),
			"RESOLVENT_SOURCES=" + (&url.URL{Scheme: "file", Path: releases}).String(), "PROGRAM=" + test.program, "CRD_SAFETY=" + fmt.Sprint(test.program != "resolvent")}
		output, err := c.CombinedOutput()
		assert.Equal(t, test.fails, err != nil, "%v: %s", test, output)
		assert.Contains(t, string(output), test.says, "%v", test)
		assert.Equal(t, test.says == "released", strings.HasSuffix(string(output), "released\n"))
	}
}

// TestNamesOfArchives: krew and the action ask for the archives that a release makes.
func TestNamesOfArchives(t *testing.T) {
	var release struct {
		Builds []struct {
			ID, Binary   string
			Goos, Goarch []string
			Ignore       []struct{ Goos, Goarch string }
		}
		Archives []struct {
			IDs          []string
			NameTemplate string `yaml:"name_template"`
			Formats      []string
			Overrides    []any `yaml:"format_overrides"`
			Files        []any
		}
	}
	data, err := os.ReadFile("../../.goreleaser.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &release))
	made := map[string]bool{}
	for _, archive := range release.Archives {
		require.Empty(t, archive.Formats, "its default is tar.gz, which krew and the action read")
		require.Empty(t, archive.Overrides)
		assert.Contains(t, fmt.Sprint(archive.Files), "README.md", "which says what the licence is")
		name := template.Must(template.New("name").Parse(archive.NameTemplate))
		for _, build := range release.Builds {
			for _, goos := range build.Goos {
				for _, goarch := range build.Goarch {
					if !slices.Contains(archive.IDs, build.ID) || slices.Contains(build.Ignore, struct{ Goos, Goarch string }{goos, goarch}) {
						continue
					}
					var text strings.Builder
					require.NoError(t, name.Execute(&text, map[string]string{"Binary": build.Binary, "Os": goos, "Arch": goarch}))
					made[text.String()+".tar.gz"] = true
				}
			}
		}
	}
	krew, err := os.ReadFile(filepath.Join(testkit.Nested(t, "examples/kubectl-resolvent"), ".krew.yaml"))
	require.NoError(t, err)
	asked := map[string]bool{}
	for _, m := range regexp.MustCompile(`os: (\w+), arch: (\w+)}}\n    bin: (\S+)\n    \{\{addURIAndSha "[^"]*/\{\{ .TagName }}/(\S+)" .TagName }}`).FindAllStringSubmatch(string(krew), -1) {
		assert.Equal(t, "kubectl-resolvent_"+m[1]+"_"+m[2]+".tar.gz", m[4])
		assert.Equal(t, m[1] == "windows", strings.HasSuffix(m[3], ".exe"))
		asked[m[4]] = true
	}
	assert.Equal(t, strings.Count(string(krew), "selector"), len(asked))
	action, err := os.ReadFile(filepath.Join(integrations, "actions/check/action.yml"))
	require.NoError(t, err)
	require.Contains(t, string(action), "archive=${program}_${os}_$arch.tar.gz\n")
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"} {
		asked["resolvent_"+platform+".tar.gz"], asked["kubectl-resolvent_"+platform+".tar.gz"] = true, true
	}
	for name := range made {
		assert.True(t, asked[name] || strings.HasPrefix(name, "resolvent_"), "krew does not offer %s", name)
	}
	for name := range asked {
		assert.True(t, made[name], "a release has no %s", name)
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
	eachFolder(t, func(t *testing.T, folder string, want int) {
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
			output, status := script(t, `"$SCRIPT"`, append(variables, "SCRIPT="+file)...)
			assert.Equal(t, want, status, "%s: %s", folder, output)
		}
	})
}

func TestGitLabJob(t *testing.T) {
	var file struct {
		Job struct {
			Variables map[string]string
			Script    []string
		} `yaml:"resolvent-check"`
	}
	readYAML(t, "ci/gitlab-check.yml", &file)
	eachFolder(t, func(t *testing.T, folder string, want int) {
		variables := []string{}
		for name, value := range file.Job.Variables {
			variables = append(variables, name+"="+value)
		}
		output, status := script(t, strings.Join(file.Job.Script, "\n"), append(variables, "CHECK_PATH="+folder)...)
		assert.Equal(t, want, status, "%s: %s", folder, output)
	})
}

// The jobs of CI write a new bundle into a catalog, in each channel.
func TestReleaseJobs(t *testing.T) {
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
	bundle, err := filepath.Abs("testdata/tide/lighthouse")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"action": action.Runs.Steps[1].Run, "tekton": task.Spec.Steps[0].Script, "gitlab": strings.Join(job.Job.Script, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			catalog, temp := filepath.Join(t.TempDir(), "catalog"), t.TempDir()
			require.NoError(t, os.CopyFS(catalog, os.DirFS("../../testdata/catalogs/coast")))
			bundles, channels, between := "registry.example/coast/lighthouse:v1.3.0="+bundle, []string{"stable", "candidate"}, " "
			if name == "action" {
				between = "\n"
			}
			output, status := script(t, text, "CHECK_PATH="+catalog, "CHECK_PATHS="+catalog, "CATALOG=", "CATALOGS=", "BASELINE=", "CRD_SAFETY=false", "SARIF=", "FAIL_ON=error", "VERSION=v0",
				"BUNDLE="+bundles, "BUNDLES="+bundles, "CHANNEL="+strings.Join(channels, between), "CHANNELS="+strings.Join(channels, between),
				"GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"), "RUNNER_TEMP="+temp)
			text, err := os.ReadFile(filepath.Join(catalog, "lighthouse", "catalog.yaml"))
			require.NoError(t, err)
			assert.Equal(t, 3, strings.Count(string(text), "name: lighthouse.v1.3.0\n"), "a bundle and two entries: %s (status %d)", output, status)
		})
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
		output, status := script(t, text, "CHECK_PATH="+folder, "CHECK_PATHS="+folder, "CATALOG=", "CATALOGS=", "BUNDLE=", "BUNDLES=", "CHANNEL=", "CHANNELS=", "BASELINE=", "SARIF=true", "CRD_SAFETY=false", "FAIL_ON=error", "VERSION=v0",
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

	// A release is made by the program that .ci/run tries.
	tried, err := os.ReadFile("../../.ci/run")
	require.NoError(t, err)
	release, err := os.ReadFile(filepath.Join(integrations, "workflows", "release.yml"))
	require.NoError(t, err)
	version := regexp.MustCompile(`goreleaser/v2@(v[0-9.]+)`).FindStringSubmatch(string(tried))
	require.NotNil(t, version)
	assert.Contains(t, string(release), "version: "+version[1]+"\n")
}
