package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestReplayScenarios records the scenarios of testdata and resolves them again from the text.
func TestReplayScenarios(t *testing.T) {
	i := 0
	for _, folder := range []string{"scenarios", "explanations"} {
		for path, data := range testkit.Files(t, "testdata", folder, "*.txtar") {
			if i++; !testkit.Today(i, 3) {
				continue
			}
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				s, err := scenario.Parse(data)
				require.NoError(t, err)
				s.Options.Paths, s.Options.Faults = nil, false // they are no part of a record
				want, err := told(t.Context(), s)
				require.NoError(t, err)
				require.NoError(t, replayed(t.Context(), s, want))
			})
		}
	}
}

// TestReplayInTurn does so with namespaces that obey each other in turn.
func TestReplayInTurn(t *testing.T) {
	eachSeed(t, *problems/12, func(seed uint64) error {
		s := asScenario(nil, random.Joint(seed)...)
		s.Options.Jointly, s.Options.SingleOwner, s.Options.NoFixes = false, true, true
		want, err := told(t.Context(), s)
		if err != nil {
			return err
		}
		return replayed(t.Context(), s, want)
	})
}

// told is what a scenario has as its answer, with all texts.
func told(ctx context.Context, s *scenario.Scenario) (string, error) {
	s.Options.Texts = true
	return s.Run(ctx)
}

// replayed records a scenario, and resolves it again from the text: what is told is the
// same. Its identity is that of the record, and of the same scenario in other forms.
func replayed(ctx context.Context, s *scenario.Scenario, want string, same ...*scenario.Scenario) error {
	in, err := s.Question(ctx)
	if err != nil {
		return err
	}
	recorded, err := in.Record(ctx)
	if err != nil {
		return err
	}
	text, err := recorded.Format()
	if err != nil {
		return err
	}
	again, err := scenario.Parse(text)
	if err != nil {
		return err
	}
	got, err := again.Run(ctx)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("want\n%sgot\n%s", want, got)
	}
	identity, err := in.Identify(ctx)
	if err != nil {
		return err
	}
	for i, s := range append(same, recorded) {
		other, err := s.Question(ctx)
		if err != nil {
			return err
		}
		if got, err := other.Identify(ctx); err != nil || !assert.ObjectsAreEqual(identity, got) {
			return fmt.Errorf("the identity of form %d is\n%+v, not\n%+v, %w", i, got, identity, err)
		}
	}
	return nil
}

// TestRecordOptions: what changes the outcome is recorded.
func TestRecordOptions(t *testing.T) {
	in := inputsOf(t, "explanations/two-failures")
	for name, o := range map[string]policy.Options{
		"no fixes":   {NoFixes: true},
		"candidates": {MaxCandidates: 1},
		"literals":   {MaxLiterals: 1},
	} {
		t.Run(name, func(t *testing.T) {
			in.Problem.Options = o
			recorded, err := in.Record(t.Context())
			require.NoError(t, err)
			_, err = resolver.New().Resolve(t.Context(), in.Problem, in.Scopes[0])
			again, err2 := recorded.Question(t.Context())
			require.NoError(t, err2)
			_, err2 = resolver.New().Resolve(t.Context(), again.Problem, in.Scopes[0])
			assert.EqualError(t, err2, err.Error())
			if failure, ok := errors.AsType[*result.NotSatisfiable](err2); ok {
				assert.Equal(t, o.NoFixes, len(failure.Fixes) == 0)
			}
		})
	}
}

// TestReplayReal records real problems, which come to a part of the catalog.
func TestReplayReal(t *testing.T) {
	for _, name := range []string{"one-simple", "one-deps", "ten-mixed", "upgrade-ten", "unsat-missing", "unsat-package"} {
		t.Run(name, func(t *testing.T) {
			in := &scenario.Question{
				Problem: resolver.Problem{Cluster: realCluster(t, name), Catalogs: realView(t)},
				Scopes:  []cluster.Scope{cluster.InNamespace("operators")},
			}
			recorded, err := in.Record(t.Context())
			require.NoError(t, err)
			text, err := recorded.Format()
			require.NoError(t, err)
			t.Logf("%d KiB", len(text)>>10)
			assert.Less(t, len(text), 16<<20, "only what is reached")
			again, err := scenario.Parse(text)
			require.NoError(t, err)
			got, err := again.Run(t.Context())
			require.NoError(t, err)
			assert.Equal(t, recorded.Want, got)
			twice, err := again.Format()
			require.NoError(t, err)
			assert.Equal(t, string(text), string(twice))
		})
	}
}
