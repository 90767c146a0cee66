package resolver_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
)

// inputsOf reads a scenario of testdata.
func inputsOf(t *testing.T, name string) *scenario.Question {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + name + ".txtar")
	require.NoError(t, err)
	s, err := scenario.Parse(text)
	require.NoError(t, err)
	in, err := s.Question(t.Context())
	require.NoError(t, err)
	return in
}

func TestWhyNotUnknown(t *testing.T) {
	in := inputsOf(t, "explanations/below-head")
	_, err := resolver.New().WhyNot(t.Context(), in.Problem, cluster.InNamespace("operators"), "che.v7.2.0")
	var unknown *result.UnknownBundle
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, []string{"che.v7.1.0", "che.v7.0.0"}, unknown.Nearest)
	in = inputsOf(t, "scenarios/path-next-missing")
	listed, err := resolver.New().WhyNot(t.Context(), in.Problem, cluster.InNamespace("operators"), "a.v2")
	require.NoError(t, err)
	assert.Contains(t, listed.Why.String(), "channel stable lists it, but the catalog has no bundle of that name")
}

// What cannot be resolved answers with the failure.
func TestWhyNotFailure(t *testing.T) {
	in := inputsOf(t, "explanations/two-providers")
	_, err := resolver.New().WhyNot(t.Context(), in.Problem, cluster.InNamespace("operators"), "registry.v3.4.0")
	var failure *result.NotSatisfiable
	require.ErrorAs(t, err, &failure)
	assert.NotEmpty(t, failure.Fixes)
	_, err = resolver.New().WhyNot(t.Context(), in.Problem, cluster.InNamespace("operators"), "registry.v9.9.9")
	assert.ErrorAs(t, err, new(*result.UnknownBundle))
	in = inputsOf(t, "scenarios/health-text")
	_, err = resolver.New().WhyNot(t.Context(), in.Problem, cluster.InNamespace("operators"), "registry.v9.9.9")
	assert.ErrorAs(t, err, new(*result.CatalogsUnhealthy), "it may have that")
}

// TestJustifyEclipseChe asks why a real operator is far below its head.
func TestJustifyEclipseChe(t *testing.T) {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{{
		Namespace: "operators", Name: "che", Package: "eclipse-che", Catalog: "community", CatalogNamespace: "olm",
	}}})
	r := resolver.New()
	answer, err := r.Resolve(t.Context(), resolver.Problem{Cluster: known, Catalogs: realView(t)}, cluster.InNamespace("operators"))
	require.NoError(t, err)
	require.Len(t, answer.Warnings, 1)
	assert.Contains(t, answer.Warnings[0].Message(), "catalog olm/community has no package devworkspace-operator")

	choices, err := r.Justify(t.Context(), resolver.Problem{Cluster: known, Catalogs: realView(t)}, cluster.InNamespace("operators"))
	require.NoError(t, err)
	require.Len(t, choices, 1)
	assert.Equal(t, answer.Installs[0].Bundle.Name, choices[0].Bundle.Bundle.Name)
	refused := 0
	for _, better := range choices[0].Better {
		refused += len(better.Bundles)
		assert.Contains(t, better.Why.Text(), "devworkspace-operator")
	}
	assert.Equal(t, answer.Installs[0].Place, refused)
}

func TestNoFixes(t *testing.T) {
	in := inputsOf(t, "explanations/two-providers")
	in.Problem.Options.NoFixes = true
	failure := failureOf(t.Context(), in)
	require.NotNil(t, failure)
	assert.Empty(t, failure.Fixes)
	assert.NotContains(t, text.All(failure), "What would help")
}

// Names that the languages of pictures could misread stay texts.
func TestPicturesEscape(t *testing.T) {
	answer := &result.Resolution{Installs: []result.Install{{
		Bundle: catalog.BundleKey{Name: `a"b]|<end>` + "`&#\\\n", Catalog: catalog.Key{Name: "c"}},
		For:    []result.Obligation{{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s;}\""}}},
	}}}
	d := &graph.Drawing{}
	d.AddAnswer("", answer)
	assert.Contains(t, d.Mermaid(), `n0["a#quot;b]|#lt;end#gt;#96;#amp;#35;#92;<br/>"]`)
	assert.Contains(t, d.DOT(), `n0 [label="a\"b]|<end>`+"`"+`&#\\\n"];`)
	assert.Contains(t, d.DOT(), `label="Subscription s;}\""`)
}

// Several graphs are one document: frames with titles, and numbers that nothing
// shares.
func TestDrawing(t *testing.T) {
	answer := &result.Resolution{
		Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a"}}},
		Kept:     []result.Kept{{Bundle: catalog.BundleKey{Name: "b"}, For: []result.Obligation{{Bundle: "a"}}}},
	}
	d, alone, titled := &graph.Drawing{}, &graph.Drawing{}, &graph.Drawing{}
	d.AddAnswer(`"one"]`, answer)
	d.AddAnswer("empty", &result.Resolution{})
	d.AddAnswer("two", answer)
	alone.AddAnswer("", answer)
	titled.AddAnswer("alone", answer)
	mermaid, dot := d.Mermaid(), d.DOT()
	assert.Contains(t, mermaid, `subgraph g0["#quot;one#quot;]"]`)
	assert.Contains(t, dot, `label="\"one\"]";`)
	for _, text := range []string{`n0["a"]`, "n0 --> n1", `n2["a"]`, "n2 --> n3"} {
		assert.Equal(t, 1, strings.Count(mermaid, text), text)
	}
	for _, text := range []string{`n0 [label="a"`, "n0 -> n1", `n2 [label="a"`, "n2 -> n3"} {
		assert.Equal(t, 1, strings.Count(dot, text), text)
	}
	assert.Equal(t, 1, strings.Count(mermaid, "flowchart"))
	assert.Equal(t, 3, strings.Count(mermaid, "end\n"))
	assert.Equal(t, strings.Count(dot, "{"), strings.Count(dot, "}"))
	assert.Equal(t, alone.Mermaid(), titled.Mermaid())
}
