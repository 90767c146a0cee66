package migrations

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// The legend has every check, in the order of the checks, and says which can be acknowledged.
func TestLegend(t *testing.T) {
	known := cluster.NewIndex(cluster.Objects{Subscriptions: []cluster.Subscription{{Namespace: "n", Name: "s", Package: "p"}}})
	plan, err := migrate.Judge(t.Context(), resolver.New(), resolver.Problem{Cluster: known, Catalogs: cache.NewView(nil)})
	require.NoError(t, err)
	require.Len(t, plan.Rows, 1)
	require.Len(t, plan.Rows[0].Checks, len(checks))
	for i, c := range plan.Rows[0].Checks {
		assert.Equal(t, c.ID, checks[i].Word)
		assert.Equal(t, c.Hard, strings.HasSuffix(meaning(c.ID), hard), c.ID)
		assert.Equal(t, !c.Hard, strings.HasSuffix(meaning(c.ID), soft), c.ID)
	}
	assert.Empty(t, meaning("X1"))
	var judged []string
	for _, n := range needs {
		judged = append(judged, n.checks...)
	}
	for _, id := range idsOf(plan.Rows[0].Checks, migrate.NotJudged) {
		assert.Contains(t, judged, id)
	}
	for i, s := range states {
		assert.EqualValues(t, s, stateTerms[i].Word)
	}
}
