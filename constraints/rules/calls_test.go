package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
)

// Checking the types of a rule takes time in proportion to the square of its
// comparisons.
func TestRuleCalls(t *testing.T) {
	p := newReader()
	compared := func(n int) string { return strings.TrimSuffix(strings.Repeat("!(1==1)||", n), "||") }
	_, err := p.Rule(compared(300))
	require.NoError(t, err)
	_, err = p.Rule(compared(301))
	assert.EqualError(t, err, "the rule is too large: it holds 301 calls and comparisons, more than the 300 allowed")

	strict := rules.NewReader(rules.Limits{RuleCalls: 2})
	_, err = strict.Rule(compared(2))
	require.NoError(t, err)
	_, err = strict.Rule(compared(3))
	assert.ErrorContains(t, err, "more than the 2 allowed")
}
