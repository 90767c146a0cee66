package plan

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// InstallabilityNamespace is where bundles are thought to be installed: any, in
// which there is nothing yet.
const InstallabilityNamespace = "operators"

// Uninstallable implements Resolver.Uninstallable.
func Uninstallable(ctx context.Context, in encode.Inputs, mem *encode.Memory, judged []catalog.Key) ([]result.Uninstallable, error) {
	var seen inventory.Visibility
	for c := range in.View.Catalogs() {
		if c.Snapshot == nil {
			seen.Unhealthy = append(seen.Unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: c.Err})
			continue
		}
		seen.Catalogs = append(seen.Catalogs, *c)
	}
	if len(seen.Unhealthy) > 0 {
		return nil, &result.CatalogsUnhealthy{Namespace: InstallabilityNamespace, Catalogs: seen.Unhealthy}
	}
	in.Cluster = versionsOnly(in.Cluster)
	j := &Judge{Memory: mem, In: in, Seen: seen}
	return j.judge(ctx, judged)
}

// versionsOnly is a cluster in which nothing is installed or asked for.
func versionsOnly(c *inventory.Cluster) *inventory.Cluster {
	return inventory.New(cluster.Objects{
		KubernetesVersion: c.Objects.KubernetesVersion,
		OpenShiftVersion:  c.Objects.OpenShiftVersion,
		Labels:            c.Objects.Labels,
	})
}

// Judge decides for many bundles whether they can be selected.
type Judge struct {
	Memory *encode.Memory
	In     encode.Inputs
	Seen   inventory.Visibility
}

// suspect is a bundle that asks for something, or is perhaps forbidden: all
// others can be selected, each for itself.
type suspect struct {
	catalog int
	id      catalog.ID
}

func (j *Judge) judge(ctx context.Context, judged []catalog.Key) ([]result.Uninstallable, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p, err := j.Problem(ctx, stop)
	if err != nil {
		return nil, err
	}
	suspects, err := j.suspects(p, judged)
	if err != nil {
		return nil, err
	}
	found := make([]result.Uninstallable, len(suspects))
	workers := min(runtime.GOMAXPROCS(0), len(suspects))
	group, groupCtx := errgroup.WithContext(ctx)
	for w := range workers {
		group.Go(func() (err error) {
			defer func() {
				if fault := recover(); fault != nil {
					err = pace.Recovered(fault, "judging catalogs")
				}
			}()
			own, err := j.Problem(groupCtx, stop)
			for i := w; err == nil && i < len(suspects); i += workers {
				found[i], err = j.examine(groupCtx, stop, own, suspects[i])
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(u result.Uninstallable) bool { return len(u.Causes) == 0 }), nil
}

// Problem returns a problem on all catalogs of the view, without any request.
func (j *Judge) Problem(ctx context.Context, stop context.CancelFunc) (*encode.Part, error) {
	m := &encode.Model{Inputs: j.In, Pace: pace.New(ctx, stop)}
	p, err := j.Memory.NewProblem(m, j.Seen, InstallabilityNamespace)
	if err != nil {
		return nil, err
	}
	p.State = m.Cluster.In(InstallabilityNamespace)
	m.Add(p)
	return p, nil
}

func (j *Judge) suspects(p *encode.Part, judged []catalog.Key) ([]suspect, error) {
	var list []suspect
	for _, key := range judged {
		at := slices.IndexFunc(p.Universe.Catalogs, func(c candidate.Catalog) bool { return c.Key == key })
		if at == candidate.NoCatalog {
			return nil, &result.InvalidInput{Subject: "catalog " + key.String(), Err: inventory.ErrNoContent}
		}
		snapshot := p.Universe.Catalogs[at].Snapshot
		for id := range catalog.ID(snapshot.Len()) {
			b := snapshot.Bundle(id)
			if len(b.Constraints) == 0 {
				if _, forbidden := p.Forbid(p.Number(at, id), at, b); !forbidden {
					continue
				}
			}
			list = append(list, suspect{at, id})
		}
	}
	return list, nil
}

// examine finds the causes that keep a bundle from being selected.
func (j *Judge) examine(ctx context.Context, stop context.CancelFunc, shared *encode.Part, s suspect) (result.Uninstallable, error) {
	catalog := &shared.Universe.Catalogs[s.catalog]
	u := result.Uninstallable{Catalog: catalog.Key, Bundle: s.id}
	p := shared
	v := p.Number(s.catalog, s.id)
	if int(s.id) >= catalog.Snapshot.Candidates() {
		// What only its name leads to can meet a requirement once it is chosen,
		// and so the rules of other bundles read differently beside it.
		var err error
		if p, err = j.Problem(ctx, stop); err != nil {
			return u, err
		}
		p.Extras = []solver.Var{v}
	}
	q := &SelectOne{Model: p.Model, Bundle: v}
	for {
		_, err := solver.Solve(ctx, q, encode.SolverOptions(p.Options))
		if err := p.Ended(); err != nil {
			return u, err
		}
		unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
		if !ok {
			if err != nil {
				err = explain.Failure(p.Model, err)
			}
			return u, err
		}
		u.Causes = append(u.Causes, Cause(p, v, unsatisfiable.Core))
		// The bundle may ask for several things that cannot be had; whoever
		// mends the first wants to know of the others.
		if !q.LeaveOut(unsatisfiable.Core) {
			return u, nil
		}
	}
}

// SelectOne is the problem of selecting one bundle. Some of its rules can be
// left out.
type SelectOne struct {
	*encode.Model
	Bundle  solver.Var
	without []int
}

// Given implements solver.Problem.
func (q *SelectOne) Given() []solver.Var { return nil }

// Roots implements solver.Problem.
func (q *SelectOne) Roots() []solver.Rule {
	return []solver.Rule{{Formula: solver.OneOf(q.Bundle)}}
}

// Rules implements solver.Problem.
func (q *SelectOne) Rules(v solver.Var) []solver.Rule {
	rules := q.Model.Rules(v)
	if v != q.Bundle || len(q.without) == 0 {
		return rules
	}
	rules = slices.Clone(rules)
	for _, i := range q.without {
		rules[i].Formula = &solver.And{} // holds always
	}
	return rules
}

// LeaveOut leaves out the rules of the bundle that are in the core, and reports
// whether there are any.
func (q *SelectOne) LeaveOut(core []solver.Reason) bool {
	before := len(q.without)
	for _, r := range core {
		if r.Kind == solver.KindRule && r.Var == q.Bundle {
			q.without = append(q.without, r.Rule)
		}
	}
	return len(q.without) > before
}

// Cause turns a core into typed reasons.
func Cause(p *encode.Part, v solver.Var, core []solver.Reason) result.Cause {
	c := result.Cause{Bundle: p.Ref(v)}
	for _, r := range core {
		if r.Kind != solver.KindRoot { // the selection of the bundle itself
			c.Constraints = append(c.Constraints, explain.ReasonOf(p.Model, r))
		}
	}
	for i := range c.Constraints {
		r := &c.Constraints[i]
		if r.Constraint == nil {
			continue
		}
		requires := result.Requires{Offered: offered(p, r.Constraint)}
		if !requires.Offered || len(c.Constraints) == 1 {
			requires.Missing = shortfall(p, r.Constraint)
		}
		r.Detail = requires
	}
	return c
}

// offered reports whether some candidate satisfies the expression by itself. Of one
// with negations that is not asked.
func offered(p *encode.Part, e constraints.Expr) bool {
	switch e := e.(type) {
	case constraints.All:
		return !slices.ContainsFunc(e.Exprs, func(e constraints.Expr) bool { return !offered(p, e) })
	case constraints.Any:
		return slices.ContainsFunc(e.Exprs, func(arg0 constraints.Expr) bool { return offered(p, arg0) })
	case constraints.Not:
		return true
	}
	list, err := p.Universe.Candidates(p.Ctx, e, p.Facts, candidate.NoCatalog)
	return err != nil || len(list) > 0
}

// shortfall states what no catalog has of an expression, in its parts.
func shortfall(p *encode.Part, e constraints.Expr) []result.Reason {
	var parts []constraints.Expr
	switch e := e.(type) {
	case constraints.Package, constraints.GVK, constraints.Label, constraints.CEL:
		return []result.Reason{missing.Missing(p, e)}
	case constraints.All:
		parts = slices.DeleteFunc(slices.Clone(e.Exprs), func(arg0 constraints.Expr) bool { return offered(p, arg0) })
	case constraints.Any:
		parts = e.Exprs
	}
	if len(parts) == 0 || slices.ContainsFunc(parts, func(arg0 constraints.Expr) bool { return offered(p, arg0) }) {
		return []result.Reason{{Constraint: e, Detail: result.CannotHold{}}}
	}
	var reasons []result.Reason
	for _, part := range parts {
		reasons = append(reasons, shortfall(p, part)...)
	}
	return reasons
}
