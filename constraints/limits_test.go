package constraints_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
)

func TestLimitsAreOptions(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits constraints.Limits
		value  string
	}{
		{"size", constraints.Limits{Size: 40}, yes},
		{"depth", constraints.Limits{Depth: 1}, allOf(yes)},
		{"range", constraints.Limits{RangeLength: 5}, yes},
		{"rule length", constraints.Limits{RuleLength: 10}, ruled},
		{"rule recursion", constraints.Limits{RuleRecursion: 5}, `{"cel":{"rule":"((((((true))))))"}}`},
		{"rule nodes", constraints.Limits{RuleNodes: 5}, ruled},
		{"regular expressions", constraints.Limits{RegexSize: 5}, `{"cel":{"rule":"'a'.matches('abcdefgh')"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			parse(t, test.value) // within the defaults
			p, err := constraints.NewParser(test.limits)
			require.NoError(t, err)
			_, err = p.Parse(0, constraint(test.value))
			assert.Error(t, err)
		})
	}

	p, err := constraints.NewParser(constraints.Limits{RuleCost: 3})
	require.NoError(t, err)
	r, err := p.Rule(`properties.exists(p, p.type == "none")`)
	require.NoError(t, err)
	verdict, err := r.Eval(context.Background(), ruleProperties, constraints.Facts{})
	require.ErrorContains(t, err, "costs more")
	assert.Equal(t, constraints.Failed, verdict)
}
