package solver

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// families are problems that are hard for some solver or other. The package comment
// has their outcomes in a table.
var families = []struct {
	name     string
	model    func(n int) *Model
	outcomes []outcome
}{
	{"pigeonhole by groups", func(n int) *Model { return pigeons(n+1, n) }, []outcome{{5, 11}, {7, 15}, {8, 17}, {9, exceeded}}},
	{"pigeonhole by pairs", func(n int) *Model { return dense(n+1, n) }, []outcome{{5, 81}, {6, 133}, {7, exceeded}}},
	{"pigeonhole by rules", func(n int) *Model { return rivals(n+1, n) }, []outcome{{5, 81}, {7, 204}, {8, exceeded}}},
	{"parity", parity, []outcome{{10, 70}, {20, 150}, {40, exceeded}}},
	{"Ramsey", ramsey, []outcome{{8, 0}, {9, exceeded}}},
	{"queens", queens, []outcome{{3, 12}, {8, 0}, {12, 0}, {20, exceeded}}},
	{"at most k of 2k", atMostHalf, []outcome{{10, 12}, {1000, 1002}}},
	{"at most k, by choices", limitedChoices, []outcome{{5, 7}, {12, 14}, {50, 52}, {200, 202}}},
	{"threshold 3-SAT", threeSAT, []outcome{{50, 0}, {100, 0}, {150, exceeded}}},
	{"versions", func(n int) *Model { return chains(n, 50) }, []outcome{{40, 0}}},
	{"chain", chain, []outcome{{1000, 0}, {1_000_000, 0}}},
	{"broken chain", brokenChain, []outcome{{1000, 1001}, {100_000, 100_001}, {1_000_000, 1_000_001}}},
}

// outcome is what a problem of size n comes to within maxFamilyConflicts: the size of
// its core, 0 if it is solved, or exceeded.
type outcome struct{ n, core int }

const (
	maxFamilyConflicts = 30_000
	exceeded           = -1
)

// parity states two chains of exclusive ors over the same variables in different
// orders, and that their results differ.
func parity(n int) *Model {
	m := new(Model)
	r := rand.New(rand.NewPCG(uint64(n), 1))
	bits := make([]Var, n)
	for i := range bits {
		bits[i] = m.NewVar()
	}
	xor := func(a, b Var) Var {
		c := m.NewVar()
		m.Root(orOf(NoneOf(a), NoneOf(b), NoneOf(c)))
		m.Root(orOf(OneOf(a), OneOf(b), NoneOf(c)))
		m.Root(orOf(OneOf(a), NoneOf(b), OneOf(c)))
		m.Root(orOf(NoneOf(a), OneOf(b), OneOf(c)))
		return c
	}
	sum := func(order []int) Var {
		last := bits[order[0]]
		for _, i := range order[1:] {
			last = xor(last, bits[i])
		}
		return last
	}
	a, b := sum(r.Perm(n)), sum(r.Perm(n))
	m.Root(OneOf(a))
	m.Root(NoneOf(b))
	for _, v := range bits {
		m.Root(orOf(OneOf(v), NoneOf(v)))
	}
	// Every variable can be selected.
	m.Root(orOf(OneOf(bits...), NoneOf(bits...)))
	return m
}

func orOf(parts ...Formula) Formula { return &Or{Parts: parts} }

// ramsey colors the edges of a complete graph in two colors without a triangle of
// the one or a clique of four of the other: possible up to 8 nodes.
func ramsey(n int) *Model {
	m := new(Model)
	edge := map[[2]int]Var{}
	for i := range n {
		for j := range i {
			edge[[2]int{j, i}] = m.NewVar()
		}
	}
	for c := range n {
		for b := range c {
			for a := range b {
				ab, ac, bc := edge[[2]int{a, b}], edge[[2]int{a, c}], edge[[2]int{b, c}]
				m.Root(orOf(NoneOf(ab), NoneOf(ac), NoneOf(bc)))
				for d := range a {
					m.Root(OneOf(ab, ac, bc, edge[[2]int{d, a}], edge[[2]int{d, b}], edge[[2]int{d, c}]))
				}
			}
		}
	}
	return m
}

// atMostHalf allows k of 2k variables, and demands k+1 of them.
func atMostHalf(k int) *Model {
	m := new(Model)
	var vars []Var
	for range 2 * k {
		vars = append(vars, m.NewVar())
	}
	m.AtMost(k, vars...)
	for _, v := range vars[:k+1] {
		m.Root(OneOf(v))
	}
	return m
}

// limitedChoices allows k variables, and demands one of two k+1 times.
func limitedChoices(k int) *Model {
	m := new(Model)
	var vars []Var
	for range k + 1 {
		a, b := m.NewVar(), m.NewVar()
		vars = append(vars, a, b)
		m.Root(OneOf(a, b))
	}
	m.AtMost(k, vars...)
	return m
}

// threeSAT has 4.26 random clauses of three literals for each variable.
func threeSAT(n int) *Model {
	m := new(Model)
	r := rand.New(rand.NewPCG(uint64(n), 3))
	var vars []Var
	for range n {
		vars = append(vars, m.NewVar())
	}
	for range n * 426 / 100 {
		var parts []Formula
		for _, i := range r.Perm(n)[:3] {
			if r.IntN(2) == 0 {
				parts = append(parts, OneOf(vars[i]))
			} else {
				parts = append(parts, NoneOf(vars[i]))
			}
		}
		m.Root(orOf(parts...))
	}
	return m
}

// chain gives n variables, each of which needs the next.
func chain(n int) *Model {
	m := new(Model)
	last := m.NewVar()
	m.Root(OneOf(last))
	for range n - 1 {
		next := m.NewVar()
		m.Require(last, OneOf(next))
		last = next
	}
	return m
}

// brokenChain is a chain whose end forbids its start.
func brokenChain(n int) *Model {
	m := chain(n)
	m.Require(Var(n-1), NoneOf(0))
	return m
}

// queens gives a place in each row of a board, no two in one column or diagonal.
func queens(n int) *Model {
	m := new(Model)
	lines := map[string][]Var{}
	for row := range n {
		var places []Var
		for column := range n {
			v := m.NewVar()
			places = append(places, v)
			for _, line := range []string{
				fmt.Sprint("column ", column), fmt.Sprint("rising ", row-column), fmt.Sprint("falling ", row+column),
			} {
				lines[line] = append(lines[line], v)
			}
		}
		m.Root(OneOf(places...))
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		m.AtMostOne(lines[line]...)
	}
	return m
}

func (o outcome) check(t testing.TB, m *Model) {
	_, err := Solve(t.Context(), m, Options{MaxConflicts: maxFamilyConflicts})
	got := 0
	if unsatisfiable, ok := errors.AsType[*Unsatisfiable](err); ok {
		got = len(unsatisfiable.Core)
	} else if err != nil {
		require.IsType(t, new(ConflictLimit), errors.Unwrap(err))
		got = exceeded
	}
	assert.Equal(t, o.core, got)
}

func forFamilies(each func(name string, model func(n int) *Model, o outcome)) {
	for _, f := range families {
		for _, o := range f.outcomes {
			each(fmt.Sprintf("%s %d", f.name, o.n), f.model, o)
		}
	}
}

// TestFamilies leaves what takes long, or more conflicts than are allowed, to the
// benchmark and to long tests.
func TestFamilies(t *testing.T) {
	forFamilies(func(name string, model func(n int) *Model, o outcome) {
		if o.n < 100_000 && (o.core != exceeded || testkit.Scale(0, 1) > 0) {
			t.Run(name, func(t *testing.T) { o.check(t, model(o.n)) })
		}
	})
}

func BenchmarkFamilies(b *testing.B) {
	forFamilies(func(name string, model func(n int) *Model, o outcome) {
		b.Run(name, func(b *testing.B) {
			m := model(o.n)
			for b.Loop() {
				o.check(b, m)
			}
		})
	})
}
