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
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestReplay records random problems and resolves them again from the text.
// Record itself compares the outcomes.
func TestReplay(t *testing.T) {
	eachSeed(t, *problems/6, func(seed uint64) error {
		return replayed(t.Context(), asScenario(nil, random.Problem(seed)))
	})
}

// TestReplayScenarios does so with the scenarios of testdata.
func TestReplayScenarios(t *testing.T) {
	for _, folder := range []string{"scenarios", "explanations"} {
		for path, data := range testkit.Files(t, "testdata", folder, "*.txtar") {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				s, err := scenario.Parse(data)
				require.NoError(t, err)
				s.Options.Paths, s.Options.Faults = nil, false // they are no part of a record
				require.NoError(t, replayed(t.Context(), s))
			})
		}
	}
}

// TestReplayJointly does so with namespaces that are one problem, and with such
// that obey each other in turn.
func TestReplayJointly(t *testing.T) {
	eachSeed(t, *problems/12, func(seed uint64) error {
		s := asScenario(nil, random.Joint(seed)...)
		if err := replayed(t.Context(), s); err != nil {
			return err
		}
		s.Options.Jointly, s.Options.SingleOwner, s.Options.NoFixes = false, true, true
		return replayed(t.Context(), s)
	})
}

// replayed compares a scenario with its record.
func replayed(ctx context.Context, s *scenario.Scenario) error {
	in, err := s.Question(ctx)
	if err != nil {
		return err
	}
	recorded, err := scenario.Record(ctx, in)
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
	s.Options.Texts = true
	want, err := s.Run(ctx)
	if err == nil && got != want {
		return fmt.Errorf("want\n%sgot\n%s", want, got)
	}
	return err
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
			recorded, err := scenario.Record(t.Context(), in)
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
			recorded, err := scenario.Record(t.Context(), in)
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
