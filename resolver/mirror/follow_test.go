package mirror

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// The proof compares texts of answers: those of one part differ, too.
func TestTextOf(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range []result.Resolution{
		{},
		{Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v1"}}}},
		{Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v2"}}}},
		{Installs: []result.Install{{Bundle: catalog.BundleKey{Name: "a.v2"}, Channel: "c"}}},
		{Kept: []result.Kept{{Bundle: catalog.BundleKey{Name: "a.v1"}}}},
		{Replaced: []string{"a.v1"}},
		{LeftOut: []result.LeftOut{{Request: cluster.RequestKey{Name: "a"}}}},
	} {
		text := textOf(&r)
		assert.False(t, seen[text], text)
		seen[text] = true
	}
}
