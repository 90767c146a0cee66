package resolver_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/random"
)

// TestOracleCauses compares the causes of failures with those that deletion leaves by
// brute force.
func TestOracleCauses(t *testing.T) {
	var failed, several, grouped, shared, installed atomic.Int64
	eachSeed(t, *problems*2, func(seed uint64) error {
		p := random.Problem(seed)
		q, err := asScenario(nil, p).Question(t.Context())
		if err != nil {
			return err
		}
		causes, accepted, err := resolver.FindCauses(t.Context(), resolver.New(), q.Problem, q.Scopes[:1])
		if err != nil || causes == nil {
			return err
		}
		checked, err := oracle.CheckCauses(p, causes, accepted, oracleLimit)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, writeFinding(p, seed))
		}
		if !checked {
			return nil
		}
		failed.Add(1)
		count := func(n *atomic.Int64, of func(c oracle.Cause) bool) {
			if slices.ContainsFunc(causes, of) {
				n.Add(1)
			}
		}
		if len(causes) > 1 {
			several.Add(1)
		}
		count(&grouped, func(c oracle.Cause) bool { return c.Group > 1 })
		count(&shared, func(c oracle.Cause) bool { return len(c.Requests) > 1 })
		count(&installed, func(c oracle.Cause) bool { return len(c.Requests) == 0 })
		return nil
	})
	t.Logf("%d failures, %d with several causes, %d with several groups, %d with a shared cause, %d where what is installed contradicts itself",
		failed.Load(), several.Load(), grouped.Load(), shared.Load(), installed.Load())
	for _, n := range []*atomic.Int64{&several, &grouped, &shared, &installed} {
		assert.Positive(t, n.Load())
	}
}
