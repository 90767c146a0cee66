package resolver

import (
	"cmp"
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
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

// Status says how each Subscription of the namespaces and each of the ClusterExtensions
// stands, in the order of namespaces and names. Each namespace is resolved by itself,
// as in Justify; Asked.Jointly and Options.Partial do not count. With a target, it also
// says what blocks the update of the cluster itself.
//
// The error is an *Incomplete or an *Internal, the first one; the rows are then those of the
// namespaces and ClusterExtensions that have none. Other failures are in the rows.
func (r *Resolver) Status(ctx context.Context, asked result.Asked, known *Cluster, catalogs *cache.View, target *Target) ([]updates.Status, error) {
	var inputs []encode.Inputs
	for _, namespace := range asked.Namespaces {
		inputs = append(inputs, r.inputs(known, catalogs, namespace))
	}
	for _, name := range asked.Extensions {
		inputs = append(inputs, r.extensionInputs(known, catalogs, name))
	}
	rows, errs := make([][]updates.Status, len(inputs)), make([]error, len(inputs))
	pace.Parallel(len(inputs), func(i int) {
		rows[i], errs[i] = r.status(ctx, inputs[i])
		if errs[i] == nil && target != nil {
			errs[i] = r.lookAhead(ctx, inputs[i], rows[i], target)
		}
		if errs[i] != nil {
			rows[i] = nil
		}
	})
	all := slices.Concat(rows...)
	slices.SortStableFunc(all, func(a, b updates.Status) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Subscription+a.Extension, b.Subscription+b.Extension))
	})
	return all, cmp.Or(errs...)
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
