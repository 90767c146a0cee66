package finding

import (
	"context"
	"fmt"
	"testing"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/stretchr/testify/assert"
)

// A long way beside the chain, which any publisher can write, is walked over once.
// Walked over anew for each pair of entries, this one takes minutes.
func TestChainDepthOfALongSideChain(t *testing.T) {
	const n = 20_000
	c := &catalog.Channel{Entries: []catalog.Entry{{Name: "head", Depth: 0}}}
	for i := range n {
		c.Entries = append(c.Entries, catalog.Entry{Name: fmt.Sprintf("x%05d", i), Replaces: fmt.Sprintf("x%05d", i+1), Depth: -1})
	}
	g := NewUpdates(c, nil)
	assert.Equal(t, 0, g.chainDepth[0])
	assert.NotContains(t, g.chainDepth[1:], 0, "nothing leads to the head")
	c.Entries[n].Replaces = "head"
	g = NewUpdates(c, nil)
	assert.Equal(t, make([]int, n+1), g.chainDepth, "all lead to the head")
	c.Entries[n].Replaces = "x00000"
	assert.Equal(t, -1, NewUpdates(c, nil).chainDepth[1], "a circle")
}

// Each entry of a long chain is compared with the entries that name it only. Compared
// with all, this one takes half a minute.
func TestReachingOfALongChain(t *testing.T) {
	const n = 20_000
	c := &catalog.Channel{}
	for i := range n {
		c.Entries = append(c.Entries, catalog.Entry{Name: fmt.Sprintf("x%05d", i), Replaces: fmt.Sprintf("x%05d", i+1), Bundle: catalog.ID(i), Depth: int32(i)})
		c.Order = append(c.Order, int32(i))
	}
	g := NewUpdates(c, &catalog.Snapshot{})
	assert.NotContains(t, g.Reaching(t.Context(), nil), false)
	blocked := g.Reaching(t.Context(), map[catalog.ID]bool{n / 2: true})
	assert.True(t, blocked[n/2])
	assert.NotContains(t, blocked[n/2+1:], true, "all that is below a blocked bundle")

	ended, end := context.WithCancel(t.Context())
	end()
	assert.NotContains(t, g.Reaching(ended, nil)[1:], true)
}
