package solver

import (
	"context"
	"errors"
	"math"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rootsOnly returns a model of roots.
func rootsOnly(formulas ...Formula) *Model {
	m := new(Model)
	for _, f := range formulas {
		m.Root(f)
	}
	return m
}

// ofRule returns a model in which a given variable 0 has one rule.
func ofRule(f Formula) *Model {
	m := new(Model)
	m.Give(m.NewVar())
	m.Require(0, f)
	return m
}

func selfContaining() Formula {
	and := new(And)
	and.Parts = []Formula{and}
	return and
}

// doubling is small in memory, but has 2^64 paths.
func doubling() Formula {
	var f Formula = OneOf(1)
	for range 64 {
		f = &And{Parts: []Formula{f, f}}
	}
	return f
}

func TestInvalidProblems(t *testing.T) {
	tests := map[string]struct {
		problem Problem
		want    string
	}{
		"nil formula":     {rootsOnly(nil), "invalid problem: root 0: formula is nil"},
		"nil choice":      {rootsOnly(OneOf(1), (*Choice)(nil)), "invalid problem: root 1: formula is nil"},
		"nil absent":      {ofRule((*Absent)(nil)), "invalid problem: rule 0 of variable 0: formula is nil"},
		"nil limit":       {ofRule((*AtMost)(nil)), "invalid problem: rule 0 of variable 0: formula is nil"},
		"nil and":         {ofRule((*And)(nil)), "invalid problem: rule 0 of variable 0: formula is nil"},
		"nil or":          {ofRule((*Or)(nil)), "invalid problem: rule 0 of variable 0: formula is nil"},
		"nil part":        {ofRule(&Or{Parts: []Formula{nil}}), "invalid problem: rule 0 of variable 0: formula is nil"},
		"negative limit":  {ofRule(&AtMost{N: -1}), "invalid problem: rule 0 of variable 0: limit is negative"},
		"contains itself": {rootsOnly(selfContaining()), "invalid problem: root 0: formula is nested too deeply, or contains itself"},
		"huge formula":    {rootsOnly(doubling()), "invalid problem: root 0: formula has too many parts"},
		"negative given":  {&table{given: []Var{-7}}, "invalid problem: negative variable -7"},
		"negative choice": {rootsOnly(OneOf(-7)), "invalid problem: negative variable -7"},
		"negative absent": {rootsOnly(NoneOf(-7)), "invalid problem: negative variable -7"},
		"negative limits": {rootsOnly(&AtMost{N: 1, Vars: []Var{-7}}), "invalid problem: negative variable -7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Solve(context.Background(), test.problem, Options{})
			var invalid *Invalid
			require.ErrorAs(t, err, &invalid)
			assert.EqualError(t, err, test.want)
		})
	}
}

func TestInvalidAssumption(t *testing.T) {
	session, err := NewSession(context.Background(), new(Model), Options{})
	require.NoError(t, err)
	_, err = session.Core(context.Background(), Assume{Hold: []Formula{OneOf(), nil}})
	assert.EqualError(t, err, "invalid problem: Assume.Hold[1]: formula is nil")
}

func TestTooLarge(t *testing.T) {
	tests := map[string]struct {
		options Options
		want    TooLarge
	}{
		"variables": {Options{maxVars: 70, satOnly: true}, TooLarge{"variables", 70}},
		"literals":  {Options{MaxLiterals: 100, satOnly: true}, TooLarge{"literals", 100}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Solve(context.Background(), pigeons(9, 9), test.options)
			var tooLarge *TooLarge
			require.ErrorAs(t, err, &tooLarge)
			assert.Equal(t, test.want, *tooLarge)
		})
	}
	// The same problem fits with the least numbers that it needs, and not with one
	// less of either.
	solve := func(o Options) error {
		o.satOnly = true
		_, err := Solve(context.Background(), pigeons(4, 4), o)
		return err
	}
	for what, limited := range map[string]func(n int) Options{
		"variables": func(n int) Options { return Options{maxVars: n} },
		"literals":  func(n int) Options { return Options{MaxLiterals: n} },
	} {
		least := 1 + sort.Search(10_000, func(n int) bool { return solve(limited(n+1)) == nil })
		require.Less(t, least, 10_000)
		assert.NoError(t, solve(limited(least)))
		var tooLarge *TooLarge
		require.ErrorAs(t, solve(limited(least-1)), &tooLarge)
		assert.Equal(t, TooLarge{what, least - 1}, *tooLarge)
	}
	_, err := Solve(context.Background(), pigeons(9, 9), Options{maxVars: math.MaxInt, MaxLiterals: math.MaxInt, satOnly: true})
	assert.NoError(t, err)
}

// panicking is a problem whose author made a mistake.
type panicking struct{ Model }

var errPanicking = errors.New("index out of the caller's range")

func (panicking) Rules(Var) []Rule { panic(errPanicking) }

func TestPanicOfTheProblem(t *testing.T) {
	var p panicking
	p.Give(0)
	_, err := Solve(context.Background(), &p, Options{})
	var internal *Internal
	require.ErrorAs(t, err, &internal)
	assert.ErrorIs(t, err, errPanicking)
	assert.NotEmpty(t, internal.Stack)
	_, err = NewSession(context.Background(), &p, Options{})
	assert.ErrorIs(t, err, errPanicking)
	_, err = Solve(context.Background(), nil, Options{})
	assert.ErrorAs(t, err, &internal)
}

func TestErrorTexts(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&Incomplete{phaseSearch, context.Canceled}, "solving ended early (searching): context canceled"},
		{&Incomplete{phaseEncode, &ConflictLimit{7}}, "solving ended early (writing down what has to hold): more than 7 conflicts"},
		{&Invalid{Owner: 3, Rule: -1, Problem: "odd"}, "invalid problem: variable 3: odd"},
		{&TooLarge{"literals", 5}, "problem too large: more than 5 literals"},
		{&Internal{Value: "odd"}, "internal error of the solver: odd"},
		{&Unsatisfiable{Core: []Reason{
			{Kind: KindGiven, Var: 1},
			{Kind: KindRoot, Rule: 2},
			{Kind: KindRule, Var: 3, Rule: 4},
			{Kind: KindGroup, Group: 5},
			{Kind: KindSelect, Var: 6},
			{Kind: KindHold, Rule: 8},
			{Kind: 99},
		}}, "unsatisfiable: these cannot hold together: variable 1 is given; root 2; rule 4 of variable 3; " +
			"at most one of group 5; variable 6 is to be selected; " +
			"formula 8 is to hold; reason of unknown kind 99"},
	} {
		assert.EqualError(t, test.err, test.want)
	}
}

func TestKindTexts(t *testing.T) {
	var texts []string
	for k := KindGiven; k <= KindHold+1; k++ {
		texts = append(texts, k.String())
	}
	assert.Equal(t, []string{"given", "root", "rule", "group", "select", "hold", "unknown kind 7"}, texts)
	assert.Equal(t, "unknown kind 0", Kind(0).String())
}
