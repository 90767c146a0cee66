package outcomes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestDependencyTree(t *testing.T) {
	asked := result.Obligation{Request: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "wish"}}
	needs := func(by, what string) result.Obligation { return result.Obligation{Bundle: by, Constraint: what} }
	install := func(name string, served ...result.Obligation) result.Install {
		return result.Install{Bundle: catalog.BundleKey{Name: name}, For: served}
	}
	tests := []struct {
		name string
		r    result.Resolution
		want string
	}{
		{"nothing needs anything", result.Resolution{Installs: []result.Install{install("a", asked)}}, ""},
		{"a kept root",
			result.Resolution{
				Installs: []result.Install{install("b", needs("a", "a b"))},
				Kept:     []result.Kept{{Bundle: catalog.BundleKey{Name: "a"}}},
			}, `
  a
  └─ b: a b
`},
		{"shared",
			result.Resolution{Installs: []result.Install{
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
			result.Resolution{Installs: []result.Install{
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
