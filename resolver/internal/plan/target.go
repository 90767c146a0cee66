package plan

import (
	"cmp"
	"context"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// withVersions is the cluster with other versions; what is empty stays.
func withVersions(c *cluster.Index, openShift, kubernetes string) *cluster.Index {
	return c.WithObjects(func(o *cluster.Objects) {
		o.OpenShiftVersion = cmp.Or(openShift, o.OpenShiftVersion)
		o.KubernetesVersion = cmp.Or(kubernetes, o.KubernetesVersion)
	})
}

// judgeThere notes in the rows whether what is installed may run there, which are the
// inputs with the versions of the target, and otherwise which updates unblock it.
func judgeThere(ctx context.Context, e *engine.Engine, in, there model.Inputs, rows []updates.Status) error {
	objects := there.Cluster.ClusterScoped()
	limits, err := model.ReadLimits(objects)
	if err != nil {
		return err
	}
	readCtx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := e.Read(readCtx, stop, in)
	if incomplete, ok := errors.AsType[*result.Incomplete](err); ok {
		return incomplete
	}
	for i := range rows {
		row := &rows[i]
		row.Target = &updates.TargetStatus{OK: err == nil, Err: err}
		if err != nil {
			continue
		}
		r := &m.Scopes[0].Requests[i]
		if row.Target.Refusal = refusal(m.Scopes[0].Part, r, limits); row.Target.Refusal == nil {
			continue
		}
		row.Target.OK = false
		path, err := route.New(ctx, e, in, row.Request).Run(func(p *model.Part, r *request.Request) ([]string, error) { return fitting(p, r, limits) })
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
func refusal(p *model.Part, r *request.Request, limits *model.ClusterLimits) *result.Reason {
	if r.Current < 0 {
		return nil
	}
	current := &p.Installed[r.Current]
	set := current.Properties
	of := limits.Refuse(set)
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if of == "" && b.Name == current.Name() {
				set = b.Properties
				of = limits.Refuse(set)
			}
		}
	}
	if of == "" {
		return nil
	}
	why := limits.Args(of, set)
	if of == code.OpenShift {
		why.Has = "" // the cluster has not that version yet
	}
	why.Subject, why.Bundle, why.Package = current.Name(), current.Name(), r.PackageName()
	reason := result.New(of, why)
	return &reason
}

// fitting lists the bundles of the package of a request that may run within the limits.
func fitting(p *model.Part, r *request.Request, limits *model.ClusterLimits) ([]string, error) {
	var names []string
	for _, c := range p.Catalogs {
		for b := range c.Bundles(r.PackageName()) {
			if limits.Refuse(b.Properties) == "" && b.Name != p.Installed[r.Current].Name() {
				names = append(names, b.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no version of package " + r.PackageName() + " may run there")
	}
	return words.Distinct(names), nil
}

// compare notes how a request stands on the catalogs of the target, where it cannot be
// resolved or is at a dead end.
func compare(row, there *updates.Status) {
	switch there.State {
	case updates.Failed:
		row.Target.OK = false
	case updates.AtDeadEnd:
	default:
		return
	}
	row.Target.There = there
}
