package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// dense gives packages with so many versions each, one of each of which is
// wanted. No two packages go together in the same version.
func dense(packages, versions int) *Model {
	m := new(Model)
	vars := make([][]Var, packages)
	for p := range vars {
		for range versions {
			vars[p] = append(vars[p], m.NewVar())
		}
		m.AtMostOne(vars[p]...)
		m.Root(OneOf(vars[p]...))
		for _, other := range vars[:p] {
			for v := range versions {
				m.AtMostOne(vars[p][v], other[v])
			}
		}
	}
	return m
}

// crowds gives random problems that are like dense ones, but for some conflicts
// that are missing, some versions that cannot be had, and rules across.
func crowds(r *rand.Rand) *Model {
	packages, versions := 5+r.IntN(2), 3+r.IntN(2)
	m := new(Model)
	vars := make([][]Var, packages)
	loose := r.Float64() * 0.1
	for p := range vars {
		for range versions + r.IntN(2) {
			vars[p] = append(vars[p], m.NewVar())
		}
		if r.IntN(4) > 0 {
			m.AtMostOne(vars[p]...)
		}
		m.Root(OneOf(vars[p]...))
		for _, other := range vars[:p] {
			for v := range min(len(vars[p]), len(other)) {
				if r.Float64() >= loose {
					m.AtMostOne(vars[p][v], other[v])
				}
			}
		}
	}
	for range r.IntN(4) * r.IntN(5) { // what is in no clique, or in several
		var some []Var
		for range 2 + r.IntN(3) {
			p := vars[r.IntN(packages)]
			some = append(some, p[r.IntN(len(p))])
		}
		m.AtMostOne(some...)
	}
	for range r.IntN(4) {
		p := vars[r.IntN(packages)]
		v := p[r.IntN(len(p))]
		if q := vars[r.IntN(packages)]; r.IntN(2) == 0 {
			m.Depend(v, q[r.IntN(len(q))])
		} else {
			m.Conflict(v, q[r.IntN(len(q))])
		}
	}
	if r.IntN(3) == 0 {
		m.Root(OneOf(vars[0][0], vars[1][0]))
	}
	return m
}

// TestCounting compares answers with those of a SAT solver alone. What it finds
// to be contradictory must be a minimal contradiction.
func TestCounting(t *testing.T) {
	answered, failed := 0, 0
	for seed := range testkit.Seeds(t, testkit.Count(250, 1000)) {
		m := crowds(rand.New(rand.NewPCG(seed, 11)))
		want, wantErr := Solve(t.Context(), m, Options{noCount: true})
		got, err := Solve(t.Context(), m, Options{})
		require.Equal(t, want, got, "seed %d", seed)
		if wantErr == nil {
			require.NoError(t, err, "seed %d", seed)
			answered++
			continue
		}
		failed++
		var unsatisfiable *Unsatisfiable
		require.ErrorAs(t, err, &unsatisfiable, "seed %d", seed)
		requireMinimal(t, m, unsatisfiable.Core)
	}
	t.Logf("%d answers, %d failures", answered, failed)
	assert.Greater(t, answered, 50)
	assert.Greater(t, failed, 50)
}

// requireMinimal checks with a SAT solver alone that a core cannot be met, and
// that it can without any one of its members.
func requireMinimal(t *testing.T, m *Model, core []Reason) {
	t.Helper()
	st := new(state)
	st.begin(t.Context(), m)
	universe, err := reach(st, nil)
	require.NoError(t, err)
	e, err := encode(st, fullScope(st, universe), Options{}.withDefaults(), true)
	require.NoError(t, err)
	var demands []demand
	for _, d := range e.demands() {
		for _, r := range core {
			if d.reason == r {
				demands = append(demands, d)
			}
		}
	}
	require.Len(t, demands, len(core))
	_, contradictory := e.contradiction(demands, nil)
	require.True(t, contradictory)
	for i := range demands {
		_, contradictory := e.contradiction(demands[:i], demands[i+1:])
		require.False(t, contradictory, "without %v", core[i])
	}
}

// TestDense: a SAT solver alone would take longer than anybody waits to find
// that 30 packages do not go together in 29 versions.
func TestDense(t *testing.T) {
	var unsatisfiable *Unsatisfiable
	_, err := Solve(t.Context(), dense(30, 29), Options{NoCore: true})
	require.ErrorAs(t, err, &unsatisfiable)

	for _, n := range []int{7, 12} {
		m := dense(n, n-1)
		_, err = Solve(t.Context(), m, Options{})
		require.ErrorAs(t, err, &unsatisfiable)
		assert.Len(t, unsatisfiable.Core, n+(n-1)*n*(n-1)/2, "all roots, and a group of each pair in each version")
	}

	// Everything is part of the contradiction, which is not looked for again.
	_, err = Solve(t.Context(), pigeons(30, 29), Options{})
	require.ErrorAs(t, err, &unsatisfiable)
	assert.Len(t, unsatisfiable.Core, 30+29)

	// The last package has one more version, which all others leave to it.
	m := dense(12, 11)
	last := m.NewVar()
	m.Root(OneOf(append(m.roots[11].Formula.(*Choice).Candidates[0], last)...))
	m.roots = append(m.roots[11:], m.roots[:11]...)
	m.roots = m.roots[1:]
	solution, err := Solve(t.Context(), m, Options{})
	require.NoError(t, err)
	assert.Equal(t, last, solution.Selected[0].Var)
}
