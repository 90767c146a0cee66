package resolver

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/resolvent/resolvent/cache"
	catalogpkg "github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/solver"
)

// Uninstallable is a bundle that no consistent selection contains.
type Uninstallable struct {
	Catalog catalogpkg.Key
	Bundle  catalogpkg.ID
	// Causes are why, each sufficient by itself; there is at least one.
	Causes []Cause
}

// Cause is a minimal reason why a bundle cannot be selected.
type Cause struct {
	// Constraints cannot hold together with the selection of the bundle; leave
	// any one out and they can.
	Constraints []Reason
	// Text says it as a sentence about the bundle that does not name it, so that
	// bundles with the same cause have the same text.
	Text string
}

// Forbidden reports whether the bundle is ruled out for what it is itself, such
// as its deprecation, and returns that kind of reason.
func (c Cause) Forbidden() (ReasonKind, bool) {
	if len(c.Constraints) != 1 {
		return "", false
	}
	kind := c.Constraints[0].Kind
	return kind, kind != ReasonDependency
}

// installabilityNamespace is where bundles are thought to be installed: any, in
// which there is nothing yet.
const installabilityNamespace = "operators"

// Uninstallable returns the bundles of the judged catalogs that cannot be part
// of any consistent selection from all catalogs of the view, in an empty
// namespace which sees them all. They are ordered by catalog, as judged, then by
// ID. A bundle counts even if only a request for it by name could reach it.
//
// Of the cluster only the versions count. The error is *CatalogsUnhealthy,
// *InvalidInput, *Incomplete or *Internal.
func (r *Resolver) Uninstallable(ctx context.Context, cluster *Cluster, view *cache.View, judged ...catalogpkg.Key) (_ []Uninstallable, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "judging catalogs")
		}
	}()
	var seen visibility
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			seen.unhealthy = append(seen.unhealthy, UnhealthyCatalog{Key: c.Key, Err: c.Err})
			continue
		}
		seen.catalogs = append(seen.catalogs, *c)
	}
	if len(seen.unhealthy) > 0 {
		return nil, &CatalogsUnhealthy{Namespace: installabilityNamespace, Catalogs: seen.unhealthy}
	}
	j := &judge{resolver: r, cluster: versionsOnly(cluster), view: view, seen: seen}
	return j.judge(ctx, judged)
}

// versionsOnly is a cluster in which nothing is installed or asked for.
func versionsOnly(c *Cluster) *Cluster {
	if c == nil {
		return NewCluster(Objects{})
	}
	return NewCluster(Objects{
		KubernetesVersion: c.objects.KubernetesVersion,
		OpenShiftVersion:  c.objects.OpenShiftVersion,
		Labels:            c.objects.Labels,
	})
}

// judge decides for many bundles whether they can be selected.
type judge struct {
	resolver *Resolver
	cluster  *Cluster
	view     *cache.View
	seen     visibility
}

// suspect is a bundle that asks for something, or is perhaps forbidden: all
// others can be selected, each for itself.
type suspect struct {
	catalog int
	id      catalogpkg.ID
}

func (j *judge) judge(ctx context.Context, judged []catalogpkg.Key) ([]Uninstallable, error) {
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
	found := make([]Uninstallable, len(suspects))
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
	return slices.DeleteFunc(found, func(u Uninstallable) bool { return len(u.Causes) == 0 }), nil
}

// problem returns a problem on all catalogs of the view, without any request.
func (j *judge) problem(ctx context.Context, stop context.CancelFunc) (*problem, error) {
	p, err := j.resolver.newProblem(ctx, stop, j.cluster, j.view, j.seen, installabilityNamespace)
	if err != nil {
		return nil, err
	}
	p.state = j.cluster.in(installabilityNamespace)
	return p, nil
}

func (j *judge) suspects(p *problem, judged []catalogpkg.Key) ([]suspect, error) {
	var list []suspect
	for _, key := range judged {
		catalog := slices.IndexFunc(p.universe.catalogs, func(c visibleCatalog) bool { return c.key == key })
		if catalog == noCatalog {
			return nil, &InvalidInput{Subject: "catalog " + key.String(), Err: errNoContent}
		}
		snapshot := p.universe.catalogs[catalog].snapshot
		for id := range catalogpkg.ID(snapshot.Len()) {
			b := snapshot.Bundle(id)
			if len(b.Constraints) == 0 {
				if _, forbidden := p.forbid(p.universe.number(catalog, id), catalog, b); !forbidden {
					continue
				}
			}
			list = append(list, suspect{catalog, id})
		}
	}
	return list, nil
}

// examine finds the causes that keep a bundle from being selected.
func (j *judge) examine(ctx context.Context, stop context.CancelFunc, shared *problem, s suspect) (Uninstallable, error) {
	catalog := &shared.universe.catalogs[s.catalog]
	u := Uninstallable{Catalog: catalog.key, Bundle: s.id}
	p := shared
	v := p.universe.number(s.catalog, s.id)
	if int(s.id) >= catalog.snapshot.Candidates() {
		// What only its name leads to can meet a requirement once it is chosen,
		// and so the rules of other bundles read differently beside it.
		var err error
		if p, err = j.problem(ctx, stop); err != nil {
			return u, err
		}
		p.extras = []solver.Var{v}
	}
	q := &selectOne{problem: p, bundle: v}
	for {
		_, err := solver.Solve(ctx, q, p.solverOptions())
		if p.err != nil {
			return u, p.stopped()
		}
		unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
		if !ok {
			if err != nil {
				err = failure(p, err)
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
	*problem
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
	rules := q.problem.Rules(v)
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

// cause turns a core into typed reasons and a sentence.
func (p *problem) cause(v solver.Var, core []solver.Reason) Cause {
	var c Cause
	t := causeText{problem: p, bundle: v}
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			continue // the selection of the bundle itself
		case solver.KindRule:
			t.addRule(p.origins[p.Rules(r.Var)[r.Rule].Origin])
		case solver.KindGroup:
			t.groups = append(t.groups, p.universe.groups.key(r.Group))
		}
		c.Constraints = append(c.Constraints, reasonOf(p, r))
	}
	c.Text = t.String()
	return c
}

// exprOf returns what the rule asks for, nil if it forbids its bundle.
func (p *problem) exprOf(o origin) constraints.Expr {
	if o.kind != ReasonDependency {
		return nil
	}
	return p.constraintOf(o).Expr
}
