package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/solver"
)

// EveryFix finds all minimal fixes of each goal, not only those that are listed; nothing for
// what has an answer, or another kind of failure.
func EveryFix(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) ([]fix.Every, error) {
	m, err := r.engine.Read(ctx, func() {}, problem.inputs(scopes...))
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
	return fix.SearchEvery(ctx, r.engine, m, sorted), nil
}
