package cnf

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
)

// endless work has no limit.
type endless struct{ t *testing.T }

func (endless) Proceed(int) bool              { return true }
func (e endless) Context() context.Context    { return e.t.Context() }
func (endless) Ended() bool                   { return false }
func (endless) Conflicts(int)                 {}
func (e endless) TooLarge(what string, _ int) { e.t.Error("too many", what) }

func newSolver(t *testing.T, vars int) (*Solver, []Lit) {
	s := New(endless{t}, vars, math.MaxInt, math.MaxInt)
	return s, s.lits(vars)
}

// TestAtMostAgainstEverySubset forces every subset of some literals, with the
// limit in force and not.
func TestAtMostAgainstEverySubset(t *testing.T) {
	for size := range 11 {
		for limit := range 5 {
			t.Run(fmt.Sprintf("%d of %d", limit, size), func(t *testing.T) {
				s, xs := newSolver(t, size)
				inForce := s.NewLit()
				s.AtMost([]Lit{inForce.Not()}, limit, xs)
				for subset := range uint(1) << size {
					lits := []Lit{inForce}
					for i, x := range xs {
						if subset&(1<<i) == 0 {
							x = x.Not()
						}
						lits = append(lits, x)
					}
					assert.Equal(t, bits.OnesCount(subset) <= limit, s.Solve(lits), "subset %b", subset)
					assert.True(t, s.Solve(lits[1:]), "subset %b, not in force", subset)
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
		s, xs := newSolver(t, test.size)
		s.AtMostOne(nil, xs)
		// Every clause has two literals.
		assert.LessOrEqual(t, s.literals/2, test.clauses, "of %d", test.size)
	}
}
