package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// Of many bundles that nothing depends on, all answers together have one line with their number,
// and what depends on something is drawn. Few are drawn all.
func TestManyRequests(t *testing.T) {
	asked := func(name string) []result.Obligation {
		return []result.Obligation{{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: name}}}
	}
	drawing := func(installs, kept int) *Drawing {
		all := &result.Resolution{}
		key := func(name string) catalog.BundleKey { return catalog.BundleKey{Name: name} }
		for i := range installs {
			name := fmt.Sprint("new-", i)
			all.Installs = append(all.Installs, result.Install{Bundle: key(name), Replaces: "old-" + name, For: asked(name)})
			all.Replaced = append(all.Replaced, "old-"+name)
		}
		all.Installs = append(all.Installs, result.Install{Bundle: key("needs"), Replaces: "needs-old", For: asked("needs")})
		all.Replaced = append(all.Replaced, "needs-old")
		all.Kept = append(all.Kept, result.Kept{Bundle: key("needed"), For: []result.Obligation{{Bundle: "needs", Constraint: "package needed"}}})
		apart := &result.Resolution{}
		for i := range kept {
			apart.Kept = append(apart.Kept, result.Kept{Bundle: key(fmt.Sprint("stays-", i))})
		}
		d := &Drawing{}
		d.AddAnswer("all", all)
		d.AddAnswer("apart", apart)
		d.AddNote("failed", "it failed")
		return d
	}
	few := drawing(maxLone-3, 3).Mermaid()
	assert.Equal(t, maxLone-3, strings.Count(few, `["new-`))
	assert.Equal(t, 3, strings.Count(few, `["stays-`))
	assert.NotContains(t, few, "depend")

	for _, many := range [][2]int{{200, 3}, {maxLone + 1, 0}, {0, 300}} {
		d := drawing(many[0], many[1])
		text := d.Mermaid()
		assert.NotContains(t, text, "new-")
		assert.NotContains(t, text, "stays-")
		assert.Equal(t, 1, strings.Count(text, fmt.Sprintf("%d bundles that depend on nothing", many[0]+many[1])))
		for _, drawn := range []string{`["needs"]`, `["needed"]`, "needs-old", "package needed", "it failed"} {
			assert.Contains(t, text, drawn)
		}
		assert.Equal(t, many[1] == 0, strings.Contains(text, `"apart"`), "a frame with nothing left in it")
		svg, err := d.SVG()
		require.NoError(t, err)
		assert.Less(t, len(svg), 10_000)
	}
}
