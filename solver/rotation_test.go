package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tangles gives random problems in which most demands contradict each other, in
// many ways at a time, and groups are repeated.
func tangles(r *rand.Rand) *Model {
	m := new(Model)
	vars := make([]Var, 4+r.IntN(8))
	for i := range vars {
		vars[i] = m.NewVar()
	}
	some := func(atMost int) []Var {
		list := make([]Var, 1+r.IntN(atMost))
		for i := range list {
			list[i] = vars[r.IntN(len(vars))]
		}
		return list
	}
	for range 2 + r.IntN(4) {
		m.AtMostOne(some(5)...)
	}
	for v, groups := range m.groups {
		m.groups[v] = append(groups, groups[0])
	}
	for range 3 + r.IntN(6) {
		switch r.IntN(4) {
		case 0:
			m.Root(NoneOf(some(2)...))
		case 1:
			m.AtMost(r.IntN(2), some(4)...)
		default:
			m.Root(OneOf(some(3)...))
		}
	}
	for range r.IntN(8) {
		m.Depend(some(1)[0], some(3)...)
		m.Conflict(some(1)[0], some(1)[0])
	}
	return m
}

// TestRotation: what a rotation takes to be needed is.
func TestRotation(t *testing.T) {
	failed := 0
	for seed := range uint64(4000) {
		m := tangles(rand.New(rand.NewPCG(seed, 13)))
		_, err := Solve(t.Context(), m, Options{})
		if err == nil {
			continue
		}
		failed++
		var unsatisfiable *Unsatisfiable
		require.ErrorAs(t, err, &unsatisfiable, "seed %d", seed)
		requireMinimal(t, m, unsatisfiable.Core)
	}
	assert.Greater(t, failed, 1000)
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
