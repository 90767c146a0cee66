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
	"github.com/resolvent/resolvent/resolver/internal/random"
	"github.com/resolvent/resolvent/resolver/result"
)

// TestOraclePaths compares paths with all the shortest ones that the brute-force
// oracle finds.
func TestOraclePaths(t *testing.T) {
	var lengths [6]atomic.Int64
	paths := func(r *random.Route, limit int) ([][]string, error) {
		return oracle.Paths(r.Problem, r.Subscription, r.To, limit)
	}
	compared := eachSolved(t, *problems/3, random.Path, paths, func(seed uint64, r *random.Route, want [][]string) error {
		if len(want) > 0 {
			lengths[min(len(want[0]), len(lengths)-1)].Add(1)
		}
		text := pathDisagreement(t.Context(), r, want)
		if text == "" {
			return nil
		}
		small := random.Reduce(r.Problem, func(c *oracle.Problem) bool {
			reduced := &random.Route{Problem: c, Subscription: r.Subscription, Package: r.Package, To: r.To}
			want, err := paths(reduced, oracleLimit)
			if err != nil {
				return false
			}
			difference := pathDisagreement(t.Context(), reduced, want)
			if difference != "" {
				text = difference
			}
			return difference != ""
		})
		return fmt.Errorf("%s to %s: %s\n%s", r.Package, r.To, text, writeFinding(small, seed))
	})
	t.Logf("%d problems compared; by number of steps: %v", compared, &lengths)
	assert.Positive(t, lengths[2].Load())
}

// pathDisagreement says how the resolver's path differs from the wanted ones.
func pathDisagreement(ctx context.Context, r *random.Route, want [][]string) string {
	in, err := asScenario(nil, r.Problem).Inputs(ctx)
	if err != nil {
		return err.Error()
	}
	path, err := resolver.New(in.Options).Path(ctx, in.Namespaces[0], r.Package, r.To, in.Cluster, in.Catalogs)
	_, none := errors.AsType[*result.NoPath](err)
	_, unsatisfied := errors.AsType[*result.NotSatisfiable](err)
	_, unknown := errors.AsType[*result.InvalidInput](err)
	switch {
	case err != nil && !none && !unsatisfied && !unknown:
		return err.Error()
	case err != nil && len(want) > 0:
		return fmt.Sprintf("the oracle wants %v\nthe resolver says %v", want, err)
	case err == nil && !slices.ContainsFunc(want, func(w []string) bool { return slices.Equal(w, bundlesOf(path)) }):
		return fmt.Sprintf("the oracle wants %v\nthe resolver says %v", want, bundlesOf(path))
	}
	return ""
}
