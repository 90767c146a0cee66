package fix

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// standing is how a request stands by an answer.
type standing struct {
	key   cluster.RequestKey
	root  int
	state result.State
	// at is the index of the candidate that it gets.
	at int
}

// standings returns how the requests of an answer stand that a fix is for, or that it changes.
func standings(n *node, t *world.Try) (list []standing, err error) {
	for i := range t.Problem.Model.Demands {
		p, r := t.Problem.Root(i)
		key := r.Key()
		if !slices.Contains(n.s.own, key) && !n.s.changed(n, p, r) {
			continue
		}
		if is, ok := standingOf(t, i); ok {
			list = append(list, is)
		}
	}
	blocked := func(is standing) bool { return is.state == result.StateBlocked }
	if len(t.Problem.Scopes) > 1 || !slices.ContainsFunc(list, blocked) {
		return list, nil
	}
	states, better := make([]result.State, len(t.Problem.Model.Demands)), make([][]solver.Var, len(t.Problem.Model.Demands))
	for i := range states {
		_, r := t.Problem.Root(i)
		if is, ok := standingOf(t, i); ok {
			states[i], better[i] = is.state, r.List.Candidates[:is.at]
		}
	}
	kept, err := explain.NewSolved(t).Kept(states, better)
	for i := range list {
		if len(kept[list[i].root]) > 0 {
			list[i].state = result.StateKept
		}
	}
	return list, err
}

func standingOf(t *world.Try, root int) (standing, bool) {
	p, r := t.Problem.Root(root)
	at := slices.IndexFunc(r.List.Candidates, t.Selects)
	if at < 0 {
		return standing{}, false
	}
	stays := r.Current >= 0 && t.Selects(p.InstalledVar(r.Current))
	return standing{r.Key(), root, explain.StateOf(p, r, r.Head(p, r).Name, at, stays), at}, true
}

// stuck reports whether a request gets nothing newer, though something newer exists.
func (is *standing) stuck() bool {
	return is.state == result.StateAtDeadEnd || is.state == result.StateBlocked
}

// leadOn takes the answer of a node for none if a request is stuck that its changes are for, or
// that they change: a change that ends there is no fix. What keeps that request from an update is
// then the core. A request that its own operator holds waits for that, whatever others change.
func leadOn(n *node) {
	list, err := standings(n, n.try)
	at := slices.IndexFunc(list, func(is standing) bool {
		return is.stuck() && !(n.s.goal != nil && n.s.goal.about(n, is.root, is.at))
	})
	if at < 0 || err != nil {
		return
	}
	p, r := n.try.Problem.Root(list[at].root)
	newer := updatesOf(p, r)
	instead(n, demand{solver.OneOf(newer...), list[at].root}, newer...)
}

// balk takes the answer of a node for none if OLM would not install a bundle that it has. What has
// that bundle selected is then the core, and more are the edits after which OLM installs it.
func balk(n *node) {
	refused := answer.Refused(n.try.Problem, n.try.Solution)
	if len(refused) == 0 {
		return
	}
	instead(n, demand{solver.NoneOf(refused[0].Bundle), -1}, refused[0].Bundle)
	for i := range refused {
		if r := refused[i].Rights; r != nil {
			n.more = append(n.more, r.Edit(n.try.In.Cluster, n.try.Problem.Model.Of(refused[i].Bundle).NameOf(refused[i].Bundle)))
		} else if e, ok := request.StoredEdit(n.try.In.Cluster, refused[i].WayOut); ok {
			n.more = append(n.more, e)
		}
	}
}

// renew takes the answer of a node for none if it installs again what the edits have removed with
// its Subscription: nothing is gained by that, and the operator does not run in between.
func renew(n *node) {
	for i := range n.edits {
		e := &n.edits[i]
		if e.Kind != request.EditReinstall && e.Kind != request.EditGoesAlong {
			continue
		}
		for _, sel := range n.try.Solution.Selected {
			p := n.try.Problem.Model.Of(sel.Var)
			gone := result.Object{Kind: words.ObjectCSV, Namespace: p.Namespace, Name: p.NameOf(sel.Var)}
			if p.AsInstalled(sel.Var) == nil && slices.ContainsFunc(e.Steps, func(s result.Step) bool { return s.Object == gone }) {
				instead(n, demand{solver.NoneOf(sel.Var), -1}, sel.Var)
				return
			}
		}
	}
}

// instead takes the answer of a node for none, as it is not what is wanted. The core is what keeps
// that from being so, or all that has a bearing on some bundles.
func instead(n *node, wanted demand, bundles ...solver.Var) {
	n.solved, n.stuck, n.wanted = false, true, wanted
	q := everything(n.try.Problem, wanted)
	if t := n.try.Solve(q.problem); t.Solution == nil {
		n.core, n.err = q.numbered(t.Core), t.Err
		n.s.limited = n.s.limited || t.Limited
		return
	}
	n.anyDemand(bundles) // other choices are preferred
}

// updatesOf returns the candidates that take the place of what a request has installed.
func updatesOf(p *model.Part, r *request.Request) (list []solver.Var) {
	for _, v := range r.List.Candidates {
		if p.AsInstalled(v) == nil {
			list = append(list, v)
		}
	}
	return list
}

// Stuck reports whether an answer leaves a request where it is, though something newer exists, or
// OLM would refuse it.
func Stuck(t *world.Try, key cluster.RequestKey) bool {
	root := t.Problem.RootOf(key)
	if root < 0 {
		return false
	}
	is, ok := standingOf(t, root)
	return ok && (is.stuck() || len(answer.Refused(t.Problem, t.Solution)) > 0)
}

// follows returns a text that differs between fixes after which the requests that they change stand
// otherwise, or have other steps left, those of the path if one is the goal.
func follows(n *node) string {
	text := ""
	if n.path != nil {
		text = fmt.Sprint(len(n.path.Steps))
	}
	if n.path != nil || n.try.Problem == nil || n.try.Solution == nil {
		return text
	}
	for i := range n.try.Problem.Model.Demands {
		p, r := n.try.Problem.Root(i)
		if is, ok := standingOf(n.try, i); ok && n.s.changed(n, p, r) {
			text += fmt.Sprint(is.key, is.state, route.Distance(p, r, p.NameOf(r.List.Candidates[is.at]), r.Head(p, r).Name))
		}
	}
	return text
}
