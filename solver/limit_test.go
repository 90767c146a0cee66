package solver

import (
	"context"
	"errors"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ended reports whether the limit ended a call. It may have no other error than an
// *Unsatisfiable.
func ended(t *testing.T, limit int, err error) bool {
	t.Helper()
	if _, ok := errors.AsType[*Unsatisfiable](err); ok || err == nil {
		return false
	}
	incomplete, ok := errors.AsType[*Incomplete](err)
	require.True(t, ok, "%v", err)
	return assert.Equal(t, &ConflictLimit{limit}, incomplete.Err)
}

// TestMaxConflicts: the least limit with which there is an answer is the same each
// time and for every way to ask, however often gini paused.
func TestMaxConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		model *Model
		most  int // conflicts
	}{
		"pauses never": {rivals(5, 4), 1000},
		"pauses":       {rivals(7, 6), 1 << 20},
		"satisfiable":  {threeSAT(100), 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			solve := func(limit int) error {
				_, err := Solve(t.Context(), test.model, Options{MaxConflicts: limit, NoCore: name == "pauses"})
				return err
			}
			least := 1 + sort.Search(test.most, func(n int) bool { return !ended(t, n+1, solve(n+1)) })
			require.Greater(t, least, 1)
			require.Less(t, least, test.most)
			t.Logf("%d conflicts", least)
			for range 3 {
				assert.False(t, ended(t, least, solve(least)))
				assert.True(t, ended(t, least-1, solve(least-1)))
			}
		})
	}
}

// TestMaxConflictsOfSession: the limit is that of one query, and a query that it
// ended changes none of the next.
func TestMaxConflictsOfSession(t *testing.T) {
	m := rivals(6, 5)
	newSession := func(limit int) *Session {
		s, err := NewSession(t.Context(), m, Options{MaxConflicts: limit})
		require.NoError(t, err)
		return s
	}
	query := func(s *Session, a Assume) error {
		_, err := s.Satisfiable(t.Context(), a)
		return err
	}
	least := 1 + sort.Search(10_000, func(n int) bool { return !ended(t, n+1, query(newSession(n+1), Assume{})) })
	s := newSession(least)
	for range 3 {
		assert.NoError(t, query(s, Assume{}))
	}
	s = newSession(least - 1)
	for range 3 {
		assert.True(t, ended(t, least-1, query(s, Assume{})), "nothing that it learned lasts")
	}
	ok, err := s.Satisfiable(t.Context(), Assume{WithoutRoots: []int{0}})
	require.NoError(t, err)
	assert.True(t, ok)
}

// TestCanceledSession: a query that ends while a formula is encoded leaves no half of
// it behind.
func TestCanceledSession(t *testing.T) {
	const n = 3 * stepsPerCheck
	vars := make([]Var, n)
	for i := range vars {
		vars[i] = Var(i)
	}
	m := rootsOnly(OneOf(vars...))
	both := &And{Parts: []Formula{NoneOf(vars[:n-1]...), NoneOf(vars[n-1])}}
	s, err := NewSession(t.Context(), m, Options{})
	require.NoError(t, err)
	for checks := range 8 {
		_, err := s.Satisfiable(&endingContext{Context: t.Context(), checks: checks}, Assume{Hold: []Formula{both}})
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		}
		ok, err := s.Satisfiable(t.Context(), Assume{Hold: []Formula{both}})
		require.NoError(t, err)
		assert.False(t, ok, "after %d checks", checks)
		core, err := s.Core(&endingContext{Context: t.Context(), checks: checks}, Assume{Hold: []Formula{both}})
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		} else {
			assert.NotNil(t, core)
		}
	}
}

// endingContext has ended after so many checks.
type endingContext struct {
	context.Context
	checks int
}

func (c *endingContext) Err() error {
	if c.checks--; c.checks < 0 {
		return context.Canceled
	}
	return nil
}

// TestContextEndsAnywhere: whichever look at the context finds that it ended, the
// error says so.
func TestContextEndsAnywhere(t *testing.T) {
	solve := func(ctx context.Context, m *Model) error {
		_, err := Solve(ctx, m, Options{})
		return err
	}
	session := func(ctx context.Context, m *Model) error {
		s, err := NewSession(t.Context(), m, Options{})
		require.NoError(t, err)
		core, err := s.Core(ctx, Assume{})
		if err == nil {
			err = &Unsatisfiable{Core: core}
		}
		return err
	}
	for name, m := range map[string]*Model{
		"groups": dense(6, 5), "searched": rivals(6, 5), "limits": atMostHalf(50), "chain": brokenChain(1000),
	} {
		for _, call := range []func(context.Context, *Model) error{solve, session} {
			want := call(t.Context(), m)
			for checks := 0; ; checks++ {
				err := call(&endingContext{Context: t.Context(), checks: checks}, m)
				if _, ok := err.(*Incomplete); !ok {
					require.Equal(t, want, err, name)
					t.Logf("%s: %d checks", name, checks)
					break
				}
				require.ErrorIs(t, err, context.Canceled)
			}
		}
	}
}
