package fix

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// node is a set of edits that was tried.
type node struct {
	s     *search
	edits []request.Edit
	// objects are the objects that the edits change.
	objects []fixes.Object
	in      model.Inputs
	// problem is nil if there is nothing to resolve, or if it cannot be read. refused is set if
	// it was read but is not resolved, for which err is the reason.
	problem *engine.Problem
	refused bool
	// solution is the solution of the problem. If there is none, core is why.
	solution *solver.Solution
	core     []solver.Reason
	// moved is the problem of the namespace to which a request was moved.
	moved         *engine.Problem
	movedSolution *solver.Solution
	solved        bool
	err           error
	// wanted is what the goal demands.
	wanted demand
	// If an answer does not reach the goal, free is set, core is what keeps it from that, and
	// more are further edits that may help.
	free bool
	more []request.Edit
	// path is the path found, if the goal is one.
	path *updates.Path
}

// has reports whether an edit of this kind changes the object.
func (n *node) has(o fixes.Object, kind request.EditKind) bool {
	return slices.ContainsFunc(n.edits, func(e request.Edit) bool { return e.Object == o && e.Kind == kind })
}

func (n *node) changes(o fixes.Object) bool { return slices.Contains(n.objects, o) }

// givenUp returns the edit that gives up the only request that has a bundle installed.
func (n *node) givenUp(namespace, bundle string) *request.Edit {
	for i := range n.edits {
		e := &n.edits[i]
		if e.Kind == request.EditGiveUp && e.Object.Namespace == namespace && bundle != "" && n.s.installedBy(e.Object) == bundle {
			return e
		}
	}
	return nil
}

// installedBy returns the bundle that this Subscription and no other has installed, empty if
// there is none or it is gone.
func (s *search) installedBy(o fixes.Object) string {
	state := s.in.Cluster.In(o.Namespace)
	for i := range state.Subscriptions {
		if sub := &state.Subscriptions[i]; sub.Name == o.Name && len(state.Installers[sub.InstalledCSV]) == 1 &&
			slices.ContainsFunc(inventory.Counting(state), func(csv *cluster.ClusterServiceVersion) bool { return csv.Name == sub.InstalledCSV }) {
			return sub.InstalledCSV
		}
	}
	return ""
}

// stepsOf returns the steps of edits in an order in which they apply.
func stepsOf(edits []request.Edit) []fixes.Step {
	var steps []fixes.Step
	for i := range edits {
		steps = append(steps, edits[i].Steps...)
	}
	return steps
}

// try resolves the inputs with the edits applied.
func (s *search) try(edits []request.Edit) *node {
	s.tries++
	n := &node{s: s, edits: edits, in: s.in}
	for i := range edits {
		if o := edits[i].Object; !n.changes(o) {
			n.objects = append(n.objects, o)
		}
	}
	also := n.apply()
	if n.err != nil {
		return n
	}
	if n.solved = len(n.in.Scopes) == 0; !n.solved { // else what is installed stays
		n.resolve()
	}
	if n.err == nil && n.givesAllUp() {
		n.solved, n.err = false, errNoRequest
	}
	if also != "" && n.solved {
		n.resolveMoved(also)
	}
	if n.solved && n.harms() {
		n.solved, n.solution = false, nil
	}
	return n
}

// maxOthers is the number of other scopes for which a fix is tried. A thousand ambiguous
// ClusterExtensions try each other: without a bound that took 12 s in place of 1.
const maxOthers = 20

// harms reports whether the edits make a scope fail that the problem is not about.
func (n *node) harms() bool {
	before := n.s.given.Model.In
	after := before
	steps := slices.DeleteFunc(stepsOf(n.edits), func(step fixes.Step) bool { return step.Object.Kind == fixes.ObjectOptions })
	var others []cluster.Scope
	for _, e := range n.edits {
		switch known, err := before.Cluster, error(nil); {
		case e.Object.Kind == fixes.ObjectClusterCatalog:
			of := before.View.Catalog(catalogOf(e.Object))
			for _, x := range known.Extensions() {
				if of != nil && of.Snapshot != nil && of.Snapshot.Package(x.Package) != nil {
					others = append(others, x.Key().Scope())
				}
			}
		case e.Kind == request.EditTargets:
			if known, err = fixes.Overlay(known, cluster.Scope{}, e.Steps); err == nil {
				others = append(others, words.Mapped(inventory.Neighbors(known, e.Object.Namespace), cluster.InNamespace)...)
			}
		case e.Object.Kind == fixes.ObjectCSV || e.Kind == request.EditGiveUp:
			others = append(others, cluster.InNamespace(e.Object.Namespace))
		}
	}
	others = slices.DeleteFunc(words.Distinct(others), func(scope cluster.Scope) bool { return slices.Contains(before.Scopes, scope) })
	if len(others) == 0 {
		return false
	}
	others = others[:min(len(others), maxOthers)]
	var err error
	after.View = viewAfter(before.View, steps)
	after.Cluster, err = fixes.Overlay(before.Cluster, cluster.Scope{}, steps)
	return err == nil && slices.ContainsFunc(others, func(scope cluster.Scope) bool {
		return n.s.fails(after, scope) && !n.s.fails(before, scope)
	})
}

// fails reports whether a scope has no answer.
func (s *search) fails(in model.Inputs, scope cluster.Scope) bool {
	if scope.Kind == cluster.KindSubscription && len(in.Cluster.In(scope.Name).Subscriptions) == 0 {
		return false
	}
	in.Scopes = []cluster.Scope{scope}
	p, err := s.engine.Read(s.ctx, in)
	if err == nil {
		options := engine.SolverOptions(in.Options)
		options.NoCore = true
		_, err = solver.Solve(p.Model.Pace.Ctx, p.Model, options)
	}
	return err != nil
}

// resolve solves the problem.
func (n *node) resolve() {
	s := n.s
	if n.problem, n.err = s.engine.Read(s.ctx, n.in); n.err != nil {
		if n.refused = n.problem != nil; n.refused {
			n.problem.Model.Pace.Restart()
		}
		return
	}
	if s.goal != nil {
		var there bool
		if n.wanted, there = s.goal.wanted(n); !there {
			n.problem, n.err = nil, errNoRequest
			return
		}
	}
	if len(s.scope) > 0 {
		n.solve(s.restrict(n, n.wanted))
	}
	if n.core == nil && n.err == nil {
		n.solve(everything(n.problem, n.wanted))
	}
	if n.wanted.formula != nil && n.solution != nil {
		n.solve(everything(n.problem, demand{})) // what is chosen may be something else
	}
	if ended := n.problem.Model.Pace.Ended(); ended != nil {
		n.err = ended
	}
	for _, r := range n.core {
		for _, o := range n.touched(r) {
			s.scope[o] = true
		}
	}
	n.problem.Model.Pace.Restart() // texts still come from the problem
	n.solved = n.err == nil && n.solution != nil && !answer.Denied(n.problem, n.solution) && (s.goal == nil || s.goal.reached(n))
}

// givesAllUp reports whether the edits leave no request in a namespace that had several, or,
// for a goal, in any.
func (n *node) givesAllUp() bool {
	return slices.ContainsFunc(n.s.in.Scopes, func(scope cluster.Scope) bool {
		return !slices.Contains(n.in.Scopes, scope) && (n.s.goal != nil || !n.s.joining && len(n.s.in.Cluster.In(scope.Name).Subscriptions) > 1)
	})
}

// errNoRequest is the reason why giving up all requests does not help.
var errNoRequest = errors.New("no request is left")

// apply applies the edits, and returns the namespace to which a request moves, if any.
func (n *node) apply() (also string) {
	var steps []fixes.Step
	for _, step := range stepsOf(n.edits) {
		if step.Object.Kind == fixes.ObjectOptions {
			n.in.Options = withOption(n.in.Options, &step)
			continue
		}
		steps = append(steps, step)
	}
	for i := range n.edits {
		if e := &n.edits[i]; e.Kind == request.EditMove {
			also = e.Steps[len(e.Steps)-1].Object.Namespace
		}
	}
	only := cluster.Scope{}
	if len(n.in.Scopes) == 1 {
		only = n.in.Scopes[0]
	}
	n.in.View = viewAfter(n.in.View, steps)
	n.in.Cluster, n.err = fixes.Overlay(n.in.Cluster, only, steps)
	if n.err == nil {
		// A namespace whose last Subscription goes is not resolved any more.
		n.in.Scopes = slices.DeleteFunc(slices.Clone(n.in.Scopes), func(scope cluster.Scope) bool {
			return scope.Kind == cluster.KindSubscription && len(n.in.Cluster.In(scope.Name).Subscriptions) == 0
		})
	}
	return also
}

// viewAfter returns the catalogs after steps. A catalog goes with its deleted object.
func viewAfter(view *cache.View, steps []fixes.Step) *cache.View {
	for _, s := range steps {
		k := catalogOf(s.Object)
		gone := s.Object.Kind == fixes.ObjectCatalogSource && s.Field == ""
		if view.Catalog(k) == nil || !gone && s.Field != fixes.FieldPriority {
			continue
		}
		var changed []cache.Catalog
		for c := range view.Catalogs() {
			with := *c
			if c.Key == k {
				with.Priority, _ = s.To.(int)
			}
			if c.Key != k || !gone {
				changed = append(changed, with)
			}
		}
		view = cache.NewView(changed)
	}
	return view
}

// catalogOf returns the key of the catalog that an object declares, or an option names.
func catalogOf(o fixes.Object) catalog.Key {
	return catalog.Key{Namespace: o.Namespace, Name: o.Name}
}

// withOption returns the options of the caller with one step applied.
func withOption(o *policy.Options, step *fixes.Step) *policy.Options {
	changed := *o
	switch step.Field {
	case fixes.FieldExcludedCatalogs:
		key := catalogOf(step.Object)
		changed.ExcludeCatalogs = slices.DeleteFunc(slices.Clone(o.ExcludeCatalogs), func(k catalog.Key) bool { return k == key })
		if step.To != nil {
			changed.ExcludeCatalogs = append(changed.ExcludeCatalogs, key)
		}
	case fixes.FieldLenientHealth:
		changed.LenientHealth = true
	case fixes.FieldException:
		changed.Exceptions = append(slices.Clone(o.Exceptions), policy.Exception{Namespace: step.Object.Namespace, Bundle: step.Object.Name})
	case fixes.FieldSystemConstraint:
		changed.SystemConstraint = func(ctx context.Context, c policy.Candidate) (bool, string) {
			if c.Namespace == step.Object.Namespace && c.Bundle.Name == step.Object.Name {
				return true, ""
			}
			return o.SystemConstraint(ctx, c)
		}
	}
	return &changed
}

// resolveMoved resolves the namespace to which a request was moved.
func (n *node) resolveMoved(namespace string) {
	in := n.in
	in.Scopes = []cluster.Scope{cluster.InNamespace(namespace)}
	if n.moved, n.err = n.s.engine.Read(n.s.ctx, in); n.err == nil {
		options := engine.SolverOptions(in.Options)
		options.NoCore = true
		n.movedSolution, n.err = solver.Solve(n.moved.Model.Pace.Ctx, n.moved.Model, options)
		if ended := n.moved.Model.Pace.Ended(); ended != nil {
			n.err = ended
		}
		n.moved.Model.Pace.Restart()
	}
	n.solved = n.err == nil
	if !n.solved {
		n.core, n.solution = nil, nil
	}
}

// part is a problem with some of the demands. index has the roots in the Model, by root of the
// part. A last root makes the bundles selectable that only left-out requests lead to.
type part struct {
	problem model.Restricted
	index   []int
}

func newPart(p *engine.Problem, wanted demand) part {
	q := part{problem: model.Restricted{Model: p.Model}}
	if wanted.formula != nil {
		q.problem.Demands, q.index = append(q.problem.Demands, solver.Rule{Formula: wanted.formula}), append(q.index, wanted.root)
	}
	return q
}

func (q *part) demand(root int) {
	q.problem.Demands = append(q.problem.Demands, q.problem.Model.Demands[root])
	q.index = append(q.index, root)
}

func (q *part) leadToExtras() {
	var extras []solver.Var
	for _, p := range q.problem.Parts {
		extras = append(extras, p.Extras...)
	}
	if len(extras) > 0 {
		q.problem.Demands = append(q.problem.Demands, solver.Rule{Formula: &solver.Or{Parts: []solver.Formula{model.Always, solver.OneOf(extras...)}}})
	}
}

// everything returns the part with all demands.
func everything(p *engine.Problem, wanted demand) part {
	q := newPart(p, wanted)
	q.problem.Stay = p.Model.Given()
	for i := range p.Model.Demands {
		q.demand(i)
	}
	return q
}

// restrict returns the part with the demands of objects that were in a core so far or that the
// node changes. Most contradictions are among these.
func (s *search) restrict(n *node, of demand) part {
	q := newPart(n.problem, of)
	wanted := func(r solver.Reason) bool {
		o, ok := n.object(r)
		return !ok || s.scope[o] || n.changes(o)
	}
	for i := range n.problem.Model.Demands {
		if wanted(solver.Reason{Kind: solver.KindRoot, Rule: i}) {
			q.demand(i)
		}
	}
	for _, v := range n.problem.Model.Given() {
		if wanted(solver.Reason{Kind: solver.KindGiven, Var: v}) {
			q.problem.Stay = append(q.problem.Stay, v)
		}
	}
	q.leadToExtras()
	return q
}

// solve solves a part of the problem.
func (n *node) solve(q part) {
	var err error
	n.solution, err = solver.Solve(n.problem.Model.Pace.Ctx, q.problem, engine.SolverOptions(n.in.Options))
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		n.solution, n.core = nil, q.numbered(unsatisfiable.Core)
	} else if err != nil {
		_, ended := errors.AsType[*solver.Incomplete](err)
		n.s.limited = n.s.limited || ended
		n.err = err
	}
}

// numbered turns the roots of a core into those of the Model, in place.
func (q *part) numbered(core []solver.Reason) []solver.Reason {
	for i := range core {
		if core[i].Kind == solver.KindRoot {
			core[i].Rule = q.index[core[i].Rule]
		}
	}
	return core
}

// object returns the object that makes a demand.
func (n *node) object(r solver.Reason) (fixes.Object, bool) {
	switch r.Kind {
	case solver.KindRoot:
		if r.Rule >= 0 { // otherwise the goal demands it
			_, req := n.problem.Root(r.Rule)
			return objectOf(req.Key()), true
		}
	case solver.KindGiven:
		p := n.problem.Model.Of(r.Var)
		if b := p.AsInstalled(r.Var); !b.Foreign {
			if e := n.givenUp(p.Namespace, b.Name()); e != nil {
				return e.Object, true
			}
			return fixes.Object{Kind: fixes.ObjectCSV, Namespace: p.Namespace, Name: b.Name()}, true
		}
	}
	return fixes.Object{}, false
}

func objectOf(k cluster.RequestKey) fixes.Object {
	return fixes.Object{Kind: fixes.ObjectKind(k.Kind), Namespace: k.Namespace, Name: k.Name}
}

// touched returns the objects that make a member of a core.
func (n *node) touched(r solver.Reason) []fixes.Object {
	if o, ok := n.object(r); ok {
		return []fixes.Object{o}
	}
	var list []fixes.Object
	for _, i := range n.updating(r) {
		o, _ := n.object(solver.Reason{Kind: solver.KindRoot, Rule: i})
		list = append(list, o)
	}
	return list
}

// updating returns the roots of the requests whose installed bundle a rule replaces.
func (n *node) updating(r solver.Reason) []int {
	if r.Kind != solver.KindRule {
		return nil
	}
	p, o := n.problem.Model.OriginOf(r.Var, r.Rule)
	if o.Code != code.Replaces {
		return nil
	}
	var list []int
	cur, of := p.Excludes[r.Var][r.Rule], n.problem.Scopes[p.Index]
	for i := range of.Requests {
		if c := of.Requests[i].Current; c >= 0 && p.InstalledVar(c) == cur {
			list = append(list, of.First+i)
		}
	}
	return list
}

func compareObjects(a, b fixes.Object) int { return strings.Compare(a.String(), b.String()) }
