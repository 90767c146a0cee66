package solver

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// source makes small problems of bytes. It yields zeros after its end.
type source struct {
	bytes []byte
	long  [][]Var // segments that several formulas share
}

func randomSource(r *rand.Rand) *source {
	s := &source{bytes: make([]byte, 40+r.IntN(300))}
	for i := range s.bytes {
		s.bytes[i] = byte(r.UintN(256))
	}
	return s
}

// below returns a number in [0, n).
func (s *source) below(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

// table is a problem written out.
type table struct {
	given  []Var
	roots  []Rule
	rules  map[Var][]Rule
	groups map[Var][]Group
}

func (p *table) Given() []Var         { return p.given }
func (p *table) Roots() []Rule        { return p.roots }
func (p *table) Rules(v Var) []Rule   { return p.rules[v] }
func (p *table) Groups(v Var) []Group { return p.groups[v] }

// problem makes a problem of at most maxVars variables, with handles that are
// not dense.
func (s *source) problem(maxVars int) *table {
	p := &table{rules: map[Var][]Rule{}, groups: map[Var][]Group{}}
	all := make([]Var, 2+s.below(maxVars-1))
	for i := range all {
		all[i] = Var(i * 1009)
	}
	s.long = [][]Var{s.vars(all, 2*sharedMin), s.vars(all, 2*sharedMin)}
	p.given = s.vars(all, 2)
	for range s.below(4) {
		p.roots = append(p.roots, Rule{Formula: s.formula(all, 0)})
	}
	rules, groups := 2+s.below(3), 1+s.below(3)
	for _, v := range all {
		for range s.below(rules) {
			p.rules[v] = append(p.rules[v], Rule{Formula: s.formula(all, 0)})
		}
		for range s.below(groups) {
			p.groups[v] = append(p.groups[v], Group(s.below(2+groups)-2))
		}
	}
	return p
}

// packages makes a problem of packages in a few versions, of which at most one
// is selected, and that depend on versions of each other: one that often takes
// more than the first candidates.
func (s *source) packages() *table {
	const packages, versions = 4, 3
	p := &table{rules: map[Var][]Rule{}, groups: map[Var][]Group{}}
	for v := range Var(packages * versions) {
		p.groups[v] = []Group{Group(v / versions)}
		for range s.below(3) {
			p.rules[v] = append(p.rules[v], Rule{Formula: OneOf(s.versions(packages, versions)...)})
		}
	}
	for range 1 + s.below(3) {
		p.roots = append(p.roots, Rule{Formula: OneOf(s.versions(packages, versions)...)})
	}
	return p
}

// versions returns some versions of one package, and sometimes of two.
func (s *source) versions(packages, versions int) []Var {
	var vars []Var
	for range 1 + s.below(4)/3 {
		first := Var(s.below(packages) * versions)
		for v := range Var(versions) {
			if s.below(2) == 0 {
				vars = append(vars, first+v)
			}
		}
	}
	if len(vars) == 0 {
		vars = append(vars, Var(s.below(packages*versions)))
	}
	return vars
}

func (s *source) vars(all []Var, atMost int) []Var {
	var vars []Var
	for range s.below(atMost + 1) {
		vars = append(vars, all[s.below(len(all))])
	}
	return vars
}

func (s *source) formula(all []Var, depth int) Formula {
	kind := s.below(14)
	if depth >= 3 {
		kind %= 10
	}
	switch kind {
	case 0:
		return &Absent{Vars: [][]Var{s.vars(all, 2), s.vars(all, 1)}}
	case 1:
		return &AtMost{N: s.below(4), Vars: s.vars(all, 9)}
	case 2:
		return &Choice{Candidates: [][]Var{s.vars(all, 2)}, Also: s.vars(all, 2)}
	case 3:
		return &Choice{Candidates: [][]Var{s.vars(all, 1), s.long[0]}, Also: s.long[1]}
	case 4:
		return &Absent{Vars: s.long[s.below(2):]}
	case 10, 11:
		return &And{Parts: s.formulas(all, depth+1)}
	case 12, 13:
		return &Or{Parts: s.formulas(all, depth+1)}
	}
	return &Choice{Candidates: [][]Var{s.vars(all, 3), s.vars(all, 2), {all[s.below(len(all))]}}}
}

func (s *source) formulas(all []Var, depth int) []Formula {
	var parts []Formula
	for range s.below(4) {
		parts = append(parts, s.formula(all, depth))
	}
	return parts
}

func (s *source) assume(p *table, all []Var) Assume {
	a := Assume{Select: s.vars(all, 2), WithoutGiven: s.vars(all, 1)}
	for range s.below(2) {
		a.Hold = append(a.Hold, s.formula(all, 2))
	}
	if len(p.roots) > 0 {
		a.WithoutRoots = []int{s.below(len(p.roots))}
	}
	return a
}

// forRandom runs a check on many random problems.
func forRandom(t *testing.T, check func(t require.TestingT, s *source)) {
	t.Helper()
	for seed := range testkit.Seeds(t, testkit.Scale(500, 4000)) {
		check(seeded{t, seed}, randomSource(rand.New(rand.NewPCG(seed, 0))))
	}
}

// seeded is a test that names the seed when it fails.
type seeded struct {
	*testing.T
	seed uint64
}

func (s seeded) Errorf(format string, args ...any) {
	s.T.Errorf("seed %d: "+format, append([]any{s.seed}, args...)...)
}

func TestRandomAgainstBruteForce(t *testing.T) {
	satisfiable, greedy := 0, 0
	forRandom(t, func(t require.TestingT, s *source) {
		p := s.problem(10)
		if s.below(4) == 0 {
			p = s.packages()
		}
		if checkAgainstBruteForce(t, p) {
			satisfiable++
		}
		if answeredGreedily(p) {
			greedy++
		}
	})
	t.Logf("%d satisfiable, %d of them greedily", satisfiable, greedy)
	assert.NotZero(t, greedy)
	assert.Greater(t, satisfiable, greedy)
}

// checkAgainstBruteForce checks both ways to the answer, and reports whether
// there is one.
func checkAgainstBruteForce(t require.TestingT, p Problem) bool {
	b := newBrute(p)
	want, ok := b.answer()
	for _, o := range []Options{{}, {satOnly: true}} {
		solution, err := Solve(context.Background(), p, o)
		if !ok {
			var unsat *Unsatisfiable
			require.ErrorAs(t, err, &unsat)
			checkCore(t, b, unsat.Core, Assume{})
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, stepsOf(solution))
		checkProvenance(t, p, solution)
	}
	return ok
}

func stepsOf(solution *Solution) []step {
	var steps []step
	for _, s := range solution.Selected {
		steps = append(steps, step{s.Var, s.Owner})
	}
	return steps
}

// checkProvenance checks that each selection points at itself.
func checkProvenance(t require.TestingT, p Problem, solution *Solution) {
	for _, s := range solution.Selected {
		if s.Leaf == nil {
			require.Contains(t, p.Given(), s.Var)
			require.Equal(t, -1, s.Rule)
			require.Equal(t, -1, s.Place)
			continue
		}
		members := membersOf(s.Leaf)
		require.Equal(t, s.Var, members[s.Place])
		rules := p.Roots()
		if s.Owner != None {
			rules = p.Rules(s.Owner)
		}
		require.True(t, contains(rules[s.Rule].Formula, s.Leaf))
	}
}

func contains(f Formula, leaf *Choice) bool {
	parts, _ := partsOf(f)
	return f == Formula(leaf) || slices.ContainsFunc(parts, func(part Formula) bool { return contains(part, leaf) })
}

// checkCore checks that the core is contradictory and minimal.
func checkCore(t require.TestingT, b *brute, core []Reason, a Assume) {
	require.False(t, b.satisfiable(core, a), "the core %v can be satisfied", core)
	for i := range core {
		rest := slices.Delete(slices.Clone(core), i, i+1)
		require.True(t, b.satisfiable(rest, a), "the core %v does not need %v", core, core[i])
	}
}

func answeredGreedily(p Problem) bool {
	w := workspaces.New().(*workspace)
	w.begin(context.Background(), p)
	w.refuter.reset()
	_, err := w.search.run(&w.refuter)
	return err == nil
}

func TestRandomSessions(t *testing.T) {
	ctx := context.Background()
	forRandom(t, func(t require.TestingT, s *source) {
		p := s.problem(8)
		var all []Var
		for i := range Var(10) {
			all = append(all, i*1009)
		}
		further := s.vars(all, 2)
		b := newBrute(p, further...)
		session, err := NewSession(ctx, p, Options{}, further...)
		require.NoError(t, err)
		for range 3 {
			a := s.assume(p, all)
			reasons := allReasons(b, a)
			want := b.satisfiable(reasons, a)
			got, err := session.Satisfiable(ctx, a)
			require.NoError(t, err)
			require.Equal(t, want, got)
			core, err := session.Core(ctx, a)
			require.NoError(t, err)
			require.Equal(t, want, core == nil)
			if !want {
				require.Subset(t, reasons, core)
				checkCore(t, b, core, a)
			}
		}
	})
}

// TestRandomRefusals: what a solution passed over contradicts what stood before.
func TestRandomRefusals(t *testing.T) {
	ctx := context.Background()
	forRandom(t, func(t require.TestingT, s *source) {
		p := s.problem(8)
		solution, err := Solve(ctx, p, Options{})
		if err != nil {
			return
		}
		b := newBrute(p)
		refusals, err := solution.Refusals(ctx, p, Options{})
		require.NoError(t, err)
		for k, selection := range solution.Selected {
			if selection.Leaf == nil {
				continue
			}
			candidates := slices.Concat(selection.Leaf.Candidates...)
			for _, v := range candidates[:min(selection.Place, len(candidates))] {
				a := beside(solution, k, v)
				core, err := refusals.Core(ctx, k, v)
				require.NoError(t, err)
				require.NotEmpty(t, core)
				require.Subset(t, allReasons(b, a), core)
				checkCore(t, b, core, a)
			}
		}
	})
}

// beside assumes v beside all that was selected and committed to before the k-th
// selection.
func beside(solution *Solution, k int, v Var) (a Assume) {
	for _, before := range solution.Selected[:k] {
		a.Select = append(a.Select, before.Var)
	}
	a.Select = append(a.Select, v)
	for _, c := range solution.Commitments {
		if c.After <= k {
			a.Hold = append(a.Hold, c.Or.Parts[c.Part])
		}
	}
	return a
}

// allReasons returns every demand that is made under a.
func allReasons(b *brute, a Assume) []Reason {
	var all []Reason
	for _, v := range b.problem.Given() {
		all = append(all, Reason{Kind: KindGiven, Var: v, Rule: -1})
	}
	for i := range b.problem.Roots() {
		all = append(all, Reason{Kind: KindRoot, Var: None, Rule: i})
	}
	for _, v := range b.universe {
		for i := range b.problem.Rules(v) {
			all = append(all, Reason{Kind: KindRule, Var: v, Rule: i})
		}
		for _, g := range b.problem.Groups(v) {
			all = append(all, Reason{Kind: KindGroup, Var: None, Rule: -1, Group: g})
		}
	}
	all = slices.DeleteFunc(all, func(r Reason) bool { return takesBack(a, r) })
	for _, v := range a.Select {
		all = append(all, Reason{Kind: KindSelect, Var: v, Rule: -1})
	}
	for i := range a.Hold {
		all = append(all, Reason{Kind: KindHold, Var: None, Rule: i})
	}
	return all
}

func FuzzSolve(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomSource(rand.New(rand.NewPCG(seed, 1))).bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 400 {
			return // longer than any problem of this size needs
		}
		checkAgainstBruteForce(t, (&source{bytes: data}).problem(7))
	})
}

// takesBack reports whether a question does without the demand.
func takesBack(a Assume, r Reason) bool {
	return r.Kind == KindGiven && slices.Contains(a.WithoutGiven, r.Var) ||
		r.Kind == KindRoot && slices.Contains(a.WithoutRoots, r.Rule)
}
