package resolver

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// installabilityNamespace is where bundles are thought to be installed: any, in
// which there is nothing yet.
const installabilityNamespace = "operators"

// uninstallable implements Resolver.Uninstallable.
func uninstallable(ctx context.Context, in inputs, mem *memory, judged []catalog.Key) ([]result.Uninstallable, error) {
	var seen visibility
	for c := range in.view.Catalogs() {
		if c.Snapshot == nil {
			seen.unhealthy = append(seen.unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: c.Err})
			continue
		}
		seen.catalogs = append(seen.catalogs, *c)
	}
	if len(seen.unhealthy) > 0 {
		return nil, &result.CatalogsUnhealthy{Namespace: installabilityNamespace, Catalogs: seen.unhealthy}
	}
	in.cluster = versionsOnly(in.cluster)
	j := &judge{memory: mem, in: in, seen: seen}
	return j.judge(ctx, judged)
}

// versionsOnly is a cluster in which nothing is installed or asked for.
func versionsOnly(c *inventory) *inventory {
	return newInventory(Objects{
		KubernetesVersion: c.objects.KubernetesVersion,
		OpenShiftVersion:  c.objects.OpenShiftVersion,
		Labels:            c.objects.Labels,
	})
}

// judge decides for many bundles whether they can be selected.
type judge struct {
	memory *memory
	in     inputs
	seen   visibility
}

// suspect is a bundle that asks for something, or is perhaps forbidden: all
// others can be selected, each for itself.
type suspect struct {
	catalog int
	id      catalog.ID
}

func (j *judge) judge(ctx context.Context, judged []catalog.Key) ([]result.Uninstallable, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p, err := j.problem(ctx, stop)
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
					err = recovered(fault, "judging catalogs")
				}
			}()
			own, err := j.problem(groupCtx, stop)
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

// problem returns a problem on all catalogs of the view, without any request.
func (j *judge) problem(ctx context.Context, stop context.CancelFunc) (*problem, error) {
	m := &model{inputs: j.in, pace: newPace(ctx, stop)}
	p, err := j.memory.newProblem(m, j.seen, installabilityNamespace)
	if err != nil {
		return nil, err
	}
	p.state = m.cluster.in(installabilityNamespace)
	m.add(p)
	return p, nil
}

func (j *judge) suspects(p *problem, judged []catalog.Key) ([]suspect, error) {
	var list []suspect
	for _, key := range judged {
		at := slices.IndexFunc(p.universe.catalogs, func(c visibleCatalog) bool { return c.key == key })
		if at == noCatalog {
			return nil, &result.InvalidInput{Subject: "catalog " + key.String(), Err: errNoContent}
		}
		snapshot := p.universe.catalogs[at].snapshot
		for id := range catalog.ID(snapshot.Len()) {
			b := snapshot.Bundle(id)
			if len(b.Constraints) == 0 {
				if _, forbidden := p.forbid(p.number(at, id), at, b); !forbidden {
					continue
				}
			}
			list = append(list, suspect{at, id})
		}
	}
	return list, nil
}

// examine finds the causes that keep a bundle from being selected.
func (j *judge) examine(ctx context.Context, stop context.CancelFunc, shared *problem, s suspect) (result.Uninstallable, error) {
	catalog := &shared.universe.catalogs[s.catalog]
	u := result.Uninstallable{Catalog: catalog.key, Bundle: s.id}
	p := shared
	v := p.number(s.catalog, s.id)
	if int(s.id) >= catalog.snapshot.Candidates() {
		// What only its name leads to can meet a requirement once it is chosen,
		// and so the rules of other bundles read differently beside it.
		var err error
		if p, err = j.problem(ctx, stop); err != nil {
			return u, err
		}
		p.extras = []solver.Var{v}
	}
	q := &selectOne{model: p.model, bundle: v}
	for {
		_, err := solver.Solve(ctx, q, solverOptions(p.options))
		if err := p.ended(); err != nil {
			return u, err
		}
		unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
		if !ok {
			if err != nil {
				err = failure(p.model, err)
			}
			return u, err
		}
		u.Causes = append(u.Causes, p.cause(v, unsatisfiable.Core))
		// The bundle may ask for several things that cannot be had; whoever
		// mends the first wants to know of the others.
		if !q.leaveOut(unsatisfiable.Core) {
			return u, nil
		}
	}
}

// selectOne is the problem of selecting one bundle. Some of its rules can be
// left out.
type selectOne struct {
	*model
	bundle  solver.Var
	without []int
}

// Given implements solver.Problem.
func (q *selectOne) Given() []solver.Var { return nil }

// Roots implements solver.Problem.
func (q *selectOne) Roots() []solver.Rule {
	return []solver.Rule{{Formula: solver.OneOf(q.bundle)}}
}

// Rules implements solver.Problem.
func (q *selectOne) Rules(v solver.Var) []solver.Rule {
	rules := q.model.Rules(v)
	if v != q.bundle || len(q.without) == 0 {
		return rules
	}
	rules = slices.Clone(rules)
	for _, i := range q.without {
		rules[i].Formula = &solver.And{} // holds always
	}
	return rules
}

// leaveOut leaves out the rules of the bundle that are in the core, and reports
// whether there are any.
func (q *selectOne) leaveOut(core []solver.Reason) bool {
	before := len(q.without)
	for _, r := range core {
		if r.Kind == solver.KindRule && r.Var == q.bundle {
			q.without = append(q.without, r.Rule)
		}
	}
	return len(q.without) > before
}

// cause turns a core into typed reasons.
func (p *problem) cause(v solver.Var, core []solver.Reason) result.Cause {
	c := result.Cause{Bundle: p.ref(v)}
	for _, r := range core {
		if r.Kind != solver.KindRoot { // the selection of the bundle itself
			c.Constraints = append(c.Constraints, reasonOf(p.model, r))
		}
	}
	for i := range c.Constraints {
		r := &c.Constraints[i]
		if r.Constraint == nil {
			continue
		}
		requires := result.Requires{Offered: p.offered(r.Constraint)}
		if !requires.Offered || len(c.Constraints) == 1 {
			requires.Missing = p.shortfall(r.Constraint)
		}
		r.Detail = requires
	}
	return c
}

// offered reports whether some candidate satisfies the expression by itself. Of one
// with negations that is not asked.
func (p *problem) offered(e constraints.Expr) bool {
	switch e := e.(type) {
	case constraints.All:
		return !slices.ContainsFunc(e.Exprs, func(e constraints.Expr) bool { return !p.offered(e) })
	case constraints.Any:
		return slices.ContainsFunc(e.Exprs, p.offered)
	case constraints.Not:
		return true
	}
	list, err := p.universe.candidates(p.ctx, e, p.facts, noCatalog)
	return err != nil || len(list) > 0
}

// shortfall states what no catalog has of an expression, in its parts.
func (p *problem) shortfall(e constraints.Expr) []result.Reason {
	var parts []constraints.Expr
	switch e := e.(type) {
	case constraints.Package:
		return []result.Reason{p.missingBundles(e)}
	case constraints.GVK, constraints.Label, constraints.CEL:
		return []result.Reason{p.missing(e)}
	case constraints.All:
		parts = slices.DeleteFunc(slices.Clone(e.Exprs), p.offered)
	case constraints.Any:
		parts = e.Exprs
	}
	if len(parts) == 0 || slices.ContainsFunc(parts, p.offered) {
		return []result.Reason{{Constraint: e, Detail: result.CannotHold{}}}
	}
	var reasons []result.Reason
	for _, part := range parts {
		reasons = append(reasons, p.shortfall(part)...)
	}
	return reasons
}

// missingBundles is missing for a package, with the faults that took bundles of it.
func (p *problem) missingBundles(e constraints.Package) result.Reason {
	faults := p.faults(p.everyCatalog(), e.Name)
	out := result.Reason{Kind: result.ReasonMissingPackage, Subject: e.Name, Package: e.Name, Detail: result.MissingPackage{Faults: faults}}
	if found := p.look(e); len(found.catalogs) > 0 {
		out = p.missingVersion(e, found)
		d := out.Detail.(result.MissingVersion)
		d.Faults = faults
		out.Detail = d
	}
	return out
}
