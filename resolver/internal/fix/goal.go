package fix

import (
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Goal is what an answer has to reach. A failure has none: nil means any answer.
type Goal interface {
	// wanted returns a demand beside those of the requests, or the zero one. It reports
	// whether the subject of the goal exists.
	wanted(n *node) (demand, bool)
	// reached reports whether the answer of a node reaches the goal. If not, it sets the core
	// and the further edits of the node.
	reached(n *node) bool
	// about reports whether the goal decides what comes of a request with this root that gets its
	// candidate with the index at.
	about(n *node, root, at int) bool
}

// demand is a formula that must hold, and the root that it stands for, or -1.
type demand struct {
	formula solver.Formula
	root    int
}

// Advances is the goal that a request takes a step on from what it has installed.
type Advances struct{ Request cluster.RequestKey }

func (g Advances) about(*node, int, int) bool { return false }

func (g Advances) wanted(n *node) (demand, bool) {
	root, newer := g.newer(n)
	return demand{solver.OneOf(newer...), root}, root >= 0
}

func (g Advances) reached(n *node) bool {
	_, newer := g.newer(n)
	return n.selects(newer) || n.anyDemand(newer)
}

// newer returns the candidates of the request that are newer than its installed bundle. The
// root is -1 if the request does not exist.
func (g Advances) newer(n *node) (root int, newer []solver.Var) {
	given, ok := n.s.givenRequest(g.Request, &node{})
	if root = n.try.Problem.RootOf(g.Request); !ok || given.r.Current < 0 || root < 0 {
		return -1, nil
	}
	cur := &given.part.Installed[given.r.Current]
	part, r := n.try.Problem.Root(root)
	for _, v := range r.List.Candidates {
		if b := part.AsInstalled(v); b == nil && part.NameOf(v) != cur.Name() && (r.Current >= 0 && part.Kind.OnlyUpdates || versionIn(part, v).GT(cur.Version)) {
			newer = append(newer, v)
		}
	}
	return root, newer
}

// excludes reports whether an edit gives the request up, or has it start with a bundle that is not
// newer.
func (g Advances) excludes(n *node, e *request.Edit) bool {
	if e.Object != objectOf(g.Request) {
		return false
	}
	given, _ := n.s.givenRequest(g.Request, &node{})
	return e.Kind == request.EditGiveUp || e.Kind == request.EditStart && e.Version != nil && !e.Version.GT(given.part.Installed[given.r.Current].Version)
}

// Selected is the goal that a bundle that the name means is selected.
type Selected struct{ Bundle string }

// excludes reports whether an edit has a request of the same package select another bundle:
// a namespace has at most one of a package.
func (g Selected) excludes(n *node, e *request.Edit) bool {
	if e.Kind != request.EditStart || e.Steps[0].To == nil {
		return false
	}
	p := n.try.Problem.Scopes[0].Part
	found := explain.Named(p, g.Bundle)
	root := n.try.Problem.RootOf(requestOf(e.Object))
	if len(found) == 0 || root < 0 {
		return false
	}
	_, r := n.try.Problem.Root(root)
	return !slices.ContainsFunc(found, func(v solver.Var) bool {
		return p.NameOf(v) == e.Steps[0].To || p.Ref(v).Bundle.Package != r.PackageName()
	})
}

func (g Selected) wanted(n *node) (demand, bool) {
	return demand{solver.OneOf(explain.Named(n.try.Problem.Scopes[0].Part, g.Bundle)...), -1}, true
}

func (g Selected) about(n *node, root, at int) bool {
	p, r := n.try.Problem.Root(root)
	return slices.Contains(explain.Named(p, g.Bundle), r.List.Candidates[at])
}

// hiddenEdits returns edits that make catalogs visible that may have what the goal demands.
func (n *node) hiddenEdits() []request.Edit {
	p := n.try.Problem.Scopes[0].Part
	list := n.visibleEdits(p)
	for _, c := range explain.UncountedCatalogs(p) {
		list = append(list, n.catalogEdits(p, c.Key)...)
	}
	return list
}

func (g Selected) reached(n *node) bool {
	found := explain.Named(n.try.Problem.Scopes[0].Part, g.Bundle)
	return n.selects(found) || n.anyDemand(found)
}

// Fits is the goal that the OperatorGroup of a request's namespace fits the install modes of
// what the request has installed there, or that it is moved: OLM fails what does not fit.
type Fits struct{ Request cluster.RequestKey }

// unfit reports whether an OperatorGroup that does not fit is what is wrong.
func (s *search) unfit() bool {
	_, is := s.goal.(Fits)
	return is
}

func (g Fits) about(n *node, root, _ int) bool { return n.try.Problem.RootOf(g.Request) == root }

func (g Fits) wanted(n *node) (demand, bool) {
	return demand{}, n.moves() || n.try.Problem.RootOf(g.Request) >= 0
}

func (g Fits) reached(n *node) bool {
	root := n.try.Problem.RootOf(g.Request)
	if root < 0 {
		return true
	}
	p, r := n.try.Problem.Root(root)
	group := inventory.GroupOf(n.try.In.Cluster, p.Namespace)
	if r.Current < 0 || group != nil && group.Lacks(p.Installed[r.Current].CSV.Metadata) == "" {
		return true
	}
	n.free, n.core = true, nil
	n.more = append(n.targetEdits(p), n.moveEdits(p, r, objectOf(g.Request), n.try.In.Cluster.Subscription(g.Request))...)
	return false
}

// Reaches is the goal that updates lead a request to a bundle by its name or version, or as far
// as they lead. A request without anything installed begins with what it gets.
type Reaches struct {
	Request cluster.RequestKey
	To      string
}

func (g Reaches) about(n *node, root, _ int) bool { return n.try.Problem.RootOf(g.Request) == root }

func (g Reaches) wanted(n *node) (demand, bool) {
	return demand{}, n.try.Problem.RootOf(g.Request) >= 0
}

func (g Reaches) reached(n *node) bool {
	in, root := n.try.World, n.try.Problem.RootOf(g.Request)
	if _, r := n.try.Problem.Root(root); r.Current < 0 {
		in = in.On(world.After(in.In.Cluster, answer.MovesOf(n.try.Problem, n.try.Solution)...))
	}
	var cores []route.Core
	if n.path, _, cores = n.s.path(in, g.Request, g.To); n.path != nil {
		return true
	}
	n.free, n.core = true, []solver.Reason{cause.RootDemand(root)}
	for i := range cores {
		n.addCore(&cores[i])
	}
	return false
}

// path searches a path with the rest of the budget. none is set if there is no path, and no
// other error.
func (s *search) path(in world.World, key cluster.RequestKey, to string) (path *result.Path, none bool, cores []route.Core) {
	way := route.New(s.ctx, in, key)
	way.Bare, way.Budget = true, s.budget
	path, err := way.Find(to)
	s.budget = way.Budget
	if _, ended := errors.AsType[*result.Incomplete](err); ended {
		s.limited = true
		return nil, false, nil
	}
	_, none = errors.AsType[*result.NoPath](err)
	return path, none, way.Cores
}

// addCore adds what blocks an update of the path: the demands that the node has as well, and
// the edits that may change the rules.
func (n *node) addCore(c *route.Core) {
	there := &node{s: n.s, edits: n.edits, objects: n.objects, try: &world.Try{World: n.try.On(c.Problem.Model.In.Cluster), Problem: c.Problem}, core: c.Reasons}
	add := func(r solver.Reason) {
		if !slices.Contains(n.core, r) {
			n.core = append(n.core, r)
		}
	}
	addRoot := func(i int) {
		_, r := c.Problem.Root(i)
		if root := n.try.Problem.RootOf(r.Key()); root >= 0 {
			add(cause.RootDemand(root))
		}
	}
	for _, r := range c.Reasons {
		switch r.Kind {
		case solver.KindRoot:
			addRoot(r.Rule)
		case solver.KindGiven:
			name := c.Problem.Model.Of(r.Var).NameOf(r.Var)
			for _, v := range n.try.Problem.Model.Given() {
				if n.try.Problem.Model.Of(v).NameOf(v) == name {
					add(solver.Reason{Kind: solver.KindGiven, Var: v, Rule: -1})
				}
			}
		default:
			for _, i := range there.updating(r) {
				addRoot(i)
			}
			n.more = append(n.more, there.editsOf(r)...)
		}
	}
}

// selects reports whether the answer has one of the bundles.
func (n *node) selects(list []solver.Var) bool {
	return slices.ContainsFunc(n.try.Solution.Selected, func(sel solver.Selection) bool { return slices.Contains(list, sel.Var) })
}

// anyDemand makes the core all demands that have a bearing on the bundles: the goal can be
// reached, but other choices are preferred. It returns false.
func (n *node) anyDemand(wanted []solver.Var) bool {
	n.free, n.core = true, nil
	all := len(n.hiddenEdits()) > 0 // what they show is not known
	for _, root := range n.try.Problem.Bearing(wanted, all) {
		n.core = append(n.core, cause.RootDemand(root))
	}
	for _, v := range n.try.Problem.Model.Given() {
		n.core = append(n.core, solver.Reason{Kind: solver.KindGiven, Var: v, Rule: -1})
	}
	for _, p := range n.try.Problem.Model.Parts {
		n.more = append(n.more, n.targetEdits(p)...)
		n.more = append(n.more, n.visibleEdits(p)...)
	}
	return false
}

// follow adds the updates that follow a fix, for the requests that it changes and that install
// or update something. Where they do not reach the head it adds a caution.
func (s *search) follow(c *proposal) {
	n := c.node
	if len(n.try.In.Scopes) != 1 || n.try.Problem == nil || n.try.Solution == nil {
		return
	}
	goal, sought := s.goal.(Reaches)
	then := n.try.World
	s.budget = maxFurther
	for i := range n.try.Problem.Model.Demands {
		p, r := n.try.Problem.Root(i)
		at := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool { return n.selects([]solver.Var{v}) })
		if at < 0 || sought && r.Key() != goal.Request || !sought && !s.changed(n, p, r) {
			continue
		}
		stays := p.AsInstalled(r.List.Candidates[at]) != nil
		if stays && (!sought || r.Current < 0) {
			continue
		}
		var cores []route.Core
		path, none, name, head := n.path, false, p.NameOf(r.List.Candidates[at]), r.Head(p, r)
		switch {
		case stays: // its path begins with a change of channel
		case sought && len(path.Steps) > 0 && path.Steps[0].Bundle == name && r.Current >= 0:
			path = &result.Path{Steps: path.Steps[1:]}
		case !sought && name == head.Name:
			continue
		default:
			if then.In.Cluster == n.try.In.Cluster {
				then = then.On(world.After(n.try.In.Cluster, answer.MovesOf(n.try.Problem, n.try.Solution)...))
			}
			path, none, cores = s.path(then, r.Key(), goal.To)
		}
		switch {
		case path == nil:
			if ch := head.Place.Channel; none && !sought && ch != nil && (!p.Kind.Span.ByChannel || ch.Entry(name) != nil) {
				caution := result.Caution{Kind: words.CautionBelowHead, Names: []string{name}, Said: head.Name}
				if keeping := keepers(cores, r.Key()); len(keeping) > 0 {
					caution = result.Caution{Kind: words.CautionKept, Names: keeping, Said: words.BelowHeadThen(name, head.Name)}
				}
				c.fix.Cautions = append(c.fix.Cautions, caution)
			}
		case !sought && slices.ContainsFunc(path.Steps, func(s result.PathStep) bool { return s.Channel != "" }):
		case len(c.fix.Further) == 0:
			for _, step := range path.Steps {
				text := step.String()
				if step.Channel != "" {
					text = words.FieldSet(words.FieldChannel, r.Key().String(), step.Channel)
				}
				c.fix.Further = append(c.fix.Further, text)
			}
		}
	}
}

// keepers returns the names of other objects in the cores of the updates of a request.
func keepers(cores []route.Core, request cluster.RequestKey) (names []string) {
	for _, core := range cores {
		for _, reason := range core.Reasons {
			switch reason.Kind {
			case solver.KindRoot:
				if _, r := core.Problem.Root(reason.Rule); r.Key() != request {
					names = append(names, r.Key().String())
				}
			case solver.KindGiven:
				if b := core.Problem.Scopes[0].Part.AsInstalled(reason.Var); b != nil {
					names = append(names, words.ObjectCSV+" "+b.Name())
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
