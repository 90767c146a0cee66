package resolver

import (
	"context"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
)

// Resolver answers questions about problems. It is safe for any number of goroutines;
// what it derives from catalogs is shared between them and between calls.
type Resolver struct{ engine *engine.Engine }

// New returns a Resolver that has derived nothing yet.
func New() *Resolver { return &Resolver{engine.New()} }

// Resolve picks what to install, keep and replace for the Subscriptions of one namespace,
// or for one ClusterExtension, with the bundles that it depends on. Catalogs without a
// namespace serve ClusterExtensions; one in which all that satisfies the request is
// marked olm.deprecated is passed over for any other.
//
// The error is one of *NotSatisfiable, *Ambiguous (of ClusterExtensions),
// *CatalogsUnhealthy, *InvalidInput, *Incomplete (the context ended) and *Internal (a
// fault of this library).
func (r *Resolver) Resolve(ctx context.Context, p Problem, scope cluster.Scope) (*result.Resolution, error) {
	in := p.inputs(scope)
	resolution, err := outcome.One(ctx, r.engine, in)
	plan.QuoteConditions(err, in.Cluster)
	answer.WarnVersions(in.Cluster, result.Outcome{Scope: scope, Resolution: resolution, Err: err})
	return resolution, err
}

// ResolveAll resolves each of the scopes by itself, on as many processors as Go may use,
// or all namespaces as one problem (policy.Options.Jointly). The outcomes are in the order
// of the scopes, with the errors of Resolve.
//
// With Options.SingleOwner or SameVersions a namespace obeys, beside what is installed
// elsewhere, what was chosen for the namespaces before it in the list. Where namespaces
// that are one problem cannot hold together, all of them have one *NotSatisfiable, in
// which everything names its namespace; another error is that of the first namespace that
// has one. With Options.Partial, requests are left out in the order of all.
func (r *Resolver) ResolveAll(ctx context.Context, p Problem, scopes []cluster.Scope) []result.Outcome {
	in := p.inputs()
	outcomes := outcome.All(ctx, r.engine, in, scopes)
	for i := range outcomes {
		plan.QuoteConditions(outcomes[i].Err, in.Cluster)
	}
	answer.WarnVersions(in.Cluster, outcomes...)
	return outcomes
}
