// Package installable finds the bundles of catalogs that nobody can install: those in no
// consistent selection for an empty namespace. What is installed or requested does not count.
package installable

import (
	"context"
	"reflect"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Namespace is the name of the empty namespace in which installability is
// judged.
const Namespace = "operators"

// Uninstallable returns the bundles of the judged catalogs that are in no consistent
// selection, for an empty namespace that sees all catalogs. A bundle counts even if only a
// request by name leads to it. They are in the order of judged, then by ID.
//
// Of the cluster only its versions and labels count. The error is a *CatalogsUnhealthy,
// *InvalidInput, *Incomplete or *Internal.
func Uninstallable(ctx context.Context, w world.World, judged ...catalog.Key) (_ []result.Uninstallable, err error) {
	defer pace.Recover(&err, "judging catalogs")
	w = w.Of(cluster.InNamespace(Namespace))
	j := judge{in: w}
	for c := range w.In.View.Catalogs() {
		if c.Snapshot == nil {
			j.seen.Unhealthy = append(j.seen.Unhealthy, result.UnhealthyCatalog{Key: c.Key, Err: c.Err})
			continue
		}
		j.seen.Catalogs = append(j.seen.Catalogs, c)
	}
	if len(j.seen.Unhealthy) > 0 {
		return nil, &result.CatalogsUnhealthy{Scope: w.In.Scopes[0], Catalogs: j.seen.Unhealthy}
	}
	// Nothing is installed or requested.
	stated := w.In.Cluster.ClusterScoped()
	j.in = w.On(cluster.NewIndex(cluster.Objects{
		KubernetesVersion: stated.KubernetesVersion, OpenShiftVersion: stated.OpenShiftVersion, Labels: stated.Labels,
	}))
	return j.judge(ctx, judged)
}

// judge decides which of many bundles can be selected.
type judge struct {
	in   world.World
	seen inventory.Visibility
}

// suspect is a bundle that has constraints or is forbidden. Any other bundle can be
// selected by itself.
type suspect struct {
	catalog int
	id      catalog.ID
}

func (j *judge) judge(ctx context.Context, judged []catalog.Key) ([]result.Uninstallable, error) {
	p, err := j.in.ReadEmpty(ctx, j.seen)
	if err != nil {
		return nil, err
	}
	if ctx = p.Model.Pace.Ctx; ctx.Err() != nil {
		p.Model.Pace.Fail(ctx.Err())
		return nil, p.Model.Pace.Ended()
	}
	suspects, err := suspects(p.Scopes[0].Part, judged)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, &result.Incomplete{Phase: "judging catalogs", Err: err}
	}
	found := make([]result.Uninstallable, len(suspects))
	workers := min(runtime.GOMAXPROCS(0), len(suspects))
	group, groupCtx := errgroup.WithContext(ctx)
	for w := range workers {
		group.Go(func() (err error) {
			defer pace.Recover(&err, "judging catalogs")
			problem, err := j.like(groupCtx, p)
			var last examined
			for i, pkg := 0, -1; err == nil && i < len(suspects); i++ {
				if i == 0 || !samePackage(p.Scopes[0].Part, suspects[i-1], suspects[i]) {
					pkg++
					last = examined{}
				}
				if pkg%workers == w {
					last, err = j.examine(problem, suspects[i], last)
					found[i] = last.found
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(u result.Uninstallable) bool { return len(u.Causes) == 0 }), nil
}

// like returns another empty problem like p. All such problems share one sum of rule costs:
// the limit holds for the whole call.
func (j *judge) like(ctx context.Context, p *world.Problem) (*world.Problem, error) {
	other, err := j.in.ReadEmpty(ctx, j.seen)
	if err == nil {
		other.Scopes[0].Part.ShareRuleCosts(p.Scopes[0].Part)
	}
	return other, err
}

func suspects(p *model.Part, judged []catalog.Key) ([]suspect, error) {
	var list []suspect
	for _, key := range judged {
		at := slices.IndexFunc(p.Catalogs, func(c model.Catalog) bool { return c.Key == key })
		if at < 0 {
			return nil, &result.InvalidInput{Subject: "catalog " + key.String(), Err: words.ErrNoContent}
		}
		for id := range catalog.ID(p.Catalogs[at].Snapshot.Len()) {
			b := p.Catalogs[at].Snapshot.Bundle(id)
			suspicious := len(b.Constraints) > 0
			if !suspicious {
				_, suspicious = p.Forbid(p.Number(at, id), at, b)
			}
			if suspicious {
				list = append(list, suspect{at, id})
			}
		}
	}
	return list, nil
}

func samePackage(p *model.Part, a, b suspect) bool {
	name := func(s suspect) string { return p.Catalogs[s.catalog].Snapshot.Bundle(s.id).Package }
	return a.catalog == b.catalog && name(a) == name(b)
}

// examined is a bundle with the causes that keep it out, and the core of each cause.
type examined struct {
	found result.Uninstallable
	v     solver.Var
	cores [][]solver.Reason
}

// examine finds the causes that keep a bundle from being selected. It first tries those of
// the last bundle of its package: often they are the same.
func (j *judge) examine(problem *world.Problem, s suspect, last examined) (u examined, _ error) {
	p := problem.Scopes[0].Part
	catalog := &p.Catalogs[s.catalog]
	v := p.Number(s.catalog, s.id)
	u = examined{found: result.Uninstallable{Catalog: catalog.Key, Bundle: s.id}, v: v}
	if int(s.id) >= catalog.Snapshot.Candidates() {
		// The bundle is no candidate, but once it is selected by name it satisfies
		// constraints. The formulas of other bundles then differ.
		var err error
		if problem, err = j.like(problem.Model.Pace.Ctx, problem); err != nil {
			return u, err
		}
		p = problem.Scopes[0].Part
		p.Extras, last = []solver.Var{v}, examined{}
		defer func() { u.cores = nil }() // of no use for the next bundle
	}
	q := SelectOne(p.Model, v)
	for i, core := range last.cores {
		core, cause, ok := renamed(problem, last.v, v, core, last.found.Causes[i])
		if !ok {
			break
		}
		u.add(core, cause)
		LeaveOut(q, v, core)
	}
	for {
		_, core, err := problem.Solve(q)
		if err := p.Pace.Ended(); err != nil {
			return u, err
		}
		if core == nil {
			if err != nil {
				err = explain.Failure(problem, err)
			}
			return u, err
		}
		u.add(core, Cause(problem, v, core))
		// The bundle may have several constraints that nothing satisfies; whoever corrects
		// the first wants to know the others.
		if !LeaveOut(q, v, core) {
			return u, nil
		}
	}
}

func (u *examined) add(core []solver.Reason, cause result.BundleCause) {
	u.cores, u.found.Causes = append(u.cores, core), append(u.found.Causes, cause)
}

// renamed returns a core and its cause with bundle b in the place of a. ok is false unless
// both state the same rules and nothing else in the core names either.
func renamed(problem *world.Problem, a, b solver.Var, core []solver.Reason, cause result.BundleCause) (_ []solver.Reason, _ result.BundleCause, ok bool) {
	core = slices.Clone(core)
	cause = result.BundleCause{Bundle: problem.Scopes[0].Part.Ref(b), Constraints: slices.Clone(cause.Constraints)}
	at := 0
	for i := range core {
		r := &core[i]
		if r.Kind == solver.KindRoot {
			continue
		}
		if r.Kind != solver.KindRule {
			return nil, cause, false
		}
		formula := problem.Model.Rules(r.Var)[r.Rule].Formula
		named := model.Negative(formula, model.Positive(formula, nil))
		if slices.Contains(named, a) || slices.Contains(named, b) {
			return nil, cause, false
		}
		if r.Var == a {
			rules := problem.Model.Rules(b)
			if r.Var = b; r.Rule >= len(rules) || !reflect.DeepEqual(formula, rules[r.Rule].Formula) {
				return nil, cause, false
			}
			was := cause.Constraints[at]
			stated := explain.ReasonOf(problem, *r)
			if was.Kind() != stated.Kind() || constraints.Key(was.Args().Constraint) != constraints.Key(stated.Args().Constraint) {
				return nil, cause, false
			}
			if was.Args().Constraint != nil {
				requires := reason.Requires
				if was.Code() == words.RequiresOffered {
					requires = reason.RequiresOffered
				}
				stated = requires(reason.AboutOf(stated), stated.Args().Constraint, was.Because()...)
			}
			cause.Constraints[at] = stated
		}
		at++
	}
	return core, cause, true
}

// SelectOne returns the problem in which one bundle of a Model is demanded, and no request.
func SelectOne(m *model.Model, bundle solver.Var) model.Restricted {
	return model.Restricted{Model: m, Demands: []solver.Rule{{Formula: solver.OneOf(bundle)}}, Instead: map[solver.Reason]solver.Formula{}}
}

// LeaveOut leaves out the bundle's rules that are in a core of [SelectOne], and reports whether
// there are any.
func LeaveOut(q model.Restricted, bundle solver.Var, core []solver.Reason) (left bool) {
	for _, r := range core {
		if r.Kind == solver.KindRule && r.Var == bundle {
			q.Instead[r], left = model.Always, true
		}
	}
	return left
}

// Cause turns the core that keeps out a bundle into reasons.
func Cause(problem *world.Problem, v solver.Var, core []solver.Reason) result.BundleCause {
	p := problem.Scopes[0].Part
	c := result.BundleCause{Bundle: p.Ref(v)}
	for _, r := range core {
		if r.Kind != solver.KindRoot { // the selection of the bundle itself
			c.Constraints = append(c.Constraints, explain.ReasonOf(problem, r))
		}
	}
	short := shortfall{p}
	for i := range c.Constraints {
		r := &c.Constraints[i]
		e := r.Args().Constraint
		if e == nil {
			continue
		}
		if about := reason.AboutOf(*r); !short.offered(e) {
			*r = reason.Requires(about, e, short.of(e)...)
		} else if len(c.Constraints) == 1 {
			*r = reason.RequiresOffered(about, e, short.of(e)...)
		} else {
			*r = reason.RequiresOffered(about, e)
		}
	}
	return c
}

// shortfall finds the parts of an expression that no catalog of a Part offers.
type shortfall struct{ p *model.Part }

// offered reports whether some candidates satisfy the expression, each of its parts judged by
// itself. It is true of every negation.
func (s shortfall) offered(e constraints.Expr) bool {
	switch e := e.(type) {
	case constraints.All:
		return !slices.ContainsFunc(e.Exprs, s.missing)
	case constraints.Any:
		return slices.ContainsFunc(e.Exprs, s.offered)
	case constraints.Not:
		return true
	}
	list, err := s.p.Universe.Candidates(s.p.Pace.Ctx, e, s.p.Facts, model.NoCatalog)
	return err != nil || len(list) > 0
}

func (s shortfall) missing(e constraints.Expr) bool { return !s.offered(e) }

// of returns a reason for each part of an expression that no catalog offers. If all are
// offered, the reason is that they cannot hold together.
func (s shortfall) of(e constraints.Expr) []result.Reason {
	var parts []constraints.Expr
	switch e := e.(type) {
	case constraints.All:
		parts = slices.DeleteFunc(slices.Clone(e.Exprs), s.offered)
	case constraints.Any:
		parts = e.Exprs
	case constraints.Not:
	default: // a simple kind
		reasons := []result.Reason{explain.Missing(s.p, e)}
		for _, f := range explain.RuleFailure(s.p, e) {
			reasons = append(reasons, f.Reason)
		}
		return reasons
	}
	if len(parts) == 0 || slices.ContainsFunc(parts, s.offered) {
		return []result.Reason{reason.CannotHold(e)}
	}
	var reasons []result.Reason
	for _, part := range parts {
		reasons = append(reasons, s.of(part)...)
	}
	return reasons
}
