package rules_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// doubling returns a rule whose macros bind, level by level, a value built from
// two copies of the one before, and that ends in a test of the last. In element
// and test, X stands for the variable.
func doubling(seed, element, test string, levels int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s].exists(x0, ", seed)
	for i := range levels {
		fmt.Fprintf(&b, "[%s].exists(x%d, ", strings.ReplaceAll(element, "X", fmt.Sprintf("x%d", i)), i+1)
	}
	b.WriteString(strings.ReplaceAll(test, "X", fmt.Sprintf("x%d", levels)))
	b.WriteString(strings.Repeat(")", levels+1))
	return b.String()
}

func TestRulesThatUnfoldAreRefused(t *testing.T) {
	for _, source := range []string{
		doubling(`dyn("aaaaaaaa")`, "X + X", `X == ""`, 40),
		doubling("[1]", "X + X", "X == X", 40),
		doubling("[1]", "[X, X]", "X == X", 40),
		doubling("1", "{X: X}", "X == X", 40),
		doubling("1", "[X, X].map(y, [X, y])", "X == X", 40),
	} {
		took := testkit.Took(func() {
			_, err := newReader().Rule(source)
			require.ErrorContains(t, err, "unfold to more than the 10000 nodes", source)
		})
		assert.Less(t, took, 5*time.Second) // a fiftieth, but with the race detector
	}
}

// The same rules are held back while they run, too: values from properties can
// be as large as what a rule builds.
func TestLargeValues(t *testing.T) {
	p := rules.NewReader(rules.Limits{RuleNodes: math.MaxInt})
	for _, test := range []struct{ name, source, message string }{
		{"text", doubling(`dyn("aaaaaaaa")`, "X + X", `X == ""`, 40), "costs more"},
		{"list", doubling("dyn([1])", "X + X", "X == X", 40), "costs more"},
		{"nested list", doubling("dyn([1])", "[dyn(X), dyn(X)]", "X == X", 40), "too large to be compared"},
		{"nested list, unequal", doubling("dyn([1])", "[dyn(X), dyn(X)]", "X != X", 40), "too large to be compared"},
		{"nested list, in", doubling("dyn([1])", "[dyn(X), dyn(X)]", "X in [X]", 40), "too large to be compared"},
		{"map", doubling("dyn(1)", `{"a": dyn(X), "b": dyn(X)}`, "X == X", 40), "too large to be compared"},
		{"index", doubling("dyn([1])", "[dyn(X), dyn(X)]", `{"a": 1}[dyn(X)] == 1`, 40), "invalid qualifier type"},
		{"index of a list", doubling("dyn([1])", "[dyn(X), dyn(X)]", `[1][dyn(X)] == 1`, 40), "invalid qualifier type"},
		{"map key", doubling("dyn([1])", "[dyn(X), dyn(X)]", `{dyn(X): 1}[dyn(X)] == 1`, 40), ""},
		{"order", doubling("dyn([1])", "[dyn(X), dyn(X)]", `dyn(X) < dyn(X)`, 40), "no such overload"},
		{"conversion", doubling("dyn([1])", "[dyn(X), dyn(X)]", `string(dyn(X)) == ""`, 40), "no such overload"},
	} {
		t.Run(test.name, func(t *testing.T) {
			compiled, err := p.Rule(test.source)
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			took := testkit.Took(func() {
				verdict, err := compiled.Eval(context.Background(), nil, rules.Facts{})
				require.ErrorContains(t, err, test.message)
				assert.Equal(t, rules.Failed, verdict)
			})
			runtime.ReadMemStats(&after)
			assert.Less(t, took, time.Second)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
		})
	}
}

func TestRulesThatAreHardToRead(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000),
		strings.Repeat("!", 10_000) + "true",
		strings.Repeat("1+", 5000) + "1==1",
		strings.Repeat("true?", 1000) + "true" + strings.Repeat(":true", 1000),
		strings.Repeat("[", 10_000),
		strings.Repeat("a.b(", 2500),
		strings.Repeat("'", 10_000),
		strings.Repeat("properties.exists(p,p.type=='a')||", 290) + "true",
		"'a'.matches('" + strings.Repeat("a{1000}", 500) + "')",
		"\x00\xff",
	} {
		took := testkit.Took(func() {
			if _, err := newReader().Rule(source); err != nil {
				assert.Less(t, len(err.Error()), 2000)
			}
		})
		assert.Less(t, took, time.Second)
	}
}
