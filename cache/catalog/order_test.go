package catalog

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/internal/code"
)

func TestChannelOrder(t *testing.T) {
	for name, test := range map[string]struct {
		entries []Entry
		order   []string // with virtual and skipped entries
		code    Code
		fault   string
	}{
		"no entries":              {code: code.NoHead, fault: "it has no head: it has no entries"},
		"chain":                   {entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "a"}, {Name: "c", Replaces: "b"}}, order: []string{"c", "b", "a"}},
		"versions mean nothing":   {entries: []Entry{{Name: "p.v1", Replaces: "p.v2"}, {Name: "p.v2"}}, order: []string{"p.v1", "p.v2"}},
		"replaces nothing listed": {entries: []Entry{{Name: "a", Replaces: "gone"}}, order: []string{"a"}},
		"skipped on the chain":    {entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "a", Skips: []string{"a"}}}, order: []string{"b", "a"}},
		"skipped off the chain":   {entries: []Entry{{Name: "a"}, {Name: "b", Skips: []string{"a"}}}, order: []string{"b"}},
		"skips itself":            {entries: []Entry{{Name: "a", Skips: []string{"a"}}}, order: []string{"a"}},
		"two heads": {
			entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "c"}, {Name: "c"}},
			code:    code.SeveralHeads,
			fault:   "it has 2 heads, that is, entries that no other replaces or skips, so it has no single order; its chains: a, b...c",
		},
		"many heads": {
			entries: []Entry{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}},
			code:    code.SeveralHeads,
			fault:   "it has 7 heads, that is, entries that no other replaces or skips, so it has no single order; its chains: a, b, c, d, e, and 2 more",
		},
		"no head": {
			entries: []Entry{{Name: "a", Replaces: "b"}, {Name: "b", Replaces: "a"}},
			code:    code.NoHead,
			fault:   "it has no head: each of its entries is replaced or skipped by another",
		},
		"cycle": {
			entries: []Entry{{Name: "a", Replaces: "b"}, {Name: "b", Replaces: "c"}, {Name: "c", Replaces: "b"}},
			code:    code.Cycle,
			fault:   "its entries replace each other in a circle: below its head a, c replaces b again",
		},
		"circle beside the chain": {
			entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "c"}, {Name: "c", Replaces: "b"}},
			code:    code.Cycle,
			fault:   "its entries replace each other in a circle that leads through b",
		},
		"replaces itself": {
			entries: []Entry{{Name: "a", Replaces: "a"}},
			code:    code.Cycle,
			fault:   "its entries replace each other in a circle: below its head a, a replaces a again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Channel{Entries: test.entries}
			assert.Equal(t, test.code, c.SetOrder())
			assert.Equal(t, test.fault, c.Fault)
			var order []string
			for depth, i := range c.Order {
				order = append(order, c.Entries[i].Name)
				assert.EqualValues(t, depth, c.Entries[i].Depth)
			}
			assert.Equal(t, test.order, order)
		})
	}
}
