package trial

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

var update = flag.Bool("update", false, "rewrite the wanted answers")

// TestExamples holds what the page shows of each example, and after each of its fixes.
func TestExamples(t *testing.T) {
	for _, e := range Examples() {
		t.Run(e.Name, func(t *testing.T) {
			var got strings.Builder
			got.WriteString(show(t, e.Input))
			for n := range Answers(t.Context(), e.Input).Fixes {
				text, err := Apply(t.Context(), e.Input, n)
				require.NoError(t, err)
				got.WriteString("\n=== after " + string(rune('1'+n)) + "\n\n" + text + "\n" + show(t, Input{e.Catalog, text, e.Question}))
			}
			file := filepath.Join("testdata", e.Name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.String())
		})
	}
}

// show is an answer as text.
func show(t *testing.T, in Input) string {
	a := Answers(t.Context(), in)
	require.Empty(t, a.Error)
	assert.Empty(t, a.Faults)
	if a.Picture != "" {
		assert.True(t, strings.HasPrefix(a.Picture, "<svg"))
	}
	text := a.Text + "\npicture: " + strconv.FormatBool(a.Picture != "") + "\n"
	for _, row := range a.Table {
		text += strings.Join(row, " | ") + "\n"
	}
	for i, f := range a.Fixes {
		text += "\n" + f.Title + "\n" + string(rune('1'+i)) + ". " + f.Text + "\n"
	}
	return text
}

// TestEdit: the text of a cluster after a fix has the objects that result.Apply makes, for
// every fix of every scenario.
func TestEdit(t *testing.T) {
	files, err := filepath.Glob("../../../../testdata/scenarios/*.txtar")
	require.NoError(t, err)
	tried := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := scenario.Parse(text)
		require.NoError(t, err)
		q, err := s.Question(t.Context())
		if err != nil {
			continue // a scenario of what cannot be read
		}
		objects, err := manifest.Read(t.Context(), manifest.Input{Name: "cluster", Reader: bytes.NewReader(s.Cluster)})
		require.NoError(t, err)
		for _, o := range resolver.New().ResolveAll(t.Context(), q.Problem, q.Scopes) {
			for _, fix := range result.HelpOf(o.Err).Fixes {
				want, err := fix.Apply(cluster.NewIndex(objects))
				require.NoError(t, err, file)
				edited, err := edit(t.Context(), string(s.Cluster), fix.Steps())
				require.NoError(t, err, file)
				got, err := manifest.Read(t.Context(), manifest.Input{Name: "cluster", Reader: strings.NewReader(edited)})
				require.NoError(t, err, "%s\n%s", file, edited)
				assert.Equal(t, lines(t, want.Objects()), lines(t, got), "%s\n%s", file, edited)
				tried++
			}
		}
	}
	assert.Greater(t, tried, 100)
}

// lines are objects as the library writes them, sorted.
func lines(t *testing.T, o cluster.Objects) []string {
	text, err := manifest.Write(t.Context(), o)
	require.NoError(t, err)
	return slices.Sorted(strings.Lines(string(text)))
}

func TestEditKeeps(t *testing.T) {
	text := `# ours
kind: Subscription
apiVersion: operators.coreos.com/v1alpha1
metadata: {name: a, namespace: ns}   # by hand
spec: {name: a, channel: old}
--- # the next
# also ours
kind: Subscription
apiVersion: operators.coreos.com/v1alpha1
metadata: {name: b, namespace: ns}
spec: {name: b, channel: "on"}`
	got, err := edit(t.Context(), text, []result.Step{{
		Object: result.Object{Kind: "Subscription", Namespace: "ns", Name: "b"},
		Field:  "spec.startingCSV", To: "1.0",
	}})
	require.NoError(t, err)
	assert.Equal(t, `# ours
kind: Subscription
apiVersion: operators.coreos.com/v1alpha1
metadata: {name: a, namespace: ns}   # by hand
spec: {name: a, channel: old}
---
# also ours
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: b
  namespace: ns
spec:
  channel: "on"
  name: b
  startingCSV: "1.0"
`, got)
}

func TestFaults(t *testing.T) {
	fine := Examples()[0].Input
	for name, test := range map[string]struct {
		in   Input
		want string
	}{
		"question": {Input{fine.Catalog, fine.Cluster, "which"}, `there is no question "which"`},
		"cluster":  {Input{fine.Catalog, "kind: [", Resolve}, "cluster: "},
		"policy": {
			Input{fine.Catalog, fine.Cluster + "\n---\n# ours\napiVersion: resolvent/v1\nkind: Policy\nrules: []\n", Resolve},
			`cluster: line 23, column 1: the policy: there is no field "rules"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := Answers(t.Context(), test.in)
			assert.Contains(t, a.Error, test.want)
			_, err := Apply(t.Context(), test.in, 0)
			assert.EqualError(t, err, a.Error)
		})
	}
	_, err := Apply(t.Context(), fine, 99)
	assert.EqualError(t, err, "there is no fix 100")
	broken := Answers(t.Context(), Input{"schema: olm.package", fine.Cluster, Resolve})
	assert.NotEmpty(t, broken.Faults)
	assert.Empty(t, broken.Error)
	for _, q := range []Question{Resolve, Status, Migrate} {
		assert.Contains(t, Answers(t.Context(), Input{"", "", q}).Text, "There is no Subscription")
	}
}

// TestForgotten: what failed without a Subscription has a row.
func TestForgotten(t *testing.T) {
	in := Examples()[0].Input
	in.Question, in.Cluster = Status, in.Cluster+`
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: left.v1, namespace: lonely}
spec: {version: 1.0.0}
status: {phase: Failed, reason: ComponentUnhealthy, message: it broke}
`
	a := Answers(t.Context(), in)
	assert.Contains(t, a.Text, "left.v1: unhealthy")
	assert.Contains(t, a.Text, "it broke")
}

// TestPolicies: each policy counts, and those of others are left alone.
func TestPolicies(t *testing.T) {
	in := Examples()[0].Input
	in.Cluster += `
---
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: other}
---
apiVersion: resolvent/v1
kind: Policy
metadata: {name: first}
candidates: [{name: no-mesh, deny: bundle.package == "mesh"}]
---
apiVersion: resolvent/v1
kind: Policy
metadata: {name: second}
candidates: [{name: no-kafka, deny: bundle.package == "kafka"}]
`
	text := Answers(t.Context(), in).Text
	assert.Contains(t, text, "rule no-mesh of policy first")
	assert.Contains(t, text, "rule no-kafka of policy second")
}

// TestVersion1: the text of the catalog also serves OLM v1.
func TestVersion1(t *testing.T) {
	in := Input{Examples()[0].Catalog, "apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata: {name: c}\nspec: {namespace: n, source: {sourceType: Catalog, catalog: {packageName: cert-manager}}}\n", Resolve}
	assert.Contains(t, Answers(t.Context(), in).Text, "install cert-manager.v1.16.2")
	in.Cluster += "---\napiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata: {name: other}\nspec: {source: {type: Image, image: {ref: quay.example/other}}}\n"
	assert.Contains(t, Answers(t.Context(), in).Text, "install cert-manager.v1.16.2")
}
