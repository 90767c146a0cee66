package resolver

import (
	"context"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/result"
)

// GoalFixes are the fixes of a goal, and in the words of the oracle the causes that say what
// their changes are for.
type GoalFixes struct {
	fix.Every
	Causes []oracle.Cause
}

// EveryFixOf finds all minimal fixes of a goal of what has an answer. The list is not whole for
// what has none, or if a limit ended the search.
func EveryFixOf(ctx context.Context, r *Resolver, problem Problem, scope cluster.Scope, g fix.Goal) (list []result.Fix, whole bool) {
	if t := r.world(problem, scope).Try(ctx); t.Solution != nil {
		return fix.SearchEveryOf(t, g)
	}
	return nil, false
}

// EveryFix finds all minimal fixes of each goal, also those that are not listed; nothing for
// what has an answer, or another kind of failure.
func EveryFix(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) (list []GoalFixes, err error) {
	t, err := contradiction(ctx, r, problem, scopes)
	if t == nil {
		return nil, err
	}
	sorted, err := cause.Find(t.Problem, t.Core)
	if err != nil {
		return nil, err
	}
	for _, every := range fix.SearchEvery(t, sorted) {
		goal := GoalFixes{Every: every}
		for _, c := range sorted.Causes {
			goal.Causes = append(goal.Causes, causeTold(t.Problem, c))
		}
		for _, u := range every.Uncovered {
			goal.Causes = append(goal.Causes, causeTold(u.Problem, u.Cause))
		}
		list = append(list, goal)
	}
	return list, nil
}
