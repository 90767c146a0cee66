package constraints_test

import (
	"context"
	"testing"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
)

const compound = `{"failureMessage":"x","any":{"constraints":[` +
	`{"package":{"packageName":"foo","versionRange":">=1.0.0 <2.0.0"}},` +
	`{"all":{"constraints":[{"gvk":{"group":"g.io","version":"v1","kind":"K"}},{"cel":{"rule":"properties.exists(p, p.type == 'certified')"}}]}}]}}`

func BenchmarkParse(b *testing.B) {
	p := newParser()
	for b.Loop() {
		if _, err := p.Parse(0, constraint(compound)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseDepthBomb(b *testing.B) {
	p := newParser()
	bomb := make([]byte, 64<<10)
	for i := range bomb {
		bomb[i] = '['
	}
	for b.Loop() {
		if _, err := p.Parse(0, constraint(string(bomb))); err == nil {
			b.Fatal("parsed")
		}
	}
}

func BenchmarkMatchPackage(b *testing.B) {
	e, set := parse(b, yes), bundle(b)
	for b.Loop() {
		if v, _, _ := constraints.Match(context.Background(), e, set, rules.Facts{}); v != rules.Yes {
			b.Fatal(v)
		}
	}
}
