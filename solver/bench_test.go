package solver

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requests gives a problem of the usual kind: a version of each of four packages
// is wanted, and those of the first depend on versions of the second. If
// crossed, the newest of the first does not go with any wanted of the second.
func requests(crossed bool) *Model {
	const versions, stride = 30, 997
	pkg := func(n int) []Var {
		var vars []Var
		for i := range versions {
			vars = append(vars, Var((n*versions+i)*stride))
		}
		return vars
	}
	m := new(Model)
	operators, databases := pkg(0), pkg(1)
	for i, v := range operators {
		if crossed {
			m.Depend(v, databases[i/2:i/2+versions/2]...)
		} else {
			m.Depend(v, databases[i/2:]...)
		}
	}
	m.AtMostOne(operators...)
	m.AtMostOne(databases...)
	m.Root(OneOf(operators...))
	if crossed {
		m.Root(OneOf(databases[versions*2/3:]...))
	} else {
		m.Root(OneOf(databases...))
	}
	for n := 2; n < 4; n++ {
		vars := pkg(n)
		m.AtMostOne(vars...)
		m.Root(OneOf(vars...))
	}
	return m
}

func BenchmarkGreedy(b *testing.B) { benchmarkSolve(b, requests(false), Options{}) }

func BenchmarkSAT(b *testing.B) { benchmarkSolve(b, requests(false), Options{satOnly: true}) }

func BenchmarkDeadEnd(b *testing.B) { benchmarkSolve(b, requests(true), Options{}) }

// BenchmarkDeadEndBeside runs into a dead end beside a request that more and more unrelated
// variables could satisfy. It costs the same, but for looking whether they are unrelated.
func BenchmarkDeadEndBeside(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchmarkSolve(b, deadEndBeside(n), Options{}) })
	}
}

// deadEndBeside is a dead end, and a request for one of n variables that each depend on another.
func deadEndBeside(n int) *Model {
	m := requests(true)
	var unrelated []Var
	for i := range Var(n) {
		v := 1_000_000 + 2*i
		unrelated = append(unrelated, v)
		m.Depend(v, v+1)
	}
	m.AtMostOne(unrelated...)
	m.Root(OneOf(unrelated...))
	return m
}

// TestDeadEndBeside: what a dead end has nothing to do with costs no memory.
func TestDeadEndBeside(t *testing.T) {
	allocated := func(n int) float64 {
		m := deadEndBeside(n)
		return testing.AllocsPerRun(5, func() {
			_, err := Solve(t.Context(), m, Options{})
			require.NoError(t, err)
		})
	}
	few, many := allocated(100), allocated(10000)
	assert.Less(t, many, 1.1*few)
}

// BenchmarkSparse selects ten of the many variables that it reaches.
func BenchmarkSparse(b *testing.B) { benchmarkSolve(b, chains(10, 100), Options{}) }

func BenchmarkSparseSAT(b *testing.B) {
	benchmarkSolve(b, chains(10, 100), Options{satOnly: true})
}

// chains gives one variable that needs a version of a package, which needs a
// version of the next, and so on.
func chains(packages, versions int) *Model {
	m := new(Model)
	var before []Var
	for p := range packages {
		var vars []Var
		for v := range versions {
			vars = append(vars, Var(1+p*versions+v)*1009)
		}
		m.AtMostOne(vars...)
		for i, v := range before {
			m.Depend(v, vars[i:]...)
		}
		if p == 0 {
			m.Root(OneOf(vars...))
		}
		before = vars
	}
	return m
}

// BenchmarkCore explains why none of many versions is possible, in a large
// problem that has nothing else to do with it.
func BenchmarkCore(b *testing.B) {
	m := chains(40, 100)
	var versions []Var
	for v := range Var(150) {
		versions = append(versions, v)
		m.Depend(v)
	}
	m.Root(OneOf(versions...))
	benchmarkSolve(b, m, Options{})
}

// BenchmarkCoreConnected does so where everything has to do with everything.
func BenchmarkCoreConnected(b *testing.B) {
	m := chains(40, 100)
	var versions []Var
	for v := range Var(150) {
		versions = append(versions, v)
		m.Depend(v, 1009)
		m.Depend(v)
	}
	m.Root(OneOf(versions...))
	benchmarkSolve(b, m, Options{})
}

// BenchmarkSegments has a thousand variables require one of the same thousand others: from
// one list that they share, as choices of one package do, and each from a list of its own.
func BenchmarkSegments(b *testing.B) {
	const size = 1000
	for name, list := range map[string]func([]Var) []Var{"shared": func(vars []Var) []Var { return vars }, "own": slices.Clone[[]Var]} {
		m := new(Model)
		var dependents, providers []Var
		for v := range Var(size) {
			dependents, providers = append(dependents, v), append(providers, size+v)
		}
		for _, v := range dependents {
			m.Depend(v, list(providers)...)
		}
		m.AtMostOne(providers...)
		m.Root(OneOf(dependents...))
		b.Run(name, func(b *testing.B) { benchmarkSolve(b, m, Options{satOnly: true}) })
	}
}

func BenchmarkPigeonhole8(b *testing.B) { benchmarkSolve(b, pigeons(8, 7), Options{}) }

func BenchmarkRandom(b *testing.B) {
	var problems []*table
	for seed := range uint64(200) {
		problems = append(problems, randomSource(rand.New(rand.NewPCG(seed, 2))).problem(30))
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range problems {
			solveAny(b, p, Options{})
		}
	}
}

func benchmarkSolve(b *testing.B, p Problem, o Options) {
	b.ReportAllocs()
	for b.Loop() {
		solveAny(b, p, o)
	}
}

// solveAny solves p, which may be unsatisfiable.
func solveAny(b *testing.B, p Problem, o Options) {
	switch _, err := Solve(context.Background(), p, o); err.(type) {
	case nil, *Unsatisfiable:
	default:
		b.Fatal(err)
	}
}
