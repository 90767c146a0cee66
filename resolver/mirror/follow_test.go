package mirror

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// The proof compares what answers do: those of one part differ, too, and so do their texts.
func TestEffect(t *testing.T) {
	seen := map[string]bool{}
	var known []effect
	for _, r := range []result.Resolution{
		{},
		{Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v1"}}}},
		{Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v2"}}}},
		{Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v2"}, Channel: "c"}}},
		{Kept: []result.Kept{{Bundle: catalog.BundleKey{Name: "a.v1"}}}},
		{Replaced: []string{"a.v1"}},
		{LeftOut: []result.LeftOut{{Request: cluster.RequestKey{Name: "a"}}}},
	} {
		does := effectOf(&r)
		assert.False(t, seen[does.String()], does)
		assert.False(t, slices.ContainsFunc(known, does.equal), does)
		seen[does.String()], known = true, append(known, does)
		assert.True(t, effectOf(&r).equal(does))
	}
}
