package scenario_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestCancelScenarios reads, replays and records all scenarios of testdata one
// after the other, and cancels that at random moments.
func TestCancelScenarios(t *testing.T) {
	var list []*scenario.Scenario
	i := 0
	for _, text := range testkit.Files(t, "testdata/scenarios/*.txtar") {
		if i++; !testkit.Today(i, 4) {
			continue
		}
		s, err := scenario.Parse(text)
		require.NoError(t, err)
		list = append(list, s)
	}
	calls := map[string]func(ctx context.Context, s *scenario.Scenario) error{
		"Inputs": func(ctx context.Context, s *scenario.Scenario) error {
			_, err := s.Question(ctx)
			return err
		},
		"Run": func(ctx context.Context, s *scenario.Scenario) error {
			_, err := s.Run(ctx)
			return err
		},
		"Record": func(ctx context.Context, s *scenario.Scenario) error {
			in, err := s.Question(ctx)
			if err != nil {
				return err
			}
			_, err = in.Record(ctx)
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			testkit.CancelAtRandom(t, func(ctx context.Context) error {
				for _, s := range list {
					err := call(ctx, s)
					if ctx.Err() != nil && err != nil {
						assert.ErrorIs(t, err, context.Canceled)
						return err
					}
					if err != nil {
						assert.EqualError(t, err, "the recorded scenario has another outcome than the problem", s.Comment)
					}
				}
				return ctx.Err()
			})
		})
	}
}
