package policies

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/policy"
)

// Rules are judged while some of the cost that all of them may have is left.
func TestCostOfAllRules(t *testing.T) {
	p, err := policy.Parse([]byte("apiVersion: resolvent/v1\nkind: Policy\nmetadata: {name: p}\ncandidates:\n- {name: r, deny: bundle.name == \"x\"}\n"))
	require.NoError(t, err)
	list := make([]update, 10)
	for i := range list {
		list[i].to = &policy.Bundle{}
	}
	var counts RuleCounts
	left := int64(maxCost)
	require.NoError(t, counts.count(t.Context(), p.Candidates[0], list, "2026-01-31", &left))
	cost := maxCost - left
	assert.Positive(t, cost)
	left = 2*cost - 1
	require.NoError(t, counts.count(t.Context(), p.Candidates[0], list, "2026-01-31", &left))
	assert.ErrorContains(t, counts.count(t.Context(), p.Candidates[0], list, "2026-01-31", &left), "policy p: its rules")
}
