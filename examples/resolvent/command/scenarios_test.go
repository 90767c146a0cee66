package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestScenarios asks every question about every scenario of testdata, and compares the
// answers and exit statuses with a golden file for each scenario.
func TestScenarios(t *testing.T) {
	for _, folder := range []string{"scenarios", "explanations"} {
		for file, text := range testkit.Files(t, "testdata", folder, "*.txtar") {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			t.Run(folder+"/"+name, func(t *testing.T) {
				t.Parallel()
				s, err := scenario.Parse(text)
				require.NoError(t, err)
				in, err := s.Question(t.Context())
				require.NoError(t, err)
				a := answers{t: t, known: map[string]bool{}}
				a.questions(in, file)
				a.checks(s)
				compareGolden(t, filepath.Join("..", "testdata", folder, name+".golden"), a.out.String())
			})
		}
	}
}

// answers are what the program says about one scenario.
type answers struct {
	t     *testing.T
	known map[string]bool // lines that are written already
	out   bytes.Buffer
}

func (a *answers) questions(in *scenario.Question, file string) {
	ask := func(args ...string) (started bool) {
		o := run(a.t, append(args, "--load", file)...)
		switch {
		case slices.Contains(args, "json"):
			o.stdout = compactJSON(o.stdout)
		case slices.Contains(args, "yaml"):
			o.stdout = strings.ReplaceAll(o.stdout, "\n  ", " ")
		}
		a.write(args, o)
		return o.status != exitNotStarted
	}
	if !ask("resolve", "--why") {
		ask("resolve")
	}
	ask("resolve", "-o", "json")
	ask("resolve", "-o", "yaml")
	ask("status", "--target-openshift", "4.16", "--target-kube", "1.30")
	objects := in.Problem.Cluster.Objects()
	for _, s := range objects.Subscriptions {
		if s.InstalledCSV != "" {
			ask("path", "--package", s.Package, "--namespace", s.Namespace)
		}
	}
	for _, e := range objects.ClusterExtensions {
		if e.Installed != nil {
			ask("path", "--package", e.Package)
		}
	}
	bundles := map[string]bool{}
	for c := range in.Problem.Catalogs.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for id := range catalog.ID(c.Snapshot.Len()) {
			bundles[c.Snapshot.Bundle(id).Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bundles)) {
		ask("why-not", name)
	}
}

// checks judges each catalog beside the others.
func (a *answers) checks(s *scenario.Scenario) {
	root := a.t.TempDir()
	paths := map[string]string{} // by name of the catalog
	for _, f := range s.Files {
		file := filepath.Join(root, f.Name)
		require.NoError(a.t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(a.t, os.WriteFile(file, f.Data, 0o644))
		parts := strings.Split(f.Name, "/")
		count := 2 // clustercatalogs/NAME
		if parts[0] == "catalogs" {
			count = 3 // catalogs/NAMESPACE/NAME
		}
		paths[strings.Join(parts[1:count], "/")] = filepath.Join(root, filepath.Join(parts[:count]...))
	}
	for _, judged := range slices.Sorted(maps.Keys(paths)) {
		args := []string{"check", paths[judged]}
		for _, other := range slices.Sorted(maps.Keys(paths)) {
			if other != judged {
				args = append(args, "--catalog", other+"="+paths[other])
			}
		}
		o := run(a.t, args...)
		o.stdout = strings.ReplaceAll(o.stdout, root+"/", "")
		a.write([]string{"check", judged}, o)
	}
}

func run(t *testing.T, args ...string) outcome {
	var stdout, stderr strings.Builder
	status := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	validate(t, args, stdout.String())
	return outcome{status, stdout.String(), stderr.String()}
}

// write notes an answer, without the lines that an earlier one about the scenario has.
func (a *answers) write(args []string, o outcome) {
	fmt.Fprintf(&a.out, "$ %s: %d\n", strings.Join(args, " "), o.status)
	known := 0
	flush := func() {
		if known > 0 {
			fmt.Fprintf(&a.out, "(%d known)\n", known)
		}
		known = 0
	}
	for line := range strings.Lines(o.stdout + o.stderr) {
		switch line = strings.Join(strings.Fields(line), " "); {
		case line == "":
		case a.known[line] && len(line) > 10:
			known++
		default:
			flush()
			a.known[line] = true
			if subject, rest, _ := strings.Cut(line, ": "); len(rest) > 10 && a.known[rest] {
				line = subject + ": (known)"
			}
			a.out.WriteString(line + "\n")
		}
	}
	flush()
}

// compactJSON leaves out what is empty or always the same, the texts, which the other outputs
// have, and the digests of the inputs, which do not tell what changed.
func compactJSON(text string) string {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return text // it says why there is no answer
	}
	var out strings.Builder
	printJSON(&out, "", pruned(value))
	return out.String()
}

// printJSON prints a value on one line, or its parts where that would be long.
func printJSON(out *strings.Builder, name string, value any) {
	line, _ := json.Marshal(value)
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			printJSON(out, name, element)
		}
		return
	case map[string]any:
		if len(line) > 300 || name == "" {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				printJSON(out, key, v[key])
			}
			return
		}
	}
	fmt.Fprintf(out, "%s: %s\n", name, line)
}

func pruned(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"schema", "inputs", "message", "explanation", "derivation", "text", "fixes"} {
			delete(v, key)
		}
		for key := range v {
			if v[key] = pruned(v[key]); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return value
}
