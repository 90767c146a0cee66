package resolver_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// What a failure says to remain after some changes is a cause with these changes applied, and
// the changes alone do not mend it.
func TestFurtherCauses(t *testing.T) {
	kinds := map[result.Result]int{}
	for path, data := range testkit.Files(t, "testdata/*s/*.txtar") {
		s, err := scenario.Parse(data)
		require.NoError(t, err)
		in, err := s.Question(t.Context())
		require.NoError(t, err)
		for _, scope := range in.Scopes {
			_, err := resolver.New().Resolve(t.Context(), in.Problem, scope)
			for _, c := range result.FurtherOf(err).Uncovered {
				var steps []result.Step
				for _, change := range c.After {
					steps = append(steps, change.Steps...)
				}
				again, applied := applied(t.Context(), in, steps)
				require.NoError(t, applied, path)
				_, remains := resolver.New().Resolve(t.Context(), again.Problem, scope)
				assert.Contains(t, result.Outcome{Err: remains}.Messages(), c.Message(), path)
				assert.NotContains(t, result.Outcome{Err: err}.Messages(), c.Message(), path)
				kinds[result.Of(err)]++
			}
		}
	}
	t.Log(kinds)
	for _, kind := range []result.Result{result.ResultUnsatisfied, result.ResultUnhealthy, result.ResultInvalidInput} {
		assert.Positive(t, kinds[kind], kind)
	}
}
