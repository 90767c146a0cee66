package resolver

import (
	"context"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Justify resolves a scope and justifies every bundle of the answer, in the
// order in which they were selected. It costs a few resolutions for each choice
// that is not the first of its order. The errors are those of Resolve. It regards the
// scope by itself: what ResolveAll chooses jointly, or for others before it, it does not
// know.
func (r *Resolver) Justify(ctx context.Context, p Problem, scope cluster.Scope) ([]result.Justification, error) {
	return outcome.Justify(ctx, r.engine, p.inputs(scope))
}

// WhyNot says why a bundle, given by its name or as PACKAGE@VERSION, is not
// selected, and what would have it selected. Of one that is selected it says why: the
// chain from a request to it. Without such a bundle that can be selected, the Bundle of the
// answer is none. The errors are those of Resolve, and *UnknownBundle. Like Justify, it
// regards the scope by itself.
func (r *Resolver) WhyNot(ctx context.Context, p Problem, scope cluster.Scope, bundle string) (j *result.Justification, err error) {
	err = outcome.Ask(ctx, r.engine, p.inputs(scope), func(ctx context.Context, s *explain.Solved, failed error) error {
		j, err = plan.WhyNot(ctx, r.engine, s, bundle, failed)
		return err
	})
	if err != nil {
		plan.QuoteConditions(err, p.Cluster)
		return nil, err
	}
	return j, nil
}

// Path finds the shortest sequence of updates, each along an edge of a channel, from
// what a request has installed to the target: a bundle by name or version, or where
// updates lead in the end if to is empty. Where the channel does not lead there, it is
// changed, as seldom as possible. After each update the whole scope of the request is
// resolved, with the other requests taking their updates as in Resolve.
//
// The error is a *NoPath, an *Incomplete if the budget or the context ended, or
// one of those of Resolve for the scope as it is.
func (r *Resolver) Path(ctx context.Context, p Problem, request cluster.RequestKey, to string) (_ *updates.Path, err error) {
	defer pace.Recover(&err, "searching a path for", request.String)
	return plan.FindPath(ctx, r.engine, p.inputs(request.Scope()), request, to)
}

// Uninstallable returns the bundles of the judged catalogs that cannot be part
// of any consistent selection from all catalogs of the problem, in an empty
// namespace which sees them all. They are ordered by catalog, as judged, then by
// ID. A bundle counts even if only a request for it by name could reach it.
//
// Of the cluster only the versions count. The error is *CatalogsUnhealthy,
// *InvalidInput, *Incomplete or *Internal.
func (r *Resolver) Uninstallable(ctx context.Context, p Problem, judged ...catalog.Key) (_ []result.Uninstallable, err error) {
	defer pace.Recover(&err, "judging catalogs")
	return plan.Uninstallable(ctx, r.engine, p.inputs(cluster.InNamespace(plan.InstallabilityNamespace)), judged)
}
