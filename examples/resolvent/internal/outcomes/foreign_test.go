package outcomes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Foreign text in manifests is one text each for a reader of YAML, old ones too, whatever it
// looks like.
func TestManifestsAreData(t *testing.T) {
	texts := []string{
		hostile + control, "y", "on", "No", "~", "null", "1e3", "012", "0o14", "0b11", "1_000", "12:30:45", "4.10", "2001-01-01", ".inf", "<<", "-", "---", "...",
		"- a", "# a", "a # b", "a: b", "!!binary x", "&a b", "*a", "|", ">", "%TAG", "@a", "`a`", "{a: b}", "[a]", "'a'", `"a"`, " a ", "a\t", "",
		"a\nspec: {}\n---\nkind: Secret\n", "\ufeffa", "a\u2028b",
	}
	for _, text := range texts {
		nodes, err := Manifests(cluster.Objects{Subscriptions: []cluster.Subscription{{
			Namespace: "n", Name: "x", Package: text, Channel: "c" + text, Annotations: map[string]string{"a": text, "b" + text: ""},
		}}})
		require.NoError(t, err)
		var b strings.Builder
		p := terminal.NewPage(t.Context(), &b, terminal.OutputYAML)
		require.NoError(t, p.YAML(1, "document", func(int) ([]*yaml.Node, error) { return nodes, nil }))
		require.NoError(t, p.Close())
		var read struct {
			Kind     string
			Metadata struct{ Annotations map[string]string }
			Spec     struct{ Name, Channel string }
		}
		loader, err := yaml.NewLoader(strings.NewReader(b.String()))
		require.NoError(t, err)
		require.NoError(t, loader.Load(&read), b.String())
		assert.Error(t, loader.Load(new(any)), "one document")
		assert.Equal(t, "Subscription", read.Kind)
		assert.Equal(t, "c"+text, read.Spec.Channel)
		assert.Equal(t, text, read.Metadata.Annotations["a"], b.String())
		assert.Contains(t, read.Metadata.Annotations, "b"+text)
		assert.Equal(t, text, read.Spec.Name)
		if text != "" && !strings.ContainsAny(text, "&<`@*") {
			assert.NotContains(t, b.String(), "\n  name: "+text+"\n", "YAML 1.1 takes it for another type")
		}
	}
}
