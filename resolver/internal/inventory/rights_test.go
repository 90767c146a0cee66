package inventory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// TestCovered: a permission is covered if others permit each thing that it permits. The things
// are all combinations of a few names, of which no permission names "other".
func TestCovered(t *testing.T) {
	things := []string{"a", "b", "other"}
	permits := func(r *cluster.Right, verb, group, resource, name string) bool {
		return among(r.Verbs, verb) && among(r.APIGroups, group) && among(r.Resources, resource) && (len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, name))
	}
	counts := map[bool]int{}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 3))
		some := func(least int, from ...string) (list []string) {
			for len(list) < least || r.IntN(3) == 0 {
				list = append(list, from[r.IntN(len(from))])
			}
			return list
		}
		right := func() cluster.Right {
			return cluster.Right{Verbs: some(1, "a", "b", "*"), APIGroups: some(1, "a", "b", "*"), Resources: some(1, "a", "b", "*"), ResourceNames: some(0, "a", "b")}
		}
		of, by := right(), []cluster.Right{right(), right(), right(), right()}
		want := true
		for _, verb := range things {
			for _, group := range things {
				for _, resource := range things {
					for _, name := range things {
						want = want && (!permits(&of, verb, group, resource, name) || slices.ContainsFunc(by, func(b cluster.Right) bool { return permits(&b, verb, group, resource, name) }))
					}
				}
			}
		}
		counts[want]++
		assert.Equal(t, want, Covered(&of, by), "seed %d: %v by %v", seed, of, by)
	}
	assert.Greater(t, counts[true], 100)
	assert.Greater(t, counts[false], 100)

	urls := cluster.Right{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}
	assert.True(t, Covered(&urls, []cluster.Right{urls}))
	assert.False(t, Covered(&urls, []cluster.Right{{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz"}}}))
	huge := cluster.Right{Verbs: slices.Repeat([]string{"get"}, 200), APIGroups: slices.Repeat([]string{""}, 200), Resources: []string{"pods"}}
	assert.False(t, Covered(&huge, []cluster.Right{huge}))
}
