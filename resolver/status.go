package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Target is what the cluster is to be updated to. A version that is empty stays as it is.
type Target struct {
	OpenShiftVersion, KubernetesVersion string
	// Catalogs are all that there are at each version on the way, as updates.Hops lists them;
	// where a version has none, they stay as they are.
	Catalogs map[string]*cache.View
}

// Status says how each request of the scopes stands, in the order of their keys. Each
// scope is resolved by itself, as in Justify; Options.Jointly and Partial do not count.
// With a target, it also says what blocks the update of the cluster itself. There are rows then
// of Subscriptions that the updates would bring, and of what none has installed, whose Request
// has no name, where these must move or block.
//
// The error is an *Incomplete or an *Internal, the first one; the rows are then those of the
// scopes that have none. Other failures are in the rows.
func (r *Resolver) Status(ctx context.Context, p Problem, scopes []cluster.Scope, target *Target) ([]updates.Status, error) {
	all := p.inputs()
	rows, errs := make([][]updates.Status, len(scopes)), make([]error, len(scopes))
	pace.Parallel(len(scopes), func(i int) {
		if ctx.Err() != nil {
			errs[i] = &result.Incomplete{Phase: "reading requests", Err: ctx.Err()}
			return
		}
		in := all
		in.Scopes = scopes[i : i+1]
		rows[i], errs[i] = plan.Status(ctx, r.engine, in, (*plan.Target)(target))
	})
	sorted := slices.Concat(rows...)
	slices.SortStableFunc(sorted, func(a, b updates.Status) int { return a.Request.Compare(b.Request) })
	return sorted, cmp.Or(errs...)
}
