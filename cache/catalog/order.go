package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/code"
)

// SetOrder finds the head of the channel and follows replaces from it. It sets Order, and
// Depth and Skipped of the entries. Only edges between entries of the channel count;
// skipRanges and versions do not. Without an order it sets Fault and returns its code. A
// channel that already has a Fault gets no order, and the code is "".
func (c *Channel) SetOrder() Code {
	superseded := make([]bool, len(c.Entries))
	for i := range c.Entries {
		c.Entries[i].Depth, c.Entries[i].Skipped = -1, false
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		for name := range e.Edges() {
			if below, ok := c.Index(name); ok && below != i {
				superseded[below] = true
				_, skips := slices.BinarySearch(e.Skips, name)
				c.Entries[below].Skipped = c.Entries[below].Skipped || skips
			}
		}
	}
	if c.Fault != "" {
		return ""
	}
	if len(c.Entries) == 0 {
		c.Fault = "it has no head: it has no entries"
		return code.NoHead
	}
	var heads []int
	for i, s := range superseded {
		if !s {
			heads = append(heads, i)
		}
	}
	switch len(heads) {
	case 0:
		c.Fault = "it has no head: each of its entries is replaced or skipped by another"
		return code.NoHead
	case 1:
		return follow(c, heads[0])
	default:
		c.Fault = describeHeads(c, heads)
		return code.SeveralHeads
	}
}

// follow records the chain of replaces from the head. With a circle anywhere, even off the
// chain, the channel has no order.
func follow(c *Channel, head int) Code {
	order, cycle := chain(c, head)
	if cycle {
		last := order[len(order)-1]
		c.Fault = fmt.Sprintf("its entries replace each other in a circle: below its head %s, %s replaces %s again",
			c.Entries[head].Name, c.Entries[last].Name, c.Entries[last].Replaces)
		return code.Cycle
	}
	if i, found := circle(c); found {
		c.Fault = fmt.Sprintf("its entries replace each other in a circle that leads through %s", c.Entries[i].Name)
		return code.Cycle
	}
	c.Order = order
	for depth, i := range order {
		c.Entries[i].Depth = int32(depth)
	}
	return ""
}

// chain returns the entries from start along replaces, and whether the last one replaces
// one before it.
func chain(c *Channel, start int) (order []int32, cycle bool) {
	seen := make([]bool, len(c.Entries))
	for i := start; ; {
		order = append(order, int32(i))
		seen[i] = true
		next, ok := c.Index(c.Entries[i].Replaces)
		if !ok {
			return order, false
		}
		if seen[next] {
			return order, true
		}
		i = next
	}
}

// circle returns the first entry, by name, of a circle of replaces.
func circle(c *Channel) (int, bool) {
	// An entry that an earlier walk passed leads to no circle, because that walk found
	// none.
	passed := make([]int, len(c.Entries))
	for start := range c.Entries {
		walk := start + 1
		for i, ok := start, true; ok && passed[i] == 0; i, ok = c.Index(c.Entries[i].Replaces) {
			passed[i] = walk
			if next, listed := c.Index(c.Entries[i].Replaces); listed && passed[next] == walk {
				return next, true
			}
		}
	}
	return 0, false
}

// maxShownHeads bounds the text about a channel without any edges, where all entries are
// heads.
const maxShownHeads = 5

func describeHeads(c *Channel, heads []int) string {
	var shown []string
	for _, head := range heads[:min(len(heads), maxShownHeads)] {
		text := c.Entries[head].Name
		if order, _ := chain(c, head); len(order) > 1 {
			text += "..." + c.Entries[order[len(order)-1]].Name
		}
		shown = append(shown, text)
	}
	if more := len(heads) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("it has %d heads, that is, entries that no other replaces or skips, so it has no single order; its chains: %s",
		len(heads), strings.Join(shown, ", "))
}
