package cache

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/testkit"
)

func TestChannelOrder(t *testing.T) {
	for name, test := range map[string]struct {
		entries []Entry
		order   []string // with virtual and skipped entries
		code    Code
		fault   string
	}{
		"no entries":              {code: CodeNoHead, fault: "it has no head: it has no entries"},
		"chain":                   {entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "a"}, {Name: "c", Replaces: "b"}}, order: []string{"c", "b", "a"}},
		"versions mean nothing":   {entries: []Entry{{Name: "p.v1", Replaces: "p.v2"}, {Name: "p.v2"}}, order: []string{"p.v1", "p.v2"}},
		"replaces nothing listed": {entries: []Entry{{Name: "a", Replaces: "gone"}}, order: []string{"a"}},
		"skipped on the chain":    {entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "a", Skips: []string{"a"}}}, order: []string{"b", "a"}},
		"skipped off the chain":   {entries: []Entry{{Name: "a"}, {Name: "b", Skips: []string{"a"}}}, order: []string{"b"}},
		"skips itself":            {entries: []Entry{{Name: "a", Skips: []string{"a"}}}, order: []string{"a"}},
		"two heads": {
			entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "c"}, {Name: "c"}},
			code:    CodeSeveralHeads,
			fault:   "it has 2 heads, that is, entries that no other replaces or skips, so it has no single order; its chains: a, b...c",
		},
		"many heads": {
			entries: []Entry{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}, {Name: "f"}, {Name: "g"}},
			code:    CodeSeveralHeads,
			fault:   "it has 7 heads, that is, entries that no other replaces or skips, so it has no single order; its chains: a, b, c, d, e, and 2 more",
		},
		"no head": {
			entries: []Entry{{Name: "a", Replaces: "b"}, {Name: "b", Replaces: "a"}},
			code:    CodeNoHead,
			fault:   "it has no head: each of its entries is replaced or skipped by another",
		},
		"cycle": {
			entries: []Entry{{Name: "a", Replaces: "b"}, {Name: "b", Replaces: "c"}, {Name: "c", Replaces: "b"}},
			code:    CodeCycle,
			fault:   "its entries replace each other in a circle: below its head a, c replaces b again",
		},
		"circle beside the chain": {
			entries: []Entry{{Name: "a"}, {Name: "b", Replaces: "c"}, {Name: "c", Replaces: "b"}},
			code:    CodeCycle,
			fault:   "its entries replace each other in a circle that leads through b",
		},
		"replaces itself": {
			entries: []Entry{{Name: "a", Replaces: "a"}},
			code:    CodeCycle,
			fault:   "its entries replace each other in a circle: below its head a, a replaces a again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Channel{Entries: test.entries}
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

// TestChannelOrderConformance compares with what OLM makes of channels.
func TestChannelOrderConformance(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Shared(t, "conformance", "sort-channel"), "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var test struct {
				Channel struct{ Entries []struct{ Name string } }
				Expect  struct {
					Order []string
					Error *struct{ Kind string }
				}
			}
			require.NoError(t, yaml.Unmarshal(text, &test))
			var document struct{ Channel yaml.Node }
			require.NoError(t, yaml.Unmarshal(text, &document))
			catalog, err := yaml.Marshal(&document.Channel)
			require.NoError(t, err)
			for _, e := range test.Channel.Entries {
				catalog = append(catalog, "\n---\n{schema: olm.bundle, package: package, name: "+e.Name+
					", properties: [{type: olm.package, value: {packageName: package, version: 1.0.0}}]}"...)
			}

			s, err := Parse(t.Context(), catalog, Options{})
			require.NoError(t, err)
			c := s.Package("package").Channel("channel")
			if test.Expect.Error != nil {
				assert.NotEmpty(t, c.Fault)
				assert.Zero(t, s.Candidates())
				return
			}
			assert.Equal(t, len(test.Expect.Order) == 0, c.Fault != "", "only an empty channel has no order")
			candidates := make([]ID, s.Candidates())
			for i := range candidates {
				candidates[i] = ID(i)
			}
			assert.Equal(t, test.Expect.Order, names(s, candidates))
		})
	}
}
