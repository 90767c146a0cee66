package fix

import (
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// node is a set of edits that was tried.
type node struct {
	s     *search
	edits []request.Edit
	// objects are the objects that the edits change.
	objects []result.Object
	// try is of the world after the edits. Its Problem is nil also if there is nothing to
	// resolve. core and err are why the goal is not reached, by roots of the Model.
	try  *world.Try
	core []solver.Reason
	err  error
	// moved is the try of the namespace to which a request was moved, nil if none was.
	moved  *world.Try
	solved bool
	// wanted is what the goal demands.
	wanted demand
	// stuck is set if the answer leads a request nowhere that the edits are for.
	stuck bool
	// If an answer does not reach the goal, free is set, the core is what keeps it from that,
	// and more are further edits that may help.
	free bool
	more []request.Edit
	// branches are the edits that are tried besides, once it has failed.
	branches []request.Edit
	// path is the path found, if the goal is one.
	path *result.Path
}

// has reports whether an edit of this kind changes the object.
func (n *node) has(o result.Object, kind request.EditKind) bool {
	return slices.ContainsFunc(n.edits, func(e request.Edit) bool { return e.Object == o && e.Kind == kind })
}

func (n *node) changes(o result.Object) bool { return slices.Contains(n.objects, o) }

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

// answers are the solved problems of a node: what is not resolved stays as it is.
func (n *node) answers() (list []*world.Try) {
	for _, t := range []*world.Try{n.try, n.moved} {
		if t != nil && t.Problem != nil && t.Solution != nil {
			list = append(list, t)
		}
	}
	return list
}

// installedBy returns the bundle that this Subscription and no other has installed, empty if
// there is none or it is gone.
func (s *search) installedBy(o result.Object) string {
	state := s.in.In.Cluster.In(o.Namespace)
	for i := range state.Subscriptions {
		if sub := &state.Subscriptions[i]; sub.Name == o.Name && len(state.Installers[sub.InstalledCSV]) == 1 && inventory.Counted(state, sub.InstalledCSV) != nil {
			return sub.InstalledCSV
		}
	}
	return ""
}

// stepsOf returns the steps of edits in an order in which they apply.
func stepsOf(edits []request.Edit) []result.Step {
	var steps []result.Step
	for i := range edits {
		steps = append(steps, edits[i].Steps...)
	}
	return steps
}

// try resolves the world with the edits applied.
func (s *search) try(edits []request.Edit) *node {
	s.tries++
	n := &node{s: s, edits: edits}
	also := ""
	for i := range edits {
		e := &edits[i]
		if !n.changes(e.Object) {
			n.objects = append(n.objects, e.Object)
		}
		if e.Kind == request.EditMove {
			also = e.Steps[len(e.Steps)-1].Object.Namespace
		}
	}
	after, err := s.in.Apply(stepsOf(edits))
	n.try, n.err = &world.Try{World: after}, err
	if err != nil {
		return n
	}
	if n.solved = len(after.In.Scopes) == 0; !n.solved { // else what is installed stays
		n.resolve(after)
	}
	if n.err == nil && n.givesAllUp() {
		n.solved, n.err = false, errNoRequest
	}
	if also != "" && n.solved {
		if n.moved = n.try.Of(cluster.InNamespace(also)).Satisfy(s.ctx); n.moved.Err != nil {
			n.solved, n.err, n.core = false, n.moved.Err, nil
		} else if len(answer.Refused(n.moved.Problem, n.moved.Solution)) > 0 || clashes(n.try, n.moved) {
			n.solved, n.err, n.core = false, errRefused, nil
		}
	}
	n.solved = n.solved && !n.harms()
	return n
}

// clashes reports whether two answers bring the same API to namespaces whose OperatorGroups intersect:
// OLM fails the second.
func clashes(one, other *world.Try) bool {
	if one.Problem == nil || one.Solution == nil {
		return false
	}
	apis := map[properties.GVK]bool{}
	brings := func(t *world.Try, of func(p *model.Part, api properties.GVK) bool) bool {
		return slices.ContainsFunc(t.Solution.Selected, func(sel solver.Selection) bool {
			p := t.Problem.Model.Of(sel.Var)
			return p.AsInstalled(sel.Var) == nil && p.OperatorGroup != nil && slices.ContainsFunc(p.PropertiesOf(sel.Var).GVKs(), func(api properties.GVK) bool { return of(p, api) })
		})
	}
	own := other.Problem.Model.Parts[0].OperatorGroup
	brings(one, func(p *model.Part, api properties.GVK) bool {
		apis[api] = apis[api] || own != nil && p.OperatorGroup.Intersects(own.Group)
		return false
	})
	return brings(other, func(_ *model.Part, api properties.GVK) bool { return apis[api] })
}

// harms reports whether the edits make a scope fail that the problem is not about.
func (n *node) harms() bool {
	before := n.s.given.World
	var others []cluster.Scope
	for _, e := range n.edits {
		switch {
		case e.Object.Kind == words.ObjectClusterCatalog:
			of := before.In.View.Catalog(catalogOf(e.Object))
			for _, x := range before.In.Cluster.Extensions() {
				if of != nil && of.Snapshot != nil && of.Snapshot.Package(x.Package) != nil {
					others = append(others, x.Key().Scope())
				}
			}
		case e.Kind == request.EditTargets || e.Kind == request.EditCreateGroup:
			if w, err := before.Of().Apply(e.Steps); err == nil {
				others = append(others, cluster.InNamespace(e.Object.Namespace))
				others = append(others, words.Mapped(inventory.Neighbors(w.In.Cluster, e.Object.Namespace), cluster.InNamespace)...)
			}
		case e.Object.Kind == words.ObjectCSV || e.Kind == request.EditGiveUp:
			others = append(others, cluster.InNamespace(e.Object.Namespace))
		}
	}
	others = slices.DeleteFunc(words.Distinct(others), func(scope cluster.Scope) bool { return slices.Contains(before.In.Scopes, scope) })
	if len(others) == 0 {
		return false
	}
	others = others[:min(len(others), MaxOthers)]
	after, err := before.Of().Apply(slices.DeleteFunc(stepsOf(n.edits), func(step result.Step) bool { return step.Object.Kind == words.ObjectOptions }))
	return err == nil && slices.ContainsFunc(others, func(scope cluster.Scope) bool {
		return n.s.fails(after, scope) && !n.s.fails(before, scope)
	})
}

// fails reports whether a scope has no answer.
func (s *search) fails(w world.World, scope cluster.Scope) bool {
	return !w.Idle(scope) && w.Of(scope).Satisfy(s.ctx).Err != nil
}

// resolve solves the world after the edits.
func (n *node) resolve(after world.World) {
	s := n.s
	n.try = after.Read(s.ctx)
	if n.err = n.try.Err; n.err != nil {
		return
	}
	if s.goal != nil {
		var there bool
		if n.wanted, there = s.goal.wanted(n); !there {
			n.try, n.err = &world.Try{World: after}, errNoRequest
			return
		}
	}
	if len(s.scope) > 0 {
		n.solve(s.restrict(n, n.wanted))
	}
	if n.core == nil && n.err == nil {
		n.solve(everything(n.try.Problem, n.wanted))
	}
	if n.wanted.formula != nil && n.try.Solution != nil {
		n.solve(everything(n.try.Problem, demand{})) // what is chosen may be something else
	}
	n.solved = n.err == nil && n.try.Solution != nil && !answer.Denied(n.try.Problem, n.try.Solution) && (s.goal == nil || s.goal.reached(n))
	if n.solved && len(n.edits) > 0 {
		leadOn(n)
	}
	if n.solved && len(n.edits) > 0 {
		balk(n)
	}
	if n.solved {
		renew(n)
	}
	for _, r := range n.core {
		for _, o := range n.touched(r) {
			s.scope[o] = true
		}
	}
}

// givesAllUp reports whether the edits leave no request in a namespace that had several, or,
// for a goal, in any.
func (n *node) givesAllUp() bool {
	return slices.ContainsFunc(n.s.in.In.Scopes, func(scope cluster.Scope) bool {
		return !slices.Contains(n.try.In.Scopes, scope) && (n.s.goal != nil && !n.s.unfit() || !n.s.joining && len(n.s.in.In.Cluster.In(scope.Name).Subscriptions) > 1)
	})
}

// errNoRequest is the reason why giving up all requests does not help.
var errNoRequest = errors.New("no request is left")

// errRefused is the reason why a move does not help.
var errRefused = errors.New("OLM refuses it there")

// catalogOf returns the key of the catalog that an object declares, or an option names.
func catalogOf(o result.Object) catalog.Key {
	return catalog.Key{Namespace: o.Namespace, Name: o.Name}
}

// part is a problem with some of the demands. index has the roots in the Model, by root of the
// part. A last root makes the bundles selectable that only left-out requests lead to.
type part struct {
	problem model.Restricted
	index   []int
}

func newPart(p *world.Problem, wanted demand) part {
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
func everything(p *world.Problem, wanted demand) part {
	q := newPart(p, wanted)
	q.problem.Stay = p.Model.Given()
	q.problem.Demands, q.index = slices.Grow(q.problem.Demands, len(p.Model.Demands)), slices.Grow(q.index, len(p.Model.Demands))
	for i := range p.Model.Demands {
		q.demand(i)
	}
	return q
}

// restrict returns the part with the demands of objects that were in a core so far or that the
// node changes. Most contradictions are among these.
func (s *search) restrict(n *node, of demand) part {
	q := newPart(n.try.Problem, of)
	wanted := func(r solver.Reason) bool {
		o, ok := n.object(r)
		return !ok || s.scope[o] || n.changes(o)
	}
	for i := range n.try.Problem.Model.Demands {
		if wanted(cause.RootDemand(i)) {
			q.demand(i)
		}
	}
	for _, v := range n.try.Problem.Model.Given() {
		if wanted(solver.Reason{Kind: solver.KindGiven, Var: v}) {
			q.problem.Stay = append(q.problem.Stay, v)
		}
	}
	q.leadToExtras()
	return q
}

// solve solves a part of the problem.
func (n *node) solve(q part) {
	n.try = n.try.Solve(q.problem)
	n.core, n.err = q.numbered(n.try.Core), n.try.Err
	n.s.limited = n.s.limited || n.try.Limited
}

// numbered returns a core with the roots of the Model.
func (q *part) numbered(core []solver.Reason) []solver.Reason {
	core = slices.Clone(core)
	for i := range core {
		if core[i].Kind == solver.KindRoot {
			core[i].Rule = q.index[core[i].Rule]
		}
	}
	return core
}

// object returns the object that makes a demand.
func (n *node) object(r solver.Reason) (result.Object, bool) {
	switch r.Kind {
	case solver.KindRoot:
		if r.Rule >= 0 { // otherwise the goal demands it
			_, req := n.try.Problem.Root(r.Rule)
			return objectOf(req.Key()), true
		}
	case solver.KindGiven:
		p := n.try.Problem.Model.Of(r.Var)
		if b := p.AsInstalled(r.Var); !b.Foreign {
			if e := n.givenUp(p.Namespace, b.Name()); e != nil {
				return e.Object, true
			}
			return result.Object{Kind: words.ObjectCSV, Namespace: p.Namespace, Name: b.Name()}, true
		}
	}
	return result.Object{}, false
}

func objectOf(k cluster.RequestKey) result.Object {
	return result.Object{Kind: string(k.Kind), Namespace: k.Namespace, Name: k.Name}
}

// requestOf returns the key of a request by its object.
func requestOf(o result.Object) cluster.RequestKey {
	return cluster.RequestKey{Kind: cluster.RequestKind(o.Kind), Namespace: o.Namespace, Name: o.Name}
}

// touched returns the objects that make a member of a core.
func (n *node) touched(r solver.Reason) []result.Object {
	if o, ok := n.object(r); ok {
		return []result.Object{o}
	}
	var list []result.Object
	for _, i := range n.updating(r) {
		o, _ := n.object(cause.RootDemand(i))
		list = append(list, o)
	}
	return list
}

// updating returns the roots of the requests whose installed bundle a rule replaces.
func (n *node) updating(r solver.Reason) []int {
	if r.Kind != solver.KindRule {
		return nil
	}
	p, o := n.try.Problem.Model.OriginOf(r.Var, r.Rule)
	if o.Code != words.Replaces {
		return nil
	}
	var list []int
	cur, of := p.Excludes[r.Var][r.Rule], n.try.Problem.Scopes[p.Index]
	for i := range of.Requests {
		if c := of.Requests[i].Current; c >= 0 && p.InstalledVar(c) == cur {
			list = append(list, of.First+i)
		}
	}
	return list
}

func compareObjects(a, b result.Object) int { return strings.Compare(a.String(), b.String()) }
