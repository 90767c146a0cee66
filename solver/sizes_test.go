package solver

import (
	"context"
	"math"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These tests notice when a size constant changes, or what it limits is not limited:
// what is just below behaves otherwise than what is just above.

func ready(p Problem) *workspace {
	w := workspaces.New().(*workspace)
	w.begin(context.Background(), p)
	w.refuter.reset()
	return w
}

func TestDefaultSizes(t *testing.T) {
	assert.Equal(t, Options{maxVars: 2_097_152, MaxLiterals: 33_554_432}, Options{}.withDefaults())
	assert.Equal(t, Options{maxVars: 7, MaxLiterals: 8}, Options{maxVars: 7, MaxLiterals: 8}.withDefaults())
	most := Options{maxVars: 268_435_456, MaxLiterals: 268_435_456}
	assert.Equal(t, most, Options{maxVars: math.MaxInt, MaxLiterals: math.MaxInt}.withDefaults())
}

func TestFormulaSizes(t *testing.T) {
	nested := func(depth int) Formula {
		var f Formula = NoneOf()
		for range depth - 1 {
			f = &And{Parts: []Formula{f}}
		}
		return f
	}
	wideAnd := func(nodes int) Formula {
		parts := make([]Formula, nodes-1)
		for i := range parts {
			parts[i] = NoneOf()
		}
		return &And{Parts: parts}
	}
	for name, test := range map[string]struct{ fits, exceeds Formula }{
		"depth": {nested(1000), nested(1001)},
		"nodes": {wideAnd(1 << 20), wideAnd(1<<20 + 1)},
	} {
		_, err := Solve(t.Context(), rootsOnly(test.fits), Options{})
		assert.NoError(t, err, name)
		_, err = Solve(t.Context(), rootsOnly(test.exceeds), Options{})
		assert.IsType(t, new(Invalid), err, name)
	}
}

// TestRefuterSizes: what the refuter looks at needs no SAT solver.
func TestRefuterSizes(t *testing.T) {
	// The first candidate of the root needs any one of n variables, each of which
	// heads a chain of the given length whose last cannot be selected.
	fails := func(n, length int) Problem {
		m := new(Model)
		first, second := m.NewVar(), m.NewVar()
		m.Root(OneOf(first, second))
		var heads []Var
		for range n {
			v := m.NewVar()
			heads = append(heads, v)
			for range length - 1 {
				next := m.NewVar()
				m.Depend(v, next)
				v = next
			}
			m.Depend(v)
		}
		m.Depend(first, heads...)
		return m
	}
	assert.True(t, answeredGreedily(fails(1, 1)))
	assert.False(t, answeredGreedily(fails(1, 2)))
	assert.True(t, answeredGreedily(fails(256, 1)))
	assert.False(t, answeredGreedily(fails(257, 1)))

	share := func(groups int) bool {
		m := new(Model)
		for range 64 {
			m.AtMostOne(0)
		}
		for range groups - 1 {
			m.AtMostOne(1)
		}
		m.AtMostOne(0, 1)
		m.groups[0] = m.groups[0][1:]
		w := ready(m)
		return w.refuter.shareGroup(w.number(0), w.number(1))
	}
	assert.True(t, share(64))
	assert.False(t, share(65))
}

func TestEncodingSizes(t *testing.T) {
	for _, n := range []int{7, 8} {
		vars := make([]Var, n)
		for i := range vars {
			vars[i] = Var(i)
		}
		w := ready(rootsOnly(OneOf(vars...), OneOf(vars...)))
		universe, err := reach(&w.state, nil)
		require.NoError(t, err)
		e, err := encode(&w.state, fullScope(&w.state, universe), Options{}.withDefaults(), true)
		require.NoError(t, err)
		assert.Len(t, e.anyLits, n-7, "a segment of %d", n)
	}
}

// calls returns the least MaxConflicts with which there is a core. A small problem
// has one for each call of the SAT solver.
func calls(t *testing.T, m *Model) int {
	return 1 + sort.Search(1<<16, func(n int) bool {
		_, err := Solve(t.Context(), m, Options{MaxConflicts: n + 1})
		return !ended(t, n+1, err)
	})
}

func TestCoreSizes(t *testing.T) {
	// A choice whose candidates are all forbidden has a core of n demands.
	forbidden := func(n int) *Model {
		m := new(Model)
		var vars []Var
		for range n - 1 {
			vars = append(vars, m.NewVar())
			m.Depend(vars[len(vars)-1])
		}
		m.Root(OneOf(vars...))
		return m
	}
	assert.Equal(t, 2, calls(t, forbidden(32)), "the refuter finds it, and one selection shows them all")
	assert.Equal(t, 2+1, calls(t, brokenChain(3000)), "one selection leads through a chain")

	mentions := func(n int) *rotation {
		w := ready(rootsOnly(NoneOf(make([]Var, n)...)))
		w.number(0)
		e, err := encode(&w.state, scope{vars: []int32{0}, roots: []int{0}}, Options{}.withDefaults(), true)
		require.NoError(t, err)
		return newRotation(e, e.demands())
	}
	assert.NotNil(t, mentions(1<<22-1))
	assert.Nil(t, mentions(1<<22))
}

func TestKeptSizes(t *testing.T) {
	for n, kept := range map[int]bool{1 << 16: true, 1<<16 + 1: false} {
		w := ready(new(Model))
		w.info = make([]varInfo, n)
		w.release()
		assert.Equal(t, kept, w.problem == nil, "%d variables", n)
	}
	for n, kept := range map[int]bool{14: false, 15: true} { // 0 is also a demand
		m := new(Model)
		m.Give(0, 1)
		for i := range Var(n - 1) {
			m.Depend(0, i+2) // n selected in the component of 0
		}
		m.Require(0, OneOf(100, 2))
		m.Depend(100)
		m.Require(1, OneOf(101, 102))
		m.Depend(101)
		solution, err := Solve(t.Context(), m, Options{})
		require.NoError(t, err)
		r, err := solution.Refusals(t.Context(), m, Options{})
		require.NoError(t, err)
		last := len(solution.Selected)
		for _, v := range []Var{100, 101} {
			_, err := r.Core(t.Context(), last, v)
			require.NoError(t, err)
		}
		assert.Equal(t, kept, r.of(0, -1).session != nil, "%d selected", n)
		for range minKept - 1 {
			_, err := r.Core(t.Context(), last, 100)
			require.NoError(t, err)
		}
		assert.NotNil(t, r.of(0, -1).session, "after many questions")
	}
}

func TestStepsPerCheck(t *testing.T) {
	st := new(state)
	st.begin(&endingContext{Context: t.Context(), checks: 1}, new(Model))
	assert.True(t, st.proceed(8191))
	assert.False(t, st.proceed(1))
}
