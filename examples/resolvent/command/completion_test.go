package command

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/help"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/schema"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// completions are what a shell offers for the last word of a line.
func completions(t *testing.T, line string) []string {
	got := invoke(t, t.Context(), "", append([]string{cobra.ShellCompNoDescRequestCmd}, strings.Split(line, " ")...)...)
	require.Equal(t, exitResolved, got.status, got.stderr)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	return lines[:len(lines)-1] // without the directive
}

func TestComplete(t *testing.T) {
	for line, want := range map[string][]string{
		"resolve --compound ":      {"bundle", "solution"},
		"resolve -o ":              {"text", "json", "yaml", "mermaid", "dot", "svg"},
		"check -o ":                {"text", "json", "github", "sarif", "html"},
		"status -o ":               {"text", "wide", "json", "html"},
		"completion z":             {"zsh"},
		"sta":                      {"status"},
		"resolve -f ":              {}, // files
		"check --ignore ":          inputs.CodeNames(),
		"resolve --exclude-cat":    {"--exclude-catalog"},
		"unknown --compound ":      {},
		"list l":                   {}, // no catalog is given
		"path --without-a-value -": {},
	} {
		t.Run(line, func(t *testing.T) { assert.Equal(t, want, completions(t, line)) })
	}
	const of = " --catalog olm/coast=testdata/catalogs/coast "
	for line, want := range map[string][]string{
		"list" + of + "l":                    {"lantern", "lighthouse"},
		"list" + of + "lantern@1.1":          {"lantern@1.1.0", "lantern@1.1.1"},
		"why-not" + of + "lantern.v1.1":      {"lantern.v1.1.0", "lantern.v1.1.1"},
		"resolve" + of + "--package ferr":    {"ferry"},
		"status" + of + "--without ferr":     {"ferry"},
		"graph" + of + "--package lan":       {"lantern"},
		"list --catalog olm/a=missing lant":  {},
		"resolve" + of + "--global-names":    {"--global-namespace"},
		"path" + of + "-f missing.yaml lant": {"lantern"},

		"resolve -f testdata/cluster/failing.yaml -n ":     {"arctic", "deep-sea"},
		"status -n d -f testdata/cluster/failing.yaml -n ": {"arctic", "deep-sea"},
		"status -f testdata/cluster/failing.yaml -n d":     {"deep-sea"},
		"status -f missing.yaml -n ":                       {},
		"status -f - -n ":                                  {},
	} {
		t.Run(line, func(t *testing.T) { assert.ElementsMatch(t, want, completions(t, line)) })
	}
}

// What a shell shows of flags has no marks of help.
func TestCompletePlain(t *testing.T) {
	got := invoke(t, t.Context(), "", cobra.ShellCompRequestCmd, "resolve", "--")
	assert.Contains(t, got.stdout, "--catalog\ta catalog as NAME=FROM, for")
	assert.NotContains(t, got.stdout, "`")
}

// The scripts are correct for the shells that are there.
func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute", "powershell": ""} {
		t.Run(shell, func(t *testing.T) {
			got := invoke(t, t.Context(), "", "completion", shell)
			require.Equal(t, exitResolved, got.status)
			assert.Contains(t, got.stdout, "__complete")
			if check == "" {
				return
			}
			cmd := exec.CommandContext(t.Context(), testkit.Installed(t, shell), check)
			cmd.Stdin = strings.NewReader(got.stdout)
			output, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s", output)
		})
	}
	assert.Equal(t, exitNotStarted, invoke(t, t.Context(), "", "completion", "csh").status)
}

// program is resolvent for cobra.
func program() *cobra.Command {
	return Program{Name: ownName}.Command(inputs.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}, new(int))
}

// Every help fits a screen, begins with what can be copied, and names flags that exist. Every
// flag is explained there, or by help flags. The page of commands names the command, and schema has what
// it writes as JSON.
func TestHelp(t *testing.T) {
	const lines = 60
	page, err := os.ReadFile("../../../.github/docs/commands.md")
	require.NoError(t, err)
	shared := invoke(t, t.Context(), "", "help", "flags").stdout
	for _, c := range program().Commands() {
		got := invoke(t, t.Context(), "", c.Name(), "--help")
		assert.Equal(t, exitResolved, got.status, c.Name())
		if c.Name() == "help" || c.Name() == "completion" || !c.Runnable() {
			continue
		}
		assert.NotEmpty(t, c.Short, "%s has no line in the list of commands: describe it", c.Name())
		assert.NotEmpty(t, exits[c.Name()][0], "exits.go has no row of %s", c.Name())
		assert.True(t, regexp.MustCompile("`(resolvent )?"+c.Name()+"\\b").Match(page), "commands.md does not name %s", c.Name())
		if f := c.Flags().Lookup("output"); f != nil && slices.Contains(inputs.WordsOf(f), "json") {
			assert.Contains(t, schema.Commands(), c.Name(), "documents in schema_test.go of the schemas has no types of it")
		}
		assert.LessOrEqual(t, strings.Count(got.stdout, "\n"), lines, c.Name())
		assert.Contains(t, got.stdout, "\nExamples:\n  resolvent "+c.Name(), c.Name())
		example := false
		for line := range strings.Lines(got.stdout) {
			assert.LessOrEqual(t, len(line)-1, help.Width, line)
			example = example && line != "\n" || strings.HasPrefix(line, "Examples:") || strings.HasPrefix(line, "Usage:")
			for _, word := range strings.Fields(line) {
				if name, long := strings.CutPrefix(strings.Trim(word, ",.;:'()"), "--"); long && example && name != "" {
					assert.NotNil(t, c.Flags().Lookup(name), line)
				}
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden { // the command refuses it
				_, listed, _ := strings.Cut(got.stdout, "\nMain flags:")
				assert.NotRegexp(t, "--"+f.Name+`[\s,]`, listed, c.Name())
				refused := invoke(t, t.Context(), "", c.Name(), "--"+f.Name+"="+map[string]string{
					"load": "x", "namespace": "n", "compound": "bundle", "updates": "named", "pin": "etcd=1.0.0", "jointly": "true",
				}[f.Name])
				assert.Regexp(t, "--"+f.Name+": .*; leave it out\n", refused.stderr, c.Name())
				return
			}
			explained := got.stdout
			if inputs.GroupOf(f) != "" {
				explained = shared
			}
			assert.Regexp(t, "--"+f.Name+`\s`, explained, c.Name())
			if slices.Contains([]string{"filename", "catalog", "package", "namespace"}, f.Name) {
				assert.Contains(t, got.stdout, " --"+f.Name+" ", "%s does not name what it needs most", c.Name())
			}
			assert.False(t, f.Usage == "" || strings.Contains(f.Usage, "\n"), f.Name)
		})
	}
	got := invoke(t, t.Context(), "", "version")
	assert.True(t, strings.HasPrefix(got.stdout, "resolvent "), got.stdout)
}

// One dash before a long flag would be read as several short ones.
func TestOneDash(t *testing.T) {
	for _, args := range [][]string{{"status", "-namespace", "harbor"}, {"list", "-catalog=a=b"}, {"list", "-help"}} {
		got := invoke(t, t.Context(), "", args...)
		name, _, _ := strings.Cut(args[1], "=")
		assert.Equal(t, exitNotStarted, got.status, args)
		assert.Contains(t, got.stderr, name+": write -"+name, args)
		assert.Empty(t, got.stdout)
	}
	assert.Contains(t, invoke(t, t.Context(), "", "list", "--", "-catalog", "-f").stderr, "-f: too many arguments; want one package")
}
