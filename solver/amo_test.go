package solver

import (
	"context"
	"fmt"
	"math/bits"
	"testing"

	"github.com/go-air/gini/z"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTestSAT(vars int) (*sat, []z.Lit) {
	st := new(state)
	st.begin(context.Background(), &Model{})
	s := newSAT(st, Options{}.withDefaults(), vars)
	return s, s.newLits(vars)
}

// TestAtMostAgainstEverySubset forces every subset of some literals, with the
// limit in force and not.
func TestAtMostAgainstEverySubset(t *testing.T) {
	for size := range 11 {
		for limit := range 5 {
			t.Run(fmt.Sprintf("%d of %d", limit, size), func(t *testing.T) {
				s, xs := newTestSAT(size)
				inForce := s.newLit()
				s.atMost([]z.Lit{inForce.Not()}, limit, xs)
				for subset := range uint(1) << size {
					lits := []z.Lit{inForce}
					for i, x := range xs {
						if subset&(1<<i) == 0 {
							x = x.Not()
						}
						lits = append(lits, x)
					}
					assert.Equal(t, bits.OnesCount(subset) <= limit, s.solve(lits), "subset %b", subset)
					assert.True(t, s.solve(lits[1:]), "subset %b, not in force", subset)
				}
			})
		}
	}
}

func TestAtMostOneSize(t *testing.T) {
	for _, test := range []struct{ size, clauses int }{
		{2, 1},
		{6, 15},
		{7, 20},
		{100, 260},
		{1000, 2200},
		{10000, 20700},
	} {
		s, xs := newTestSAT(test.size)
		s.atMostOne(nil, xs)
		require.NoError(t, s.err)
		// Every clause has two literals.
		assert.LessOrEqual(t, s.literals/2, test.clauses, "of %d", test.size)
	}
}
