package resolver_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleExtensions compares verdict and selection of random ClusterExtensions
// with those of the brute-force oracle.
func TestOracleExtensions(t *testing.T) {
	var (
		satisfiable, ambiguous atomic.Int64
		about                  features
	)
	compared := eachSolved(t, *problems, random.Extension, oracle.Solve, func(seed uint64, p *oracle.Problem, want *oracle.Answer) error {
		about.add(extensionFeatures(p))
		switch {
		case want.Ambiguous:
			ambiguous.Add(1)
		case want.Satisfiable:
			satisfiable.Add(1)
		}
		return agreement(seed, p, want, oracle.Solve, func(c *oracle.Problem, want *oracle.Answer) string {
			return extensionDisagreement(t.Context(), c, want)
		})
	})
	t.Logf("%d satisfiable, %d ambiguous", satisfiable.Load(), ambiguous.Load())
	about.report(t, compared)
	assert.Greater(t, satisfiable.Load(), compared/5)
}

// extensionDisagreement says how the resolver's answer for the extension differs
// from the oracle's.
func extensionDisagreement(ctx context.Context, p *oracle.Problem, want *oracle.Answer) string {
	in, err := asScenario(nil, p).Question(ctx)
	if err != nil {
		return err.Error()
	}
	in.Problem.Options.NoFixes = true
	got := &oracle.Answer{}
	r, err := resolver.New().Resolve(ctx, in.Problem, cluster.OfExtension(random.ExtensionName))
	switch outcome := result.Of(err); outcome {
	case result.Resolved:
		got = oracleAnswer(r)
	case result.ResultAmbiguous:
		got.Ambiguous = true
	case result.ResultUnsatisfied:
	default:
		return err.Error()
	}
	if want.Ambiguous || got.Ambiguous {
		if want.Ambiguous != got.Ambiguous {
			return fmt.Sprintf("ambiguous for the oracle: %t, for the resolver: %t", want.Ambiguous, got.Ambiguous)
		}
		return ""
	}
	if w, g := answerText(want), answerText(got); w != g {
		return fmt.Sprintf("the oracle wants\n%s\nthe resolver says\n%s", w, g)
	}
	return ""
}
