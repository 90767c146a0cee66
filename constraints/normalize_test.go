package constraints_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

// show writes a normalized expression over labels: &(a |(b !c)).
func show(e constraints.Expr) string {
	switch e := e.(type) {
	case constraints.Not:
		return "!" + e.Exprs[0].(constraints.Label).Label
	case constraints.All:
		return "&(" + showAll(e.Exprs) + ")"
	case constraints.Any:
		return "|(" + showAll(e.Exprs) + ")"
	}
	return e.(constraints.Label).Label
}

func showAll(parts []constraints.Expr) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = show(part)
	}
	return strings.Join(texts, " ")
}

func TestNormalize(t *testing.T) {
	a, b := constraints.Label{Label: "a"}, constraints.Label{Label: "b"}
	allOf := func(e ...constraints.Expr) constraints.Expr { return constraints.All{Exprs: e} }
	anyOf := func(e ...constraints.Expr) constraints.Expr { return constraints.Any{Exprs: e} }
	noneOf := func(e ...constraints.Expr) constraints.Expr { return constraints.Not{Exprs: e} }

	for _, test := range []struct {
		expr constraints.Expr
		want string
	}{
		{a, "a"},
		{allOf(a), "&(a)"},
		{allOf(a, allOf(b)), "&(a &(b))"},
		{anyOf(a, b), "|(a b)"},
		{noneOf(a), "!a"},
		{noneOf(a, b), "&(!a !b)"},
		{noneOf(noneOf(a)), "a"},
		{noneOf(noneOf(a, b)), "|(a b)"},
		{noneOf(noneOf(noneOf(a))), "!a"},
		{noneOf(allOf(a, b)), "|(!a !b)"},
		{noneOf(anyOf(a, b)), "&(!a !b)"},
		{noneOf(allOf(a, noneOf(b))), "|(!a b)"},
		{anyOf(noneOf(a), b), "|(!a b)"},
	} {
		assert.Equal(t, test.want, show(constraints.Normalize(test.expr)), constraints.Key(test.expr))
	}
}

// A normalized expression holds on a bundle exactly if the expression does.
func TestNormalizeKeepsTheMeaning(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		e := randomExpr(rng, 4)
		var more []string
		for _, label := range []string{"a", "b", "c"} {
			if rng.IntN(2) == 0 {
				more = append(more, properties.TypeLabel, `{"label":"`+label+`"}`)
			}
		}
		set := bundle(t, more...)
		verdict, _, err := constraints.Match(context.Background(), e, set, rules.Facts{})
		require.NoError(t, err)
		require.Equal(t, verdict == rules.Yes, holds(constraints.Normalize(e), set), constraints.Key(e))
	}
}

func randomExpr(rng *rand.Rand, depth int) constraints.Expr {
	kind := rng.IntN(4)
	if depth == 0 || kind == 0 {
		return constraints.Label{Label: string(rune('a' + rng.IntN(3)))}
	}
	exprs := make([]constraints.Expr, 1+rng.IntN(3))
	for i := range exprs {
		exprs[i] = randomExpr(rng, depth-1)
	}
	switch kind {
	case 1:
		return constraints.All{Exprs: exprs}
	case 2:
		return constraints.Any{Exprs: exprs}
	}
	return constraints.Not{Exprs: exprs}
}

func holds(e constraints.Expr, set *properties.Set) bool {
	fails := func(e constraints.Expr) bool { return !holds(e, set) }
	switch e := e.(type) {
	case constraints.Not:
		return fails(e.Exprs[0])
	case constraints.All:
		return !slices.ContainsFunc(e.Exprs, fails)
	case constraints.Any:
		return slices.ContainsFunc(e.Exprs, func(e constraints.Expr) bool { return !fails(e) })
	}
	return set.HasLabel(e.(constraints.Label).Label)
}
