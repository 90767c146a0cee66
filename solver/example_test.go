package solver_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/resolvent/resolvent/solver"
)

// Two things are wanted, and both need a database. The first prefers the newer
// one, the second works with the older one only.
func ExampleSolve() {
	var m solver.Model
	shop, blog := m.NewVar(), m.NewVar()
	newer, older := m.NewVar(), m.NewVar()
	m.Give(shop, blog)
	m.Depend(shop, newer, older)
	m.Depend(blog, older)
	m.AtMostOne(newer, older)

	solution, err := solver.Solve(context.Background(), &m, solver.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	names := map[solver.Var]string{shop: "shop", blog: "blog", newer: "newer database", older: "older database"}
	for _, s := range solution.Selected {
		if s.Owner == solver.None {
			fmt.Println(names[s.Var])
			continue
		}
		fmt.Printf("%s, choice %d of %s\n", names[s.Var], s.Place+1, names[s.Owner])
	}
	// Output:
	// shop
	// blog
	// older database, choice 2 of shop
}

// When nothing satisfies all demands, the error holds a minimal set of those that
// contradict each other: the cache has no part in it.
func ExampleSolve_unsatisfiable() {
	var m solver.Model
	shop, blog, cache := m.NewVar(), m.NewVar(), m.NewVar()
	newer, older := m.NewVar(), m.NewVar()
	m.Give(shop, blog, cache)
	m.Depend(shop, newer)
	m.Depend(blog, older)
	m.Depend(cache, newer, older)
	m.AtMostOne(newer, older)

	_, err := solver.Solve(context.Background(), &m, solver.Options{})
	var unsatisfiable *solver.Unsatisfiable
	if errors.As(err, &unsatisfiable) {
		for _, reason := range unsatisfiable.Core {
			fmt.Println(reason)
		}
	}
	// Output:
	// variable 0 is given
	// variable 1 is given
	// rule 0 of variable 0
	// rule 0 of variable 1
	// at most one of group 0
}

// With one thing, another must be there, too: a disjunction that an absence
// satisfies is examined again when that changes.
func ExampleOr() {
	var m solver.Model
	app, proxy, certificates := m.NewVar(), m.NewVar(), m.NewVar()
	m.Root(&solver.Or{Parts: []solver.Formula{solver.NoneOf(proxy), solver.OneOf(certificates)}})
	m.Give(app)
	m.Depend(app, proxy)

	solution, err := solver.Solve(context.Background(), &m, solver.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range solution.Selected {
		fmt.Println(s.Var)
	}
	// Output:
	// 0
	// 1
	// 2
}

// A session answers what would be possible, on one encoding of the problem.
func ExampleSession() {
	var m solver.Model
	shop, blog := m.NewVar(), m.NewVar()
	newer, older := m.NewVar(), m.NewVar()
	m.Give(shop, blog)
	m.Depend(shop, newer, older)
	m.Depend(blog, older)
	m.AtMostOne(newer, older)

	ctx := context.Background()
	session, err := solver.NewSession(ctx, &m, solver.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	why, err := session.Core(ctx, solver.Assume{Select: []solver.Var{newer}})
	fmt.Println(why, err)
	without, err := session.Satisfiable(ctx, solver.Assume{
		Select:       []solver.Var{newer},
		WithoutGiven: []solver.Var{blog},
	})
	fmt.Println(without, err)
	// Output:
	// [variable 1 is given rule 0 of variable 1 at most one of group 0 variable 2 is to be selected] <nil>
	// true <nil>
}
