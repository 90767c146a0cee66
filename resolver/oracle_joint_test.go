package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleJointly compares the answers for two namespaces as one problem with
// those of the brute-force oracle.
func TestOracleJointly(t *testing.T) {
	var (
		satisfiable, helped atomic.Int64
		about               features
	)
	compared := eachSolved(t, *problems, random.Joint, oracle.SolveJoint, func(_ uint64, j oracle.Joint, want []*oracle.Answer) error {
		about.add(jointFeatures(j))
		if want[0].Satisfiable {
			satisfiable.Add(1)
			if alone := aloneSatisfiable(j); !alone {
				helped.Add(1)
			}
		}
		if text := jointDisagreement(t.Context(), j, want); text != "" {
			return fmt.Errorf("%s\n%s", text, jointText(j))
		}
		return nil
	})
	t.Logf("%d satisfiable, %d of these only jointly", satisfiable.Load(), helped.Load())
	about.report(t, compared)
	if compared >= 50 { // of fewer, a share says nothing
		assert.Greater(t, satisfiable.Load(), compared/10)
	}
	if compared > 2000 {
		assert.Positive(t, helped.Load(), "one in some hundred problems can only be solved jointly")
	}
}

// aloneSatisfiable reports whether each namespace has an answer by itself.
func aloneSatisfiable(j oracle.Joint) bool {
	for _, p := range j {
		if a, err := oracle.Solve(p, oracleLimit); err != nil || !a.Satisfiable {
			return false
		}
	}
	return true
}

func jointDisagreement(ctx context.Context, j oracle.Joint, want []*oracle.Answer) string {
	in, err := asScenario(nil, j...).Question(ctx)
	if err != nil {
		return err.Error()
	}
	in.Problem.Options.NoFixes = true
	resolutions, err := answersOf(ctx, in)
	unsatisfied, failed := errors.AsType[*result.NotSatisfiable](err)
	switch {
	case failed && len(unsatisfied.Constraints) == 0:
		return "a failure without a reason"
	case err != nil && !failed:
		return err.Error()
	}
	for i, w := range want {
		got := &oracle.Answer{}
		if !failed {
			got = oracleAnswer(resolutions[i])
		}
		if w, g := answerText(w), answerText(got); w != g {
			return fmt.Sprintf("in %s the oracle wants\n%s\nthe resolver says\n%s", j[i].Namespace, w, g)
		}
	}
	return ""
}

func jointText(j oracle.Joint) string {
	text, err := asScenario(nil, j...).Format()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestOracleInTurn compares the answers for two namespaces, one after another, with those of the
// oracle.
func TestOracleInTurn(t *testing.T) {
	var gave atomic.Int64
	compared := eachSolved(t, *problems, random.Joint, oracle.SolveInTurn, func(_ uint64, j oracle.Joint, want []*oracle.Answer) error {
		s := asScenario(nil, j...)
		s.Options.Jointly = false
		in, err := s.Question(t.Context())
		if err != nil {
			return err
		}
		in.Problem.Options.NoFixes = true
		r := resolver.New()
		for i, o := range r.ResolveAll(t.Context(), in.Problem, in.Scopes) {
			got := &oracle.Answer{}
			if o.Err == nil {
				got = oracleAnswer(o.Resolution)
			} else if result.Of(o.Err) != result.ResultUnsatisfied {
				return o.Err
			}
			if w, g := answerText(want[i]), answerText(got); w != g {
				return fmt.Errorf("in %s the oracle wants\n%s\nthe resolver says\n%s\n%s", j[i].Namespace, w, g, jointText(j))
			}
			alone, err := r.Resolve(t.Context(), in.Problem, o.Scope)
			if (err == nil) != (o.Err == nil) || err == nil && answerText(oracleAnswer(alone)) != answerText(got) {
				return fmt.Errorf("%s by itself: %v\n%s", o.Scope, err, jointText(j))
			}
			if by, err := oracle.Solve(j[i], oracleLimit); err == nil && by.Satisfiable && !want[i].Satisfiable {
				gave.Add(1)
			}
		}
		return nil
	})
	t.Logf("%d problems, %d namespaces fail for an earlier one, or for what another has installed", compared, gave.Load())
	assert.Positive(t, gave.Load())
}
