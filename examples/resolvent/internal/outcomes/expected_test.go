package outcomes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// A request that is left out, or is not any more, is a difference.
func TestCompareLeftOut(t *testing.T) {
	earlier, err := ReadExpected("earlier.json", strings.NewReader(
		`{"namespaces": [{"namespace": "n", "result": "resolved", "leftOut": [{"subscription": "a"}, {"subscription": "b"}]}], "inputs": {}}`))
	require.NoError(t, err)
	leaving := func(names ...string) []partJSON {
		r := &result.Resolution{}
		for _, name := range names {
			r.LeftOut = append(r.LeftOut, result.LeftOut{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: name}})
		}
		c := earlier.Compare([]result.Outcome{{Scope: cluster.InNamespace("n"), Resolution: r}}, new(scenario.Identity), true)
		if !c.Any() {
			return nil
		}
		return c.differences[0].Parts
	}
	assert.Empty(t, leaving("a", "b"))
	assert.Equal(t, []partJSON{{"Subscription a", "left out", ""}, {"Subscription c", "", "left out"}}, leaving("b", "c"))
}
