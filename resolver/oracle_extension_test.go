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
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOracleExtensions compares verdict and selection of random ClusterExtensions
// with those of the brute-force oracle.
func TestOracleExtensions(t *testing.T) {
	var satisfiable, ambiguous, compared atomic.Int64
	eachSeed(t, *problems, func(seed uint64) error {
		p := random.Extension(seed)
		want, err := oracle.Solve(p, oracleLimit)
		if errors.Is(err, oracle.ErrTooLarge) {
			return nil
		}
		if err != nil {
			return err
		}
		compared.Add(1)
		switch {
		case want.Ambiguous:
			ambiguous.Add(1)
		case want.Satisfiable:
			satisfiable.Add(1)
		}
		if extensionDisagreement(t.Context(), p) == "" {
			return nil
		}
		small := random.Reduce(p, func(c *oracle.Problem) bool { return extensionDisagreement(t.Context(), c) != "" })
		return fmt.Errorf("%s\n%s", extensionDisagreement(t.Context(), small), writeFinding(small, seed))
	})
	t.Logf("%d problems compared, %d satisfiable, %d ambiguous", compared.Load(), satisfiable.Load(), ambiguous.Load())
	assert.Greater(t, satisfiable.Load(), compared.Load()/5)
}

// extensionDisagreement says how the resolver's answer for the extension differs
// from the oracle's.
func extensionDisagreement(ctx context.Context, p *oracle.Problem) string {
	want, err := oracle.Solve(p, oracleLimit)
	if err != nil {
		return "" // no smaller problem of interest
	}
	in, err := asScenario(nil, p).Inputs(ctx)
	if err != nil {
		return err.Error()
	}
	got := &oracle.Answer{}
	r, err := resolver.New(in.Options).ResolveExtension(ctx, random.ExtensionName, in.Cluster, in.Catalogs)
	switch outcome := result.ResultOf(err); outcome {
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
