package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
)

func TestDependencyTree(t *testing.T) {
	asked := resolver.Served{Subscription: "wish"}
	needs := func(by, what string) resolver.Served { return resolver.Served{Bundle: by, Constraint: what} }
	install := func(name string, served ...resolver.Served) resolver.Install {
		return resolver.Install{Bundle: name, For: served}
	}
	tests := []struct {
		name string
		r    resolver.Resolution
		want string
	}{
		{"nothing needs anything", resolver.Resolution{Installs: []resolver.Install{install("a", asked)}}, ""},
		{"a kept root",
			resolver.Resolution{
				Installs: []resolver.Install{install("b", needs("a", "a b"))},
				Kept:     []resolver.Kept{{Bundle: "a"}},
			}, `
  a
  └─ b: a b
`},
		{"shared",
			resolver.Resolution{Installs: []resolver.Install{
				install("a", asked),
				install("b", needs("a", "a b")),
				install("c", needs("a", "a c"), needs("b", "the c")),
				install("d", needs("c", "a d")),
			}}, `
  a
  ├─ b: a b
  │  └─ c: the c
  │     └─ d: a d
  └─ c: a c (see above)
`},
		{"in a circle",
			resolver.Resolution{Installs: []resolver.Install{
				install("a", asked, needs("b", "the a")),
				install("b", needs("a", "a b")),
			}}, `
  a
  └─ b: a b
     └─ a: the a (see above)
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := dependencyTree(&tt.r)
			if got != "" {
				got = "\n" + got
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
