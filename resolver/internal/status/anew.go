package status

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// planning finds what OLM plans anew in a namespace once an InstallPlan is deleted that waits, and
// that brings a bundle that no catalog has any more, or others than resolving brings now. OLM resolves
// the namespace again only then.
type planning struct {
	w world.World
	// rows are those of the namespace, as resolving it has them.
	rows   []result.Status
	manual bool // a Subscription of the namespace is Manual
	t      *world.Try
	// planned is what comes once any InstallPlan is deleted.
	planned *result.Fix
}

// try reads the namespace, and resolves it if it can be.
func (a *planning) try(ctx context.Context) *world.Try {
	if a.t == nil {
		a.t = a.w.Satisfy(ctx)
	}
	return a.t
}

// repair returns what to do about the InstallPlan of a request that fails, if that plan waits for
// a bundle that no catalog has any more; else nil.
func (a *planning) repair(ctx context.Context, request cluster.RequestKey) *result.Repair {
	plan := outcome.Waiting(a.w.In.Cluster, request)
	if plan == nil {
		return nil
	}
	gone := a.goneOf(ctx, plan.Name)
	if len(gone) == 0 {
		return nil
	}
	o := result.Object{Kind: words.ObjectInstallPlan, Namespace: request.Namespace, Name: plan.Name}
	return &result.Repair{Kind: words.RepairPlanAnew, Object: o, Namespace: o.Namespace, Waiting: plan.Name, Is: "RequiresApproval", Stated: words.NoGivenCatalog(words.Listed(gone, words.MaxNamed))}
}

// gone reports whether no catalog has a bundle that an InstallPlan brings. Where the content of a
// catalog was not given, that is not known.
func (a *planning) gone(ctx context.Context, plan string) bool { return len(a.goneOf(ctx, plan)) > 0 }

// stale reports whether nothing else is wrong with a waiting InstallPlan than that resolving the
// namespace brings other bundles now. Where the content of a catalog was not given, that is not known.
func (a *planning) stale(ctx context.Context, plan string, judged *result.Approval) bool {
	if judged == nil || judged.InstallPlan != plan || !judged.Waits() || slices.ContainsFunc(judged.Reasons, func(r result.ApprovalReason) bool { return r.Kind != words.ApprovalStale }) {
		return false
	}
	t := a.try(ctx)
	if t.Solution == nil || len(t.Problem.Scopes[0].Part.Visibility.NotGiven) > 0 {
		return false
	}
	then := a.fix(ctx, plan).Then
	return inventory.CarriedOut(t.Problem.Scopes[0].Part.State, a.named(plan)) == nil && len(then.Updates)+len(then.Installs) > 0
}

// named returns an InstallPlan of the namespace, nil if it is not there.
func (a *planning) named(plan string) *cluster.InstallPlan {
	n := a.w.In.Cluster.In(a.w.In.Scopes[0].Namespace())
	return inventory.Named(n.InstallPlans, plan, func(p *cluster.InstallPlan) string { return p.Name })
}

func (a *planning) goneOf(ctx context.Context, plan string) []string {
	waiting := a.named(plan)
	if waiting == nil || a.try(ctx).Problem == nil || len(a.t.Problem.Scopes) == 0 {
		return nil
	}
	p := a.t.Problem.Scopes[0].Part
	if len(p.Visibility.NotGiven) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(waiting.CSVs), func(name string) bool {
		_, _, b := find(p, name)
		return b != nil || quarantined(p, name) != nil
	})
}

// fix returns the fix that deletes an InstallPlan.
func (a *planning) fix(ctx context.Context, plan string) result.Fix {
	if a.planned == nil {
		a.planned = new(a.plan(ctx))
	}
	f := *a.planned
	o := result.Object{Kind: words.ObjectInstallPlan, Namespace: a.w.In.Scopes[0].Namespace(), Name: plan}
	f.Changes = []result.Change{{Object: o, Steps: []result.Step{{Object: o}}}}
	return f
}

// plan returns what a fix leads to. What fails by a cause of its own keeps the namespace from being
// resolved.
func (a *planning) plan(ctx context.Context) result.Fix {
	f := result.Fix{Class: result.ClassSafe, Approval: a.manual}
	t := a.try(ctx)
	if t.Solution == nil {
		for i := range a.rows {
			if a.rows[i].State == result.StateFailed {
				f.Waiting = append(f.Waiting, a.rows[i].Request)
			}
		}
		t = a.w.Without(func(s cluster.Subscription) bool { return slices.Contains(f.Waiting, s.Key()) }).Satisfy(ctx)
	}
	if t.Solution != nil {
		f.Then = answer.EffectOf(t.Problem, answer.ChangeSet{Scopes: t.In.Scopes}, []*world.Try{t}).Then
	}
	return f
}
