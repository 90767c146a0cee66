package resolver

import (
	"context"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/status"
	"github.com/resolvent/resolvent/resolver/result"
)

// Justify resolves a scope and states why each bundle of the answer was selected, in the
// order in which they were. For each choice that is not the best one it takes a few
// resolutions. It resolves the scope by itself: it does not know what ResolveAll chooses
// jointly, or for scopes before it. The errors are those of Resolve.
func (r *Resolver) Justify(ctx context.Context, p Problem, scope cluster.Scope) ([]result.Justification, error) {
	return outcome.Justify(ctx, r.alone(ctx, p, scope))
}

// WhyNot returns why a bundle is not selected, and fixes with which it is. For a selected
// bundle it returns the chain from a request to it. The bundle is a name or PACKAGE@VERSION.
// If no such bundle can be selected, the Bundle of the answer is zero. Like Justify, it
// resolves the scope by itself. The errors are those of Resolve, and *UnknownBundle; that of Resolve
// if a request asks for the package, which can stand alone then, and no catalog has it.
func (r *Resolver) WhyNot(ctx context.Context, p Problem, scope cluster.Scope, bundle string) (j *result.Justification, err error) {
	return outcome.WhyNot(ctx, r.alone(ctx, p, scope), bundle)
}

// Path finds the shortest sequence of updates from the installed bundle of a request to a
// target, each along an edge of a channel. The target is a bundle by name or version, or the
// head of the request if to is empty. If the channel does not lead there, the path changes
// it, as seldom as possible. Each update resolves the whole scope of the request, and other
// requests take their updates as in Resolve.
//
// The error is an *result.NoPath, an *Incomplete if the budget or the context ended, or one
// of those of Resolve for the scope as it is.
func (r *Resolver) Path(ctx context.Context, p Problem, request cluster.RequestKey, to string) (_ *result.Path, err error) {
	defer pace.Recover(&err, "searching a path for", request.String)
	return status.FindPath(ctx, r.alone(ctx, p, request.Scope()), request, to)
}

// Lifts returns what lifts each choice of the answer for a scope that is below its head, at
// most twenty, in the order of the warnings. Each takes a search for fixes, and one for each
// change that one would try first. It resolves the scope by itself, as Justify does. If the
// context ends, the error is an *Incomplete. The errors are those of Resolve.
func (r *Resolver) Lifts(ctx context.Context, p Problem, scope cluster.Scope) ([]result.Lift, error) {
	return outcome.Lifts(ctx, r.alone(ctx, p, scope))
}
