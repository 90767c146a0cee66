package plan

import (
	"cmp"
	"context"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// WithVersions is the cluster with other versions; what is empty stays.
func WithVersions(c *cluster.Index, openShift, kubernetes string) *cluster.Index {
	return c.WithObjects(func(o *cluster.Objects) {
		o.OpenShiftVersion = cmp.Or(openShift, o.OpenShiftVersion)
		o.KubernetesVersion = cmp.Or(kubernetes, o.KubernetesVersion)
	})
}

// LookAhead notes in the rows whether what is installed may run there, which are the
// inputs with the versions of the target, and otherwise which updates unblock it.
func LookAhead(ctx context.Context, in, there encode.Inputs, rows []updates.Status, memory *encode.Memory,
	resolve func(context.Context, encode.Inputs) (*result.Resolution, error),
) error {
	objects := there.Cluster.Objects()
	limits, err := encode.ReadLimits(&objects)
	if err != nil {
		return err
	}
	readCtx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := memory.NewModel(readCtx, stop, in)
	if incomplete, ok := errors.AsType[*result.Incomplete](err); ok {
		return incomplete
	}
	for i := range rows {
		row := &rows[i]
		row.Target = &updates.TargetStatus{OK: err == nil, Err: err}
		if err != nil {
			continue
		}
		r := &m.Parts[0].Requests[i]
		if row.Target.Refusal = refusal(m.Parts[0], r, limits); row.Target.Refusal == nil {
			continue
		}
		row.Target.OK = false
		s := &pathSearch{ctx: ctx, in: in, memory: memory, resolve: resolve, request: row.Request}
		path, err := s.run(func(p *encode.Part, r *encode.Request) ([]string, error) { return fitting(p, r, limits) })
		if incomplete, ok := errors.AsType[*result.Incomplete](err); ok && ctx.Err() != nil {
			return incomplete
		}
		if row.Target.Err = err; err == nil {
			row.Target.Updates = path.Steps
		}
	}
	return nil
}

// refusal is why what a request has installed may not run within the limits, nil if it
// may. What its catalog states counts beside what it states itself, which may be less.
func refusal(p *encode.Part, r *encode.Request, limits encode.ClusterLimits) *result.Reason {
	if r.Current < 0 {
		return nil
	}
	current := &p.Installed[r.Current]
	kind, why := limits.Refuse(current.Properties)
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if why == nil && b.Name == current.Name() {
				kind, why = limits.Refuse(b.Properties)
			}
		}
	}
	if why == nil {
		return nil
	}
	if tooNew, ok := why.(result.OpenShiftTooNew); ok {
		why = result.OpenShiftTooNew{Limit: tooNew.Limit}
	}
	return &result.Reason{Kind: kind, Subject: current.Name(), Bundle: current.Name(), Package: r.PackageName(), Detail: why}
}

// fitting lists the bundles of the package of a request that may run within the limits.
func fitting(p *encode.Part, r *encode.Request, limits encode.ClusterLimits) ([]string, error) {
	var names []string
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if _, why := limits.Refuse(b.Properties); why == nil && b.Name != p.Installed[r.Current].Name() {
				names = append(names, b.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no version of package " + r.PackageName() + " may run there")
	}
	return words.Distinct(names), nil
}

// Compare notes how a request stands on the catalogs of the target, where it cannot be
// resolved or is at a dead end.
func Compare(row, there *updates.Status) {
	switch there.State {
	case updates.Failed:
		row.Target.OK = false
	case updates.AtDeadEnd:
	default:
		return
	}
	row.Target.There = there
}
