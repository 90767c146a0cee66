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

// A namespace that was not resolved before is new, and says so unless one of its requests is new:
// anything else that is new there is no reason to resolve it.
func TestCompareAsked(t *testing.T) {
	earlier, err := ReadExpected("earlier.json", strings.NewReader(`{"namespaces": [], "inputs": {}}`))
	require.NoError(t, err)
	reasons := func(now scenario.Identity) (list []changedJSON) {
		c := earlier.Compare([]result.Outcome{{Scope: cluster.InNamespace("n"), Resolution: &result.Resolution{}}}, &now, true)
		require.Len(t, c.differences, 1)
		return c.differences[0].Reasons
	}
	csv := scenario.ObjectIdentity{Kind: "ClusterServiceVersion", Namespace: "n", Name: "a.v1", Digest: "1"}
	subscription := scenario.ObjectIdentity{Kind: "Subscription", Namespace: "n", Name: "a", Digest: "2"}
	runs, asks := changedJSON{"cluster", "ClusterServiceVersion n/a.v1", "it is new"}, changedJSON{"request", "Subscription n/a", "it is new"}
	assert.Equal(t, []changedJSON{runs, {"request", "namespace n", "it is new"}}, reasons(scenario.Identity{Cluster: []scenario.ObjectIdentity{csv}}))
	assert.Equal(t, []changedJSON{asks, runs}, reasons(scenario.Identity{Cluster: []scenario.ObjectIdentity{csv}, Requests: []scenario.ObjectIdentity{subscription}}))
}
