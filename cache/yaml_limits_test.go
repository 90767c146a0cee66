package cache_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
)

// TestYAMLLimits reads documents at the boundary of a limit and beyond it.
func TestYAMLLimits(t *testing.T) {
	// An element takes two bytes of text, and counts as four each time that an
	// alias leads to it: a node and three bytes.
	aliased := func(n, aliases int) string {
		return fmt.Sprintf("schema: olm.bundle\npackage: p\nname: b\nimage: i\na: &a [%s]\nproperties:\n- {type: olm.package, value: {packageName: p, version: 1.0.0}}\n- {type: t, value: [%s]}\n",
			strings.TrimSuffix(strings.Repeat("x,", n), ","), strings.TrimSuffix(strings.Repeat("*a,", aliases), ","))
	}
	listed := func(n int) string { return "schema: x\na: [" + strings.Repeat("x,", n) + "x]" }
	directives := func(n int) string {
		text := "#\n"
		for i := range n {
			text += fmt.Sprintf("%%TAG !a%d! x\n", i)
		}
		return text + "---\nschema: x\n"
	}
	for _, test := range []struct {
		name     string
		limits   catalog.Limits
		fine     string
		beyond   string
		message  string
		contents int // bundles of the fine one
	}{
		{"expansion", catalog.Limits{Expansion: 24}, aliased(2000, 10), aliased(2000, 20), "too large when its aliases are followed", 1},
		{"small expansion", catalog.Limits{Expansion: 1}, aliased(400, 10), aliased(420, 10), "too large when its aliases are followed", 1},
		{"nodes", catalog.Limits{Nodes: 105}, listed(100), listed(101), "more than the 105 nodes allowed", 0},
		{"directives", catalog.Limits{}, directives(1000), directives(1001), "more than the 1000 directives allowed", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := cache.Parse(t.Context(), []byte(test.fine), cache.Options{Limits: test.limits})
			require.NoError(t, err)
			assert.Equal(t, test.contents, s.Len())
			for _, f := range s.Faults() {
				assert.NotEqualValues(t, code.Limit, f.Code, f.Message)
			}
			s, err = cache.Parse(t.Context(), []byte(test.beyond), cache.Options{Limits: test.limits})
			require.NoError(t, err)
			assert.Zero(t, s.Len())
			limited := slices.IndexFunc(s.Faults(), func(f catalog.Fault) bool { return f.Code == code.Limit })
			require.GreaterOrEqual(t, limited, 0)
			assert.Contains(t, s.Faults()[limited].Message, test.message)
		})
	}
}

func TestIgnoreFileLimits(t *testing.T) {
	load := func(ignore string) error {
		_, err := cache.LoadFS(t.Context(), fstest.MapFS{".indexignore": {Data: []byte(ignore)}, "p.json": {Data: []byte(`{"schema":"olm.package","name":"p","defaultChannel":"c"}`)}}, cache.Options{})
		return err
	}
	assert.NoError(t, load(strings.Repeat("a\n", 2000)))
	assert.ErrorContains(t, load(strings.Repeat("a\n", 2001)), ".indexignore: it has more than the 2000 lines allowed")
	assert.NoError(t, load(strings.Repeat("a", 4096)))
	assert.ErrorContains(t, load(strings.Repeat("a", 4097)), "a line is 4097 bytes long")
}
