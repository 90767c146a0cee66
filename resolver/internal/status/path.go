package status

import (
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// FindPath finds a path of updates and, if there is none, fixes. It implements
// Resolver.Path.
func FindPath(ctx context.Context, w world.World, key cluster.RequestKey, name string) (*result.Path, error) {
	found, err := route.New(ctx, w, key).Find(name)
	if err == nil && len(found.Steps) > 0 {
		path := *found
		if plan := outcome.Waiting(w.In.Cluster, key); plan != nil {
			if slices.Contains(plan.CSVs, path.Steps[0].Bundle) {
				path.InstallPlan = plan.Name
			} else {
				path.Instead = &result.WaitingPlan{InstallPlan: plan.Name, Bundles: plan.CSVs}
			}
		}
		return &path, nil
	}
	if invalid, ok := errors.AsType[*result.InvalidInput](err); ok {
		whole := *invalid
		if t := w.Read(ctx); t.Refused && !w.In.Options.NoFixes {
			whole.Help = fix.SearchGoal(t, fix.Reaches{Request: key, To: name})
			whole.Runs, whole.Until = outcome.Runs(whole.Fixes, w.In.Cluster, key)
		}
		return nil, &whole
	}
	none, ok := errors.AsType[*result.NoPath](err)
	if ok && len(none.Blocked) > 0 {
		patient := route.New(ctx, w, key)
		patient.Bare, patient.Awaiting = true, true
		waited, err := patient.Find(name)
		if incomplete, ended := errors.AsType[*result.Incomplete](err); ended && ctx.Err() != nil {
			return nil, incomplete
		}
		if err == nil {
			return waited, nil
		}
	}
	if !ok || w.In.Options.NoFixes {
		return found, err
	}
	t := w.Read(ctx)
	if t.Err != nil {
		return nil, t.Err
	}
	var why []*result.Explanation
	for _, b := range none.Blocked {
		if failed, ok := errors.AsType[*result.NotSatisfiable](b.Err); ok {
			why = append(why, failed.Explanation)
		}
	}
	whole := *none
	whole.Help = fix.SearchGoal(t, fix.Reaches{Request: key, To: none.To}, why...)
	if len(why) > 0 {
		whole.Repair = outcome.Repair(t.In.Cluster, key.Namespace)
	}
	p, r := t.Problem.Root(t.Problem.RootOf(key))
	if len(why) == 0 {
		whole.Others = append(whole.Others, fix.Update(p, r, whole.Fixes)...)
	}
	if len(none.Reached) <= 1 && !request.Comes(p, r) { // else it gets updates
		whole.Runs, whole.Until = outcome.Runs(whole.Fixes, t.In.Cluster, key)
	}
	return nil, &whole
}
