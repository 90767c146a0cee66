package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// bothWays runs a check on the greedy way to the answer and on the other.
func bothWays(t *testing.T, check func(t *testing.T, o Options)) {
	t.Run("greedy first", func(t *testing.T) { check(t, Options{}) })
	t.Run("SAT only", func(t *testing.T) { check(t, Options{satOnly: true}) })
}

func selectedVars(t *testing.T, p Problem, o Options) []Var {
	solution, err := Solve(context.Background(), p, o)
	require.NoError(t, err)
	var vars []Var
	for _, s := range solution.Selected {
		vars = append(vars, s.Var)
	}
	return vars
}

func TestSolve(t *testing.T) {
	const a, b, c, x, y, z = 1, 2, 3, 7, 8, 9
	tests := map[string]struct {
		problem table
		want    []Var
	}{
		"nothing is asked for": {table{}, nil},
		"given in their order, once": {
			table{given: []Var{c, a, c}},
			[]Var{c, a},
		},
		"roots before the rules of what is given": {
			table{
				given: []Var{a},
				roots: []Rule{{Formula: OneOf(x, y)}},
				rules: map[Var][]Rule{a: {{Formula: OneOf(z)}}},
			},
			[]Var{a, x, z},
		},
		"rules breadth first": {
			table{
				given: []Var{a},
				rules: map[Var][]Rule{
					a: {{Formula: OneOf(b)}, {Formula: OneOf(c)}},
					b: {{Formula: OneOf(x)}},
				},
			},
			[]Var{a, b, c, x},
		},
		"parts of a conjunction before what follows it": {
			table{
				given: []Var{a},
				rules: map[Var][]Rule{
					a: {{Formula: &And{Parts: []Formula{OneOf(b), OneOf(c)}}}, {Formula: OneOf(y)}},
					b: {{Formula: OneOf(x)}},
				},
			},
			[]Var{a, b, c, y, x},
		},
		"the first candidate that its own rules allow": {
			table{
				roots: []Rule{{Formula: OneOf(x, y, z)}},
				rules: map[Var][]Rule{x: {{Formula: NoneOf(x)}}, y: {{Formula: OneOf()}}},
			},
			[]Var{z},
		},
		"updates that work only together": {
			table{
				roots: []Rule{{Formula: OneOf(x, a)}, {Formula: OneOf(y, b)}},
				rules: map[Var][]Rule{x: {{Formula: OneOf(y)}}, y: {{Formula: OneOf(x)}}},
				groups: map[Var][]Group{
					a: {math.MinInt32}, x: {math.MinInt32},
					b: {math.MaxInt32}, y: {math.MaxInt32},
				},
			},
			[]Var{x, y},
		},
		"another member only if no candidate is possible": {
			table{
				roots: []Rule{
					{Formula: &Choice{Candidates: [][]Var{{x}}, Also: []Var{c, y}}},
					{Formula: OneOf(z, y)},
				},
				rules: map[Var][]Rule{x: {{Formula: OneOf()}}},
			},
			[]Var{y},
		},
		"an absence that lasts": {
			table{roots: []Rule{
				{Formula: &Or{Parts: []Formula{NoneOf(x), OneOf(y)}}},
				{Formula: OneOf(z)},
			}},
			[]Var{z},
		},
		"an absence that ends": {
			table{roots: []Rule{
				{Formula: &Or{Parts: []Formula{NoneOf(x), OneOf(y)}}},
				{Formula: OneOf(x)},
				{Formula: OneOf(z)},
			}},
			[]Var{x, z, y},
		},
		"an alternative binds later choices": {
			table{
				given: []Var{a},
				roots: []Rule{
					{Formula: &Or{Parts: []Formula{&And{Parts: []Formula{OneOf(b), NoneOf(x)}}, OneOf(c)}}},
					{Formula: OneOf(x, y)},
				},
			},
			[]Var{a, b, y},
		},
		"a limit of two": {
			table{roots: []Rule{
				{Formula: &AtMost{N: 2, Vars: []Var{x, y, z, x}}},
				{Formula: OneOf(x)},
				{Formula: OneOf(y)},
				{Formula: OneOf(z, c)},
			}},
			[]Var{x, y, c},
		},
		"the largest handle": {
			table{given: []Var{math.MaxInt32}},
			[]Var{math.MaxInt32},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, o Options) {
				assert.Equal(t, test.want, selectedVars(t, &test.problem, o))
			})
		})
	}
}

func TestCommitments(t *testing.T) {
	or := &Or{Parts: []Formula{OneOf(5), NoneOf(2)}}
	m := ofRule(or)
	m.Root(OneOf(2))
	m.Depend(5)
	_, err := Solve(context.Background(), m, Options{})
	require.Error(t, err)

	m = ofRule(or)
	m.Root(OneOf(2))
	bothWays(t, func(t *testing.T, o Options) {
		solution, err := Solve(context.Background(), m, o)
		require.NoError(t, err)
		assert.Equal(t, []Commitment{{Owner: 0, Rule: 0, Or: or, Part: 0, After: 2}}, solution.Commitments)
	})
}

func TestPigeonholeCore(t *testing.T) {
	_, err := Solve(context.Background(), pigeons(5, 4), Options{})
	var unsat *Unsatisfiable
	require.ErrorAs(t, err, &unsat)
	var kinds []Kind
	for _, r := range unsat.Core {
		kinds = append(kinds, r.Kind)
	}
	// Without one pigeon or one hole's limit, the rest have their places.
	const r, g = KindRoot, KindGroup
	assert.Equal(t, []Kind{r, r, r, r, r, g, g, g, g}, kinds)
}

func TestSessionIsReusable(t *testing.T) {
	ctx := context.Background()
	session, err := NewSession(ctx, pigeons(5, 4), Options{})
	require.NoError(t, err)
	for range 3 {
		ok, err := session.Satisfiable(ctx, Assume{})
		require.NoError(t, err)
		assert.False(t, ok)
		ok, err = session.Satisfiable(ctx, Assume{WithoutRoots: []int{2}})
		require.NoError(t, err)
		assert.True(t, ok)
		core, err := session.Core(ctx, Assume{WithoutRoots: []int{2}, Select: []Var{1, 5}})
		require.NoError(t, err)
		assert.Equal(t, []Reason{
			{Kind: KindGroup, Var: None, Rule: -1, Group: 1},
			{Kind: KindSelect, Var: 1, Rule: -1},
			{Kind: KindSelect, Var: 5, Rule: -1},
		}, core)
	}
}

func TestSessionSelectsOnlyWhatItReaches(t *testing.T) {
	ctx := context.Background()
	m := rootsOnly(OneOf(1))
	m.Depend(2, 3)
	ask := Assume{Select: []Var{2}}

	session, err := NewSession(ctx, m, Options{})
	require.NoError(t, err)
	core, err := session.Core(ctx, ask)
	require.NoError(t, err)
	assert.Equal(t, []Reason{{Kind: KindSelect, Var: 2, Rule: -1}}, core)

	session, err = NewSession(ctx, m, Options{}, 2)
	require.NoError(t, err)
	ok, err := session.Satisfiable(ctx, ask)
	require.NoError(t, err)
	assert.True(t, ok)
}

func TestSameAnswerEachTime(t *testing.T) {
	for seed := range uint64(50) {
		p := randomSource(rand.New(rand.NewPCG(seed, 3))).problem(40)
		want, wantErr := Solve(context.Background(), p, Options{})
		for range 5 {
			got, err := Solve(context.Background(), p, Options{})
			assert.Equal(t, want, got)
			assert.Equal(t, wantErr, err)
		}
	}
}

func TestConcurrentSolves(t *testing.T) {
	m := pigeons(6, 6)
	want := selectedVars(t, m, Options{})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 20 {
				assert.Equal(t, want, selectedVars(t, m, Options{satOnly: i%2 == 0}))
			}
		})
	}
	wait.Wait()
}

// TestLongChain: what takes longer than the SAT solver may search at a time is
// found all the same.
func TestLongChain(t *testing.T) {
	for _, n := range []int{9_000, 11_000, 25_000, testkit.Scale(50_000, 200_000)} {
		m := new(Model)
		first := m.NewVar()
		m.Root(OneOf(first))
		last := first
		for range n {
			next := m.NewVar()
			m.Require(last, OneOf(next))
			last = next
		}
		solution, err := Solve(t.Context(), m, Options{satOnly: true})
		require.NoError(t, err)
		assert.Len(t, solution.Selected, n+1)

		m.Require(last, NoneOf(first))
		_, err = Solve(t.Context(), m, Options{satOnly: true, NoCore: true})
		var unsatisfiable *Unsatisfiable
		require.ErrorAs(t, err, &unsatisfiable)
	}
}
