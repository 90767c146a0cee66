package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/solver"
)

// GoalFixes are the fixes of a goal, and in the words of the oracle the causes that say what
// their changes are for.
type GoalFixes struct {
	fix.Every
	Causes []oracle.Cause
}

// EveryFixOf finds all minimal fixes of a goal of what has an answer; nothing for what has
// none.
func EveryFixOf(ctx context.Context, r *Resolver, problem Problem, scope cluster.Scope, g fix.Goal) (*fix.Every, error) {
	m, err := r.engine.Read(ctx, problem.inputs(scope))
	if err != nil {
		return nil, nil // it has no answer
	}
	if _, err := solver.Solve(ctx, m.Model, solver.Options{}); err != nil {
		return nil, nil
	}
	return fix.SearchEveryOf(ctx, r.engine, m, g), nil
}

// EveryFix finds all minimal fixes of each goal, also those that are not listed; nothing for
// what has an answer, or another kind of failure.
func EveryFix(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) (list []GoalFixes, err error) {
	m, err := r.engine.Read(ctx, problem.inputs(scopes...))
	if err != nil {
		return nil, nil // another kind of failure
	}
	_, err = solver.Solve(ctx, m.Model, solver.Options{})
	unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
	if !ok {
		return nil, err
	}
	sorted, err := cause.Find(ctx, m, unsatisfiable.Core)
	if err != nil {
		return nil, err
	}
	for _, every := range fix.SearchEvery(ctx, r.engine, m, sorted) {
		goal := GoalFixes{Every: every}
		for _, c := range sorted.Causes {
			goal.Causes = append(goal.Causes, causeTold(m, c))
		}
		for _, u := range every.Uncovered {
			goal.Causes = append(goal.Causes, causeTold(u.Problem, u.Cause))
		}
		list = append(list, goal)
	}
	return list, nil
}
