package outcome

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Turns has the cluster as OLM finds it when the turn of a namespace comes, for those where that
// matters: requests with nothing installed, of several namespaces whose OperatorGroups intersect,
// bring the same API, and OLM fails all of these but the first.
type Turns map[string]*cluster.Index

// At returns the world of one scope, at its turn.
func (t Turns) At(w world.World, scope cluster.Scope) world.World {
	w = w.Of(scope)
	if at := t[scope.Namespace()]; at != nil {
		w = w.On(at)
	}
	return w
}

// Only leaves out fixes of a failed scope after which another one takes the turn and brings what the
// scope brings, so that it fails as before.
func (t Turns) Only(ctx context.Context, w world.World, scope cluster.Scope, fixes []result.Fix) []result.Fix {
	if t[scope.Namespace()] == nil || ctx.Err() != nil {
		return fixes
	}
	quick := w.With(func(o *policy.Options) { o.NoFixes = true })
	holds := func(w world.World) bool { return !w.Idle(scope) && w.Of(scope).Satisfy(ctx).Err == nil }
	return slices.DeleteFunc(slices.Clone(fixes), func(f result.Fix) bool {
		here, err := t.At(quick, scope).Apply(f.Steps())
		if err != nil || !holds(here) {
			return false // more than this is wrong
		}
		again, err := quick.Of().Apply(f.Steps())
		return err == nil && !holds(TurnsOf(ctx, again, scope).At(again, scope))
	})
}

// newcomer is a namespace in which a request has nothing installed.
type newcomer struct {
	name   string
	group  *inventory.Group
	answer *result.Resolution
}

// TurnsOf finds the turns of some scopes. Namespaces in which something is installed for a request,
// where OLM is at work already, come first, then the others, each by name. Namespaces beside the
// scopes count as well.
func TurnsOf(ctx context.Context, w world.World, scopes ...cluster.Scope) Turns {
	list := newcomers(w.In.Cluster, scopes)
	if len(list) < 2 || !slices.ContainsFunc(list, func(n newcomer) bool { return slices.Contains(scopes, cluster.InNamespace(n.name)) }) {
		return nil
	}
	quick := w.With(func(o *policy.Options) { o.NoFixes = true })
	pace.Parallel(len(list), func(i int) {
		list[i].answer, _ = one(ctx, quick.Of(cluster.InNamespace(list[i].name)))
	})
	turns := Turns{}
	first := map[properties.GVK][]int{} // which bring an API
	for i := range list {
		n := &list[i]
		clash := func(api properties.GVK) bool {
			return slices.ContainsFunc(first[api], func(j int) bool { return n.group.Intersects(list[j].group) })
		}
		if slices.ContainsFunc(brings(n.answer), clash) {
			var before []*result.Resolution
			for j := range list[:i] {
				if list[j].answer != nil && n.group.Intersects(list[j].group) {
					before = append(before, list[j].answer)
				}
			}
			turns[n.name] = world.After(w.In.Cluster, before...)
			n.answer, _ = one(ctx, turns.At(quick, cluster.InNamespace(n.name)))
		}
		for _, api := range brings(n.answer) {
			first[api] = append(first[api], i)
		}
	}
	return turns
}

// brings returns the APIs of what an answer installs, none if there is no answer.
func brings(r *result.Resolution) (apis []properties.GVK) {
	for i := 0; r != nil && i < len(r.Installs); i++ {
		apis = append(apis, r.Installs[i].Properties.GVKs()...)
	}
	return apis
}

// newcomers returns the namespaces with new requests that have a bearing on the turns of scopes, in
// the order in which their turns come.
func newcomers(c *cluster.Index, scopes []cluster.Scope) []newcomer {
	if !c.HasGroups() {
		return nil
	}
	var names, later []string
	for _, name := range c.Namespaces() {
		switch n := c.In(name); {
		case n.New == 0 || len(n.Groups) != 1:
		case n.New < len(n.Subscriptions):
			names = append(names, name)
		default:
			later = append(later, name)
		}
	}
	names = append(names, later...)
	if len(scopes) == 1 {
		return before(c, names, scopes[0].Namespace())
	}
	list, watched := make([]newcomer, len(names)), map[string]int{}
	for i, name := range names {
		list[i] = newcomer{name: name, group: inventory.ReadGroup(c, name)}
		for namespace := range list[i].group.At() {
			watched[namespace]++
		}
	}
	all := watched[""] // they share a namespace with each
	return slices.DeleteFunc(list, func(n newcomer) bool {
		if all > 0 {
			return false
		}
		for namespace := range n.group.At() {
			if watched[namespace] > 1 {
				return false
			}
		}
		return true
	})
}

// before returns those of some namespaces that have a bearing on the turn of one of them, which is
// the last.
func before(c *cluster.Index, names []string, namespace string) (kept []newcomer) {
	for _, name := range slices.Backward(names) {
		watched := slices.ContainsFunc(kept, func(later newcomer) bool { return later.group.Watches(name) })
		if name != namespace && !watched && (len(kept) == 0 || inventory.OwnOnly(&c.In(name).Groups[0])) {
			continue
		}
		n := newcomer{name: name, group: inventory.ReadGroup(c, name)}
		if name == namespace || slices.ContainsFunc(kept, func(later newcomer) bool { return later.group.Intersects(n.group) }) {
			kept = append(kept, n)
		}
	}
	slices.Reverse(kept)
	return kept
}
