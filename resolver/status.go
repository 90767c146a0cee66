package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// Target is what the cluster is to be updated to. A version that is empty stays as it
// is; without Catalogs nothing is said about those of the target.
type Target struct {
	OpenShiftVersion, KubernetesVersion string
	Catalogs                            *cache.View
}

// Status says how each request of the scopes stands, in the order of their keys. Each
// scope is resolved by itself, as in Justify; Options.Jointly and Partial do not count.
// With a target, it also says what blocks the update of the cluster itself.
//
// The error is an *Incomplete or an *Internal, the first one; the rows are then those of the
// scopes that have none. Other failures are in the rows.
func (r *Resolver) Status(ctx context.Context, p Problem, scopes []cluster.Scope, target *Target) ([]updates.Status, error) {
	all := p.inputs()
	rows, errs := make([][]updates.Status, len(scopes)), make([]error, len(scopes))
	pace.Parallel(len(scopes), func(i int) {
		in := all
		in.Scopes = scopes[i : i+1]
		rows[i], errs[i] = r.status(ctx, in)
		if errs[i] == nil && target != nil {
			errs[i] = r.lookAhead(ctx, in, rows[i], target)
		}
		if errs[i] != nil {
			rows[i] = nil
		}
	})
	sorted := slices.Concat(rows...)
	slices.SortStableFunc(sorted, func(a, b updates.Status) int { return a.Request.Compare(b.Request) })
	return sorted, cmp.Or(errs...)
}

// status returns the rows of one namespace or ClusterExtension.
func (r *Resolver) status(ctx context.Context, in encode.Inputs) ([]updates.Status, error) {
	rows := plan.Rows(in)
	err := r.solve(ctx, in, "finding the status of", func(ctx context.Context, m *encode.Model, solution *solver.Solution, err error) error {
		if err == nil {
			fixer := func() *fix.Fixer { return &fix.Fixer{Ctx: ctx, In: in, Read: r.memory.NewModel} }
			return plan.FillRows(rows, &explain.Solved{Part: m.Parts[0], Solution: solution}, fixer)
		}
		why := explain.Failure(m, err)
		if !plan.Unsatisfied(why) {
			return why
		}
		r.help(ctx, m, err, why)
		plan.FailRows(rows, m, why)
		return nil
	})
	if of := result.Of(err); err != nil && of != result.ResultIncomplete && of != result.ResultInternal {
		plan.FailRows(rows, nil, err)
		err = nil
	}
	return rows, err
}

// lookAhead notes in the rows of one namespace or ClusterExtension what the target means
// to them.
func (r *Resolver) lookAhead(ctx context.Context, in encode.Inputs, rows []updates.Status, target *Target) (err error) {
	defer pace.Recover(&err, "looking ahead for "+in.Subject())
	there := in
	there.Cluster = plan.WithVersions(in.Cluster, target.OpenShiftVersion, target.KubernetesVersion)
	if err := plan.LookAhead(ctx, in, there, rows, r.memory, r.resolveOne); err != nil || target.Catalogs == nil {
		return err
	}
	there.View = target.Catalogs
	after, err := r.status(ctx, there)
	for i := range after {
		plan.Compare(&rows[i], &after[i])
	}
	return err
}
