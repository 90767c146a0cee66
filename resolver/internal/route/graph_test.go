package route

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNumbers compares sets of numbers with maps.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var set numbers
		want := map[int]bool{}
		for range random.IntN(300) {
			n := random.IntN(1 + random.IntN(5000))
			set.add(n)
			want[n] = true
		}
		got := slices.Sorted(set.all())
		assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Compact(got))
	}
}

// TestManyEdges: a channel in which each bundle updates all below it takes a bit an edge, and
// a chain a few bytes.
func TestManyEdges(t *testing.T) {
	const n = 2000
	memory := func(edges *reversed) (bytes int) {
		for _, s := range edges.sources {
			bytes += 4*cap(s.few) + 8*cap(s.bits)
		}
		return bytes
	}
	name := func(i int) string { return fmt.Sprint("b", i) }
	dense, chain := newReversed(), newReversed()
	for i := range n {
		for to := i + 1; to < n; to++ {
			dense.add(name(i), name(to))
		}
		chain.add(name(i), name(i+1))
	}
	assert.Less(t, memory(dense), n*n/2)
	assert.Less(t, memory(chain), 16*n)
	distance := dense.distances([]string{name(n - 1)})
	assert.Equal(t, 1, distance[name(0)])
	assert.Equal(t, n, chain.distances([]string{name(n)})[name(0)])
	assert.NotContains(t, chain.distances([]string{name(0)}), name(1))
}
