package rules_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
)

func BenchmarkCompileRule(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		p := newReader()
		if _, err := p.Rule("true"); err != nil { // which prepares CEL
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := p.Rule(`properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "1.0.0") >= 0)`); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstRule is mostly preparing CEL.
func BenchmarkFirstRule(b *testing.B) {
	for b.Loop() {
		if _, err := newReader().Rule("true"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRuleEval(b *testing.B) {
	r := rule(b, `properties.exists(p, p.type == "olm.package" && semver_compare(p.value.version, "1.0.0") >= 0)`)
	for b.Loop() {
		if _, err := r.Eval(context.Background(), ruleProperties, rules.Facts{}); err != nil {
			b.Fatal(err)
		}
	}
}

// How long a rule runs until the default cost limit stops it.
func BenchmarkRuleCostLimit(b *testing.B) {
	values := make([]any, 1000)
	for i := range values {
		values[i] = map[string]any{"type": "a", "value": "b"}
	}
	for _, bench := range []struct{ name, source string }{
		{"compare", `properties.all(a, properties.all(b, properties.all(c, a.type == c.type)))`},
		{"deep compare", `properties.all(a, properties.all(b, properties == properties))`},
		{"regex", `properties.all(a, properties.all(b, !(a.type + "x").matches("^(a|b){1,40}" + b.value)))`},
		{"range", `properties.all(a, properties.all(b, semver_in_range("1.0.0", ">=1.0.0 <2.0.0 || >=3.0.0")))`},
		{"concatenate", `properties.all(a, properties.all(b, a.type + b.value != "x"))`},
		{"map", `properties.all(a, properties.map(b, [b, a]).size() > 0)`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := rule(b, bench.source)
			for b.Loop() {
				_, err := r.Eval(context.Background(), values, rules.Facts{})
				require.ErrorContains(b, err, "costs more")
			}
		})
	}
}
