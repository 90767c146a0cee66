package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
)

// TestOraclePartly compares what proceeds, and what is left out for it, with the
// brute-force oracle: in one namespace, and in two as one problem.
func TestOraclePartly(t *testing.T) {
	aloneAndJointly(t, func(t *testing.T, generate func(seed uint64) oracle.Joint) {
		var parted, several atomic.Int64
		compared := eachSolved(t, *problems/3, generate, oracle.SolvePartly, func(_ uint64, j oracle.Joint, want []*oracle.Answer) error {
			left := 0
			for _, a := range want {
				left += len(a.LeftOut)
			}
			if left > 0 {
				parted.Add(1)
			}
			if left > 1 {
				several.Add(1)
			}
			if text := partialDisagreement(t.Context(), j, want); text != "" {
				return fmt.Errorf("%s\n%s", text, jointText(j))
			}
			return nil
		})
		t.Logf("%d problems compared, %d with requests left out, %d with several", compared, parted.Load(), several.Load())
		assert.Greater(t, parted.Load(), compared/10)
		assert.Positive(t, several.Load())
	})
}

func partialDisagreement(ctx context.Context, j oracle.Joint, want []*oracle.Answer) string {
	s := asScenario(nil, j...)
	s.Options.Partial, s.Options.NoFixes = true, true
	in, err := s.Question(ctx)
	if err != nil {
		return err.Error()
	}
	resolutions, err := answersOf(ctx, in)
	unsatisfied, failed := errors.AsType[*result.NotSatisfiable](err)
	switch {
	case err != nil && !failed:
		return err.Error()
	case failed && want[0].Satisfiable:
		return "leaving out helps, but the resolver says\n" + text.All(unsatisfied)
	case failed:
		return ""
	}
	for i, w := range want {
		got := oracleAnswer(resolutions[i])
		for _, l := range resolutions[i].LeftOut {
			got.LeftOut = append(got.LeftOut, l.Request.Name)
			if why, ok := errors.AsType[*result.NotSatisfiable](l.Err); !ok || len(why.Constraints) == 0 {
				return fmt.Sprintf("%s is left out without a reason: %v", l.Request.Name, l.Err)
			}
		}
		if w, g := answerText(w), answerText(got); w != g {
			return fmt.Sprintf("in %s the oracle wants\n%s\nthe resolver says\n%s", j[i].Namespace, w, g)
		}
		if !slices.Equal(w.LeftOut, got.LeftOut) {
			return fmt.Sprintf("in %s the oracle leaves out %v, the resolver %v", j[i].Namespace, w.LeftOut, got.LeftOut)
		}
	}
	return ""
}

// answersOf resolves one scope, or several namespaces jointly.
func answersOf(ctx context.Context, in *scenario.Question) (list []*result.Resolution, err error) {
	scopes := in.Scopes
	if !in.Problem.Options.Jointly {
		scopes = scopes[:1]
	}
	for _, o := range resolver.New().ResolveAll(ctx, in.Problem, scopes) {
		list, err = append(list, o.Resolution), o.Err
	}
	return list, err
}
