package solver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// families are problems that are hard for some solver or other, with the least and
// the largest size that the table in the package comment states.
var families = []struct {
	name  string
	model func(n int) *Model
	sizes []int
}{
	{"pigeonhole by groups", func(n int) *Model { return pigeons(n+1, n) }, []int{5, 12, 63, 64, 200}},
	{"pigeonhole by pairs", func(n int) *Model { return dense(n+1, n) }, []int{5, 12, 29}},
	{"pigeonhole by rules", func(n int) *Model { return rivals(n+1, n) }, []int{5, 7, 8, 9}},
	{"parity", parity, []int{10, 20, 40}},
	{"Ramsey", ramsey, []int{6, 9, 17, 18}},
	{"at most k of 2k", atMostHalf, []int{10, 100, 1000}},
	{"at most k, by choices", limitedChoices, []int{5, 8, 12}},
	{"threshold 3-SAT", threeSAT, []int{50, 100, 150, 200}},
	{"chain", chain, []int{1000, 100_000}},
	{"broken chain", brokenChain, []int{1000, 100_000, 1_000_000}},
	{"versions", func(n int) *Model { return chains(n, 50) }, []int{10, 40}},
	{"colors of a grid", grid, []int{5, 20}},
}

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

// grid colors a grid of n by n fields in three colors, no two neighbors alike.
func grid(n int) *Model {
	m := new(Model)
	fields := make([][]Var, n*n)
	for i := range fields {
		for range 3 {
			fields[i] = append(fields[i], m.NewVar())
		}
		m.AtMostOne(fields[i]...)
		m.Root(OneOf(fields[i]...))
		for c, v := range fields[i] {
			if i%n > 0 {
				m.Conflict(v, fields[i-1][c])
			}
			if i >= n {
				m.Conflict(v, fields[i-n][c])
			}
		}
	}
	return m
}

// BenchmarkFamilies finds a verdict and a core, or exceeds the limit.
func BenchmarkFamilies(b *testing.B) {
	for _, f := range families {
		for _, n := range f.sizes {
			b.Run(fmt.Sprintf("%s %d", f.name, n), func(b *testing.B) {
				m := f.model(n)
				for b.Loop() {
					outcome, _ := solveWithin(m)
					b.ReportMetric(float64(outcome), "demands")
				}
			})
		}
	}
}

// maxFamilyConflicts takes some seconds.
const maxFamilyConflicts = 50_000

// solveWithin returns the size of the core, 0 if there is an answer, and -1 if the
// limit was exceeded.
func solveWithin(m *Model) (core int, err error) {
	_, err = Solve(context.Background(), m, Options{MaxConflicts: maxFamilyConflicts})
	if unsatisfiable, ok := errors.AsType[*Unsatisfiable](err); ok {
		return len(unsatisfiable.Core), err
	}
	if err != nil {
		core = -1
	}
	return core, err
}
