package resolver

import (
	"context"
	"sync"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// Resolver answers questions about problems. It is safe for any number of goroutines. It
// caches what it derives from catalogs, within bounds, and shares that between calls. The
// zero Resolver is ready to use, and must not be copied after its first call.
type Resolver struct {
	once   sync.Once
	engine *world.Engine
}

// New returns a Resolver with an empty cache.
func New() *Resolver { return &Resolver{} }

// world returns the world of a call about the scopes.
func (r *Resolver) world(p Problem, scopes ...cluster.Scope) world.World {
	r.once.Do(func() { r.engine = world.NewEngine() })
	return world.New(r.engine, p.inputs(scopes...))
}

// alone returns the world of a call about one scope, at its turn.
func (r *Resolver) alone(ctx context.Context, p Problem, scope cluster.Scope) world.World {
	w := r.world(p)
	return outcome.TurnsOf(ctx, w, scope).At(w, scope)
}

// Resolve chooses the bundles to install, keep and replace for the Subscriptions of a
// namespace, or for a ClusterExtension, with their dependencies. Catalogs with a namespace
// serve Subscriptions, those without one ClusterExtensions. If updates and new Subscriptions of
// namespaces whose OperatorGroups intersect bring the same API, OLM fails all but the first of them, and
// so does Resolve: those where something is installed for a Subscription come first, then the others,
// each by name. An update that waits for approval comes last, and counts for no other namespace. A ClusterExtension prefers any
// catalog to one in which all bundles that satisfy it are marked olm.deprecated.
//
// The error is one of *NotSatisfiable, *Ambiguous (only for a ClusterExtension),
// *CatalogsUnhealthy, *InvalidInput, *Denied (there is an answer, and a rule of a Policy about
// changes denies it), *Incomplete (the context or a limit ended it) and *Internal (a fault of
// this library).
func (r *Resolver) Resolve(ctx context.Context, p Problem, scope cluster.Scope) (*result.Resolution, error) {
	w := r.world(p)
	turns := outcome.TurnsOf(ctx, w, scope)
	answer, err := outcome.One(ctx, turns.At(w, scope))
	turns.Only(ctx, w, scope, result.HelpOf(err))
	return answer, err
}

// ResolveAll resolves each scope by itself, on up to GOMAXPROCS goroutines, or all
// namespaces as one problem (policy.Options.Jointly). The outcomes are in the order of the
// scopes, with the errors of Resolve.
//
// With Options.SingleOwner or SameVersions, what is chosen for a namespace binds those after
// it in the list. With Jointly, namespaces that cannot hold together share one
// *NotSatisfiable, in which everything names its namespace; any other error is that of the
// first namespace that has one. With Jointly and Partial, requests are accepted in the order
// of namespace and name.
func (r *Resolver) ResolveAll(ctx context.Context, p Problem, scopes []cluster.Scope) []result.Outcome {
	return outcome.All(ctx, r.world(p), scopes)
}
