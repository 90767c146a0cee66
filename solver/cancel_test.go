package solver

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// pigeons requires a hole for each pigeon, and allows at most one pigeon per hole.
// With fewer holes than pigeons a SAT solver takes exponential time to see that
// there is no way, and counting none.
func pigeons(pigeons, holes int) *Model {
	m := new(Model)
	inHole := make([][]Var, holes)
	for range pigeons {
		var places []Var
		for hole := range holes {
			v := m.NewVar()
			places = append(places, v)
			inHole[hole] = append(inHole[hole], v)
		}
		m.Root(OneOf(places...))
	}
	for _, vars := range inHole {
		m.AtMostOne(vars...)
	}
	return m
}

// rivals is pigeons, but which do not share a hole is a rule of theirs and no
// group, so that there is nothing to count.
func rivals(pigeons, holes int) *Model {
	m := new(Model)
	inHole := make([][]Var, holes)
	for range pigeons {
		var places []Var
		for hole := range holes {
			v := m.NewVar()
			places = append(places, v)
			for _, other := range inHole[hole] {
				m.Conflict(v, other)
			}
			inHole[hole] = append(inHole[hole], v)
		}
		m.Root(OneOf(places...))
	}
	return m
}

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

// lopsided is dense(n+1, n), but the first package has one version only. So it
// keeps all others from theirs of the same number, which need no limits then. To see
// that takes a SAT solver exponential time.
func lopsided(n int) *Model {
	m := dense(n+1, n)
	m.roots[0].Formula = OneOf(0)
	return m
}

// wide gives one variable that needs any one of many, each of which needs any
// one of the same many.
func wide(n int) *Model {
	m := new(Model)
	all := make([]Var, n)
	for i := range all {
		all[i] = m.NewVar()
	}
	any := &Choice{Candidates: [][]Var{all}}
	m.Root(any)
	for _, v := range all {
		m.Require(v, any)
	}
	m.AtMostOne(all...)
	m.Root(OneOf())
	return m
}

func TestContextEndsSolve(t *testing.T) {
	tests := map[string]struct {
		problem Problem
		options Options
	}{
		"search":      {rivals(16, 15), Options{}},
		"sat only":    {rivals(16, 15), Options{satOnly: true}},
		"satisfiable": {pigeons(400, 400), Options{satOnly: true}},
		"minimising":  {lopsided(15), Options{}},
		"encoding":    {wide(300_000), Options{satOnly: true}}, // a search leaves it alone
	}
	goroutines := runtime.NumGoroutine()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			// Its state has to be reached, and none of these problems ends soon.
			for _, after := range []time.Duration{10, 30, 60} {
				ending, err := testkit.CancelAfter(t.Context(), after*time.Millisecond, func(ctx context.Context) error {
					_, err := Solve(ctx, test.problem, test.options)
					return err
				})
				t.Logf("%v after the end: %v", ending, err)
				assert.LessOrEqual(t, ending, testkit.AllowedLatency())
				var incomplete *Incomplete
				require.ErrorAs(t, err, &incomplete)
				assert.ErrorIs(t, err, context.Canceled)
			}
		})
	}
	testkit.NoGoroutines(t, goroutines)
}

// endless is a problem of many variables whose rules take long, each of which ends the context.
type endless struct {
	*Model
	end  func()
	made int
}

func (e *endless) Rules(v Var) []Rule {
	e.end()
	e.made++
	return e.Model.Rules(v)
}

// What makes rules is not asked again after the end of the context, whatever a rule takes.
func TestNoRulesAfterTheEnd(t *testing.T) {
	for _, options := range []Options{{}, {satOnly: true}} {
		ctx, cancel := context.WithCancel(t.Context())
		problem := &endless{Model: rivals(20, 20), end: cancel}
		_, err := Solve(ctx, problem, options)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 1, problem.made)
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	session, err := NewSession(ctx, pigeons(3, 3), Options{})
	require.NoError(t, err)
	cancel()
	_, err = Solve(ctx, new(Model), Options{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = NewSession(ctx, new(Model), Options{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = session.Satisfiable(ctx, Assume{})
	assert.ErrorIs(t, err, context.Canceled)
	_, err = session.Core(ctx, Assume{})
	assert.ErrorIs(t, err, context.Canceled)

	// A canceled query does not spoil the next.
	ok, err := session.Satisfiable(context.Background(), Assume{Hold: []Formula{OneOf(0)}})
	require.NoError(t, err)
	assert.True(t, ok)
}
