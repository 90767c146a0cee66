package outcome

import (
	"context"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Turns has the cluster as OLM finds it when the turn of a namespace comes, for those where that
// matters: new requests and updates, of several namespaces whose OperatorGroups intersect, bring the
// same API, and OLM fails all of these but the first.
type Turns map[string]*cluster.Index

// At returns the world of one scope, at its turn.
func (t Turns) At(w world.World, scope cluster.Scope) world.World {
	w = w.Of(scope)
	if at := t[scope.Namespace()]; at != nil {
		w = w.On(at)
	}
	return w
}

// Only leaves out of the helps for a failed scope the fixes after which another one takes the turn and
// brings what the scope brings, so that it fails as before, and those that make another one fail that way.
// A fix that is left unjudged stays, and the help says so: the context has ended, or turns are too many.
func (t Turns) Only(ctx context.Context, w world.World, scope cluster.Scope, helps ...*result.Help) {
	quick := w.With(func(o *policy.Options) { o.NoFixes = true })
	judged := map[*result.Change]bool{} // by the first change of a fix, which the helps of rows share
	for _, help := range words.Distinct(helps) {
		help.Fixes = slices.DeleteFunc(slices.Clone(help.Fixes), func(f result.Fix) bool {
			regrouped := regroups(&f)
			if t[scope.Namespace()] == nil && len(regrouped) == 0 {
				return false
			}
			if len(t) > maxTurns {
				help.Search = result.SearchLimit
				return false
			}
			vain, known := judged[&f.Changes[0]]
			if known {
				return vain
			}
			vain = ctx.Err() == nil && t.vain(ctx, quick, scope, &f, regrouped)
			if ctx.Err() != nil {
				help.Search = result.SearchCanceled
				return false
			}
			judged[&f.Changes[0]] = vain
			return vain
		})
	}
}

// vain reports whether a scope fails in its turn after a fix though it would hold without others, or
// whether the fix makes another one fail in its turn.
func (t Turns) vain(ctx context.Context, w world.World, scope cluster.Scope, f *result.Fix, regrouped []string) bool {
	again, err := w.Of().Apply(f.Steps())
	if err != nil {
		return false
	}
	if here, err := t.At(w, scope).Apply(f.Steps()); err == nil && holds(ctx, here, scope) && !inTurn(ctx, again, scope) {
		return true // else more than this is wrong
	}
	return slices.ContainsFunc(beside(again.In.Cluster, regrouped, scope), func(other cluster.Scope) bool {
		return inTurn(ctx, w, other) && !again.Idle(other) && !inTurn(ctx, again, other)
	})
}

// holds reports whether a scope has an answer. Once the context has ended that is not known, and false.
func holds(ctx context.Context, w world.World, scope cluster.Scope) bool {
	defer pace.Unwind()
	return !w.Idle(scope) && w.Of(scope).Satisfy(ctx).Err == nil
}

// inTurn reports whether a scope has an answer when its turn comes.
func inTurn(ctx context.Context, w world.World, scope cluster.Scope) bool {
	return holds(ctx, TurnsOf(ctx, w, scope).At(w, scope), scope)
}

// regroups returns the namespaces whose OperatorGroup a fix changes.
func regroups(f *result.Fix) (namespaces []string) {
	for _, step := range f.Steps() {
		if step.Object.Kind == words.ObjectOperatorGroup {
			namespaces = append(namespaces, step.Object.Namespace)
		}
	}
	return words.Distinct(namespaces)
}

// beside returns the namespaces with which some others share target namespaces.
func beside(c *cluster.Index, namespaces []string, but cluster.Scope) (others []cluster.Scope) {
	for _, name := range namespaces {
		others = append(others, words.Mapped(inventory.Neighbors(c, name), cluster.InNamespace)...)
	}
	others = slices.DeleteFunc(words.Distinct(others), func(s cluster.Scope) bool { return s == but })
	return others[:min(len(others), fix.MaxOthers)]
}

// newcomer is a namespace to which a new bundle may come.
type newcomer struct {
	name   string
	group  *inventory.Group
	answer *result.Resolution
	waits  bool // what comes is an update that waits for approval
}

// TurnsOf finds the turns of some scopes. Namespaces in which something is installed for a request,
// where OLM is at work already, come first, then the others, each by name. Namespaces beside the
// scopes count as well. Updates that wait for approval come last, and count for no other namespace:
// nobody knows when they come.
func TurnsOf(ctx context.Context, w world.World, scopes ...cluster.Scope) Turns {
	list := newcomers(&w.In, scopes)
	if len(list) < 2 || !slices.ContainsFunc(list, func(n newcomer) bool { return slices.Contains(scopes, cluster.InNamespace(n.name)) }) {
		return nil
	}
	quick := w.With(func(o *policy.Options) { o.NoFixes = true })
	pace.Parallel(len(list), func(i int) {
		n := w.In.Cluster.In(list[i].name)
		if a, _ := one(ctx, quick.Of(cluster.InNamespace(list[i].name))); a != nil {
			list[i].answer, list[i].waits = a, n.New == 0 && waits(n, a)
		}
	})
	turns := Turns{}
	first := map[properties.GVK][]int{} // which bring an API
	for i := range list {
		n := &list[i]
		clash := func(api properties.GVK) bool {
			return slices.ContainsFunc(first[api], func(j int) bool { return n.group.Intersects(list[j].group) })
		}
		if slices.ContainsFunc(brings(w.In.Cluster, n.answer), clash) {
			var before []*result.Resolution
			for j := range list[:i] {
				if list[j].answer != nil && !list[j].waits && n.group.Intersects(list[j].group) {
					before = append(before, list[j].answer)
				}
			}
			turns[n.name] = world.After(w.In.Cluster, before...)
			n.answer, _ = one(ctx, turns.At(quick, cluster.InNamespace(n.name)))
		}
		for _, api := range brings(w.In.Cluster, n.answer) {
			if !n.waits {
				first[api] = append(first[api], i)
			}
		}
	}
	return turns
}

// waits reports whether an answer waits for an approval that its InstallPlan does not have yet.
func waits(n *cluster.NamespaceObjects, r *result.Resolution) bool {
	return r.Manual() && !slices.ContainsFunc(n.InstallPlans, func(p cluster.InstallPlan) bool {
		return comes(p) && slices.ContainsFunc(r.Installs, func(i result.Install) bool { return slices.Contains(p.CSVs, i.Bundle.Name) })
	})
}

// comes reports whether an InstallPlan is approved, and not carried out yet.
func comes(p cluster.InstallPlan) bool {
	return p.Approved && p.Phase != "Complete" && p.Phase != "Failed"
}

// brings returns the APIs of what an answer installs but for those that its namespace has already, none if
// there is no answer.
func brings(c *cluster.Index, r *result.Resolution) (apis []properties.GVK) {
	if r == nil {
		return nil
	}
	for i := range r.Installs {
		apis = append(apis, r.Installs[i].Properties.GVKs()...)
	}
	installed := inventory.Counting(c.In(r.Scope.Namespace()))
	return slices.DeleteFunc(apis, func(api properties.GVK) bool {
		return slices.ContainsFunc(installed, func(v *cluster.ClusterServiceVersion) bool { return slices.Contains(v.Provides, api) })
	})
}

// requires reports whether an installed bundle may require another one.
func requires(v *cluster.ClusterServiceVersion) bool {
	text := v.Annotations[cluster.AnnotationProperties]
	return v.Stated != nil || len(v.Requires) > 0 || strings.Contains(text, ".required") || strings.Contains(text, properties.TypeConstraint)
}

// updates reports whether something may come to a namespace all of whose requests have installed something:
// a catalog has an update of it, it is gone, or what is installed requires something.
func updates(view *cache.View, n *cluster.NamespaceObjects) bool {
	installed := inventory.Counting(n)
	if slices.ContainsFunc(installed, requires) {
		return true
	}
	for i := range n.Subscriptions {
		s := &n.Subscriptions[i]
		at := slices.IndexFunc(installed, func(v *cluster.ClusterServiceVersion) bool { return v.Name == s.InstalledCSV })
		if at < 0 {
			return true
		}
		csv := installed[at]
		version, err := semver.Parse(csv.Version)
		if err != nil {
			return true // its properties may tell
		}
		for c := range view.Catalogs() {
			if c.Snapshot == nil || c.Snapshot.Package(s.Package) == nil {
				continue
			}
			for _, channel := range c.Snapshot.Package(s.Package).Channels {
				if s.Channel != "" && channel.Name != s.Channel {
					continue
				}
				for range channel.Updates(csv.Name, &version) {
					return true
				}
			}
		}
	}
	return false
}

// newcomers returns the namespaces with new requests or updates that have a bearing on the turns of
// scopes, in the order in which their turns come.
func newcomers(in *model.Inputs, scopes []cluster.Scope) []newcomer {
	c := in.Cluster
	if !c.HasGroups() {
		return nil
	}
	var names, later, last []string
	moves := func(name string) bool { return c.In(name).New > 0 || updates(in.View, c.In(name)) }
	for _, name := range c.Namespaces() {
		switch n := c.In(name); {
		case len(n.Groups) != 1 || len(scopes) > 1 && !moves(name):
		case n.New == 0 && inventory.Manual(n) && !slices.ContainsFunc(n.InstallPlans, comes):
			last = append(last, name)
		case n.New < len(n.Subscriptions):
			names = append(names, name)
		default:
			later = append(later, name)
		}
	}
	names = slices.Concat(names, later, last)
	if len(scopes) == 1 {
		if moves(scopes[0].Namespace()) {
			return before(c, names, scopes[0].Namespace(), moves)
		}
		return nil
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

// before returns those of some namespaces to which something comes, and that have a bearing on the turn
// of one of them, which is the last.
func before(c *cluster.Index, names []string, namespace string, moves func(string) bool) (kept []newcomer) {
	for _, name := range slices.Backward(names) {
		watched := slices.ContainsFunc(kept, func(later newcomer) bool { return later.group.Watches(name) })
		if name != namespace && !watched && (len(kept) == 0 || inventory.OwnOnly(&c.In(name).Groups[0])) {
			continue
		}
		n := newcomer{name: name, group: inventory.ReadGroup(c, name)}
		if name == namespace || slices.ContainsFunc(kept, func(later newcomer) bool { return later.group.Intersects(n.group) }) && moves(name) {
			kept = append(kept, n)
		}
	}
	slices.Reverse(kept)
	return kept
}
