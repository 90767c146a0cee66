package build

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
)

func TestChannelOrder(t *testing.T) {
	for name, test := range map[string]struct {
		entries []catalog.Entry
		order   []string // with virtual and skipped entries
		code    catalog.Code
		fault   string
	}{
		"no entries":              {code: catalog.CodeNoHead, fault: "it has no head: it has no entries"},
		"chain":                   {entries: []catalog.Entry{{Name: "a"}, {Name: "b", Replaces: "a"}, {Name: "c", Replaces: "b"}}, order: []string{"c", "b", "a"}},
		"versions mean nothing":   {entries: []catalog.Entry{{Name: "p.v1", Replaces: "p.v2"}, {Name: "p.v2"}}, order: []string{"p.v1", "p.v2"}},
		"replaces nothing listed": {entries: []catalog.Entry{{Name: "a", Replaces: "gone"}}, order: []string{"a"}},
		"skipped on the chain":    {entries: []catalog.Entry{{Name: "a"}, {Name: "b", Replaces: "a", Skips: []string{"a"}}}, order: []string{"b", "a"}},
		"skipped off the chain":   {entries: []catalog.Entry{{Name: "a"}, {Name: "b", Skips: []string{"a"}}}, order: []string{"b"}},
		"skips itself":            {entries: []catalog.Entry{{Name: "a", Skips: []string{"a"}}}, order: []string{"a"}},
		"two heads": {
			entries: []catalog.Entry{{Name: "a"}, {Name: "b", Replaces: "c"}, {Name: "c"}},
			code:    catalog.CodeSeveralHeads,
			fault:   "it has 2 heads, that is, entries that no other replaces or skips, so it has no single order; its chains: a, b...c",
		},
		"many heads": {
			entries: []catalog.Entry{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}},
			code:    catalog.CodeSeveralHeads,
			fault:   "it has 7 heads, that is, entries that no other replaces or skips, so it has no single order; its chains: a, b, c, d, e, and 2 more",
		},
		"no head": {
			entries: []catalog.Entry{{Name: "a", Replaces: "b"}, {Name: "b", Replaces: "a"}},
			code:    catalog.CodeNoHead,
			fault:   "it has no head: each of its entries is replaced or skipped by another",
		},
		"cycle": {
			entries: []catalog.Entry{{Name: "a", Replaces: "b"}, {Name: "b", Replaces: "c"}, {Name: "c", Replaces: "b"}},
			code:    catalog.CodeCycle,
			fault:   "its entries replace each other in a circle: below its head a, c replaces b again",
		},
		"circle beside the chain": {
			entries: []catalog.Entry{{Name: "a"}, {Name: "b", Replaces: "c"}, {Name: "c", Replaces: "b"}},
			code:    catalog.CodeCycle,
			fault:   "its entries replace each other in a circle that leads through b",
		},
		"replaces itself": {
			entries: []catalog.Entry{{Name: "a", Replaces: "a"}},
			code:    catalog.CodeCycle,
			fault:   "its entries replace each other in a circle: below its head a, a replaces a again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &catalog.Channel{Entries: test.entries}
			assert.Equal(t, test.code, setOrder(c))
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
