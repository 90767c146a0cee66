package outcomes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/result"
)

// TestSharedNodes: a derivation whose parts are shared is written with its whole
// depth, and with far fewer nodes than there are ways through it.
func TestSharedNodes(t *testing.T) {
	const layers = 100
	below := &result.Explanation{Fact: true}
	for range layers {
		below = &result.Explanation{Because: []*result.Explanation{below, below}}
	}
	var count func(n nodeJSON) int
	count = func(n nodeJSON) int {
		sum := 1
		for _, child := range n.Because {
			sum += count(child)
		}
		return sum
	}
	written := nodeToJSON(below)
	assert.Less(t, count(written), 2*maxNodes)
	depth := 0
	for n := written; len(n.Because) > 0; n = n.Because[0] {
		depth++
	}
	assert.Equal(t, layers, depth)

	// A small one stands there in full.
	fact := &result.Explanation{Fact: true}
	twice := &result.Explanation{Because: []*result.Explanation{fact, fact}}
	assert.Equal(t, 7, count(nodeToJSON(&result.Explanation{Because: []*result.Explanation{twice, twice}})))
}
