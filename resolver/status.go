package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/outcome"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/status"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// Target is what the cluster is to be updated to. An empty version stays as it is.
type Target struct {
	OpenShiftVersion, KubernetesVersion string
	// Catalogs has all catalogs at a version on the way, by the versions of Hops. At a version
	// without an entry they stay as they are.
	Catalogs map[string]*cache.View
}

// Hops returns the versions of OpenShift that a cluster is updated to in turn, one minor
// after another; the last one is the target. 4.23 and 5.0 are one of them. If the current
// version is unknown, or of a major from which no minors lead there, the target is the only
// one. A target below the current version is an error.
func (t *Target) Hops(current string) ([]string, error) { return (*status.Target)(t).Hops(current) }

// Status returns the status of each request of the scopes, by key. It resolves each scope by
// itself, as Justify does; Options.Jointly and Partial do not count. Updates are those that OLM
// takes by itself, whatever Options.NamedUpdates says: an update that only another catalog has
// is in Status.UpdateElsewhere. With a target it also
// states what blocks an update of the cluster. It then adds rows of Subscriptions that the
// updates create, and of installed bundles without a Subscription, if these block the update
// or must move. Rows of bundles without a Subscription that failed or wait are always there. The
// Request of such a bundle has no name.
//
// The error is the first *Incomplete or *Internal of a scope, or an *InvalidInput for a target
// below what the cluster runs; the rows are then those of the other scopes. Other failures are
// in the rows.
func (r *Resolver) Status(ctx context.Context, p Problem, scopes []cluster.Scope, target *Target) ([]result.Status, error) {
	p.Options.NamedUpdates = true
	w := r.world(p)
	turns := outcome.TurnsOf(ctx, w, scopes...)
	rows, errs := make([][]result.Status, len(scopes)), make([]error, len(scopes))
	pace.Parallel(len(scopes), func(i int) {
		if ctx.Err() != nil {
			errs[i] = &result.Incomplete{Phase: "reading requests", Err: ctx.Err()}
			return
		}
		rows[i], errs[i] = statusOf(ctx, turns.At(w, scopes[i]), target)
		var helps []*result.Help
		for k := range rows[i] {
			helps = append(helps, result.HelpOf(rows[i][k].Err), &rows[i][k].Help)
		}
		turns.Only(ctx, w, scopes[i], helps...)
	})
	besides(ctx, w, turns, scopes, rows)
	sorted := slices.Concat(rows...)
	slices.SortStableFunc(sorted, func(a, b result.Status) int { return a.Request.Compare(b.Request) })
	return sorted, cmp.Or(errs...)
}

// besides adds to the rows of namespaces what new bundles provide beside those that come to another one.
func besides(ctx context.Context, w world.World, turns outcome.Turns, scopes []cluster.Scope, rows [][]result.Status) {
	var moving []int
	for i := range rows {
		if !scopes[i].Alone() && slices.ContainsFunc(rows[i], func(row result.Status) bool { return row.Next != "" }) {
			moving = append(moving, i)
		}
	}
	if len(moving) < 2 {
		return
	}
	for k, remarks := range outcome.Comers(ctx, w, turns, words.Mapped(moving, func(i int) cluster.Scope { return scopes[i] })) {
		table := rows[moving[k]]
		for _, remark := range remarks {
			at := slices.IndexFunc(table, func(row result.Status) bool { return row.Next == remark.Args().Subject })
			if at < 0 { // it comes with another one
				at = slices.IndexFunc(table, func(row result.Status) bool { return row.Next != "" })
			}
			table[at].Remarks = append(table[at].Remarks, remark)
		}
	}
}

// statusOf returns the rows of one scope.
func statusOf(ctx context.Context, w world.World, target *Target) ([]result.Status, error) {
	rows, err := status.Of(ctx, w)
	if err == nil && target != nil {
		rows, err = status.LookAhead(ctx, w, rows, (*status.Target)(target))
	}
	if err != nil {
		return rows, err
	}
	return status.Forgotten(&w.In, rows, (*status.Target)(target)), nil
}

// Approvals judges the InstallPlans of the scopes that wait for approval, of several of a
// namespace the newest, in the order of the scopes. It resolves each scope by itself, as
// Status does. A plan may be approved if it brings exactly what resolving its namespace brings
// now, with updates from the catalogs that Subscriptions name, and no rule of a policy denies any
// of it.
//
// The error is the first *Incomplete or *Internal of a scope. Other failures are reasons to
// wait.
func (r *Resolver) Approvals(ctx context.Context, p Problem, scopes []cluster.Scope) ([]result.Approval, error) {
	p.Options.NamedUpdates = true
	w := r.world(p)
	turns := outcome.TurnsOf(ctx, w, scopes...)
	all, errs := make([]*result.Approval, len(scopes)), make([]error, len(scopes))
	pace.Parallel(len(scopes), func(i int) {
		all[i], errs[i] = status.Approval(ctx, turns.At(w, scopes[i]))
	})
	list := []result.Approval{}
	for _, a := range all {
		if a != nil {
			list = append(list, *a)
		}
	}
	return list, cmp.Or(errs...)
}
