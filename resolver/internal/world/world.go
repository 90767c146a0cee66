// Package world reads scopes into problems and solves them. Between calls an [Engine] caches what
// it derives from catalogs. A [World] is a problem as it is, or as it would be after changes; a
// [Try] is what solving it comes to. Which changes are worth a try, and what they mean, is
// decided by packages that import this one: they explain failures and search for fixes.
package world

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// World is a problem as it is, or as it would be. Its methods return another World; nobody else
// varies it.
type World struct {
	// In is for reading.
	In     model.Inputs
	engine *Engine
}

// New returns the world of inputs.
func New(e *Engine, in model.Inputs) World { return World{in, e} }

// Of returns the world in which these scopes are resolved.
func (w World) Of(scopes ...cluster.Scope) World {
	w.In.Scopes = scopes
	return w
}

// On returns the world with the objects of another cluster.
func (w World) On(c *cluster.Index) World {
	w.In.Cluster = c
	return w
}

// Over returns the world with other catalogs.
func (w World) Over(view *cache.View) World {
	w.In.View = view
	return w
}

// With returns the world with changed options.
func (w World) With(change func(*policy.Options)) World {
	options := *w.In.Options
	change(&options)
	w.In.Options = &options
	return w
}

// At returns the world at other versions of the cluster. An empty version stays as it is.
func (w World) At(openShift, kubernetes string) World {
	return w.On(w.In.Cluster.WithObjects(func(o *cluster.Objects) {
		o.OpenShiftVersion = cmp.Or(openShift, o.OpenShiftVersion)
		o.KubernetesVersion = cmp.Or(kubernetes, o.KubernetesVersion)
	}))
}

// Holding returns the world in which the operator of an installed bundle refuses updates.
func (w World) Holding(namespace, bundle string) World {
	return w.On(w.In.Cluster.WithNamespace(namespace, true, func(n *cluster.NamespaceObjects) {
		n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(o cluster.OperatorCondition) bool { return o.Name == bundle })
		n.Conditions = append(n.Conditions, cluster.OperatorCondition{Namespace: namespace, Name: bundle, Upgradeable: &cluster.Condition{Status: "False"}})
		slices.SortFunc(n.Conditions, func(a, b cluster.OperatorCondition) int { return strings.Compare(a.Name, b.Name) })
	}))
}

// Without returns the world without some Subscriptions of its scopes.
func (w World) Without(gone func(cluster.Subscription) bool) World {
	for _, scope := range w.In.Scopes {
		if slices.ContainsFunc(w.In.Cluster.In(scope.Namespace()).Subscriptions, gone) {
			// All at once, as they may be many.
			w.In.Cluster = w.In.Cluster.WithNamespace(scope.Namespace(), len(w.In.Scopes) == 1, func(n *cluster.NamespaceObjects) {
				n.Subscriptions = slices.DeleteFunc(slices.Clone(n.Subscriptions), gone)
			})
		}
	}
	return w.requested()
}

// Near returns the world of only those Subscriptions, and of what they have installed, that may
// have a bearing on some bundles of its only scope. It is the same world if ties is nil.
func (w World) Near(ties *Ties, bundles []string) World {
	if ties != nil {
		w.In.Cluster = w.In.Cluster.WithNamespace(w.In.Scopes[0].Name, true, func(n *cluster.NamespaceObjects) { ties.Keep(n, bundles) })
	}
	return w
}

// requested leaves out scopes that have nothing to resolve.
func (w World) requested() World {
	w.In.Scopes = slices.DeleteFunc(slices.Clone(w.In.Scopes), w.Idle)
	return w
}

// Idle reports whether a scope has nothing to resolve: a namespace without Subscriptions, or a
// ClusterExtension that is not there.
func (w World) Idle(scope cluster.Scope) bool {
	if request.KindOf(scope).Namespaced {
		return len(w.In.Cluster.In(scope.Name).Subscriptions) == 0
	}
	return w.In.Cluster.Extension(scope.Name) == nil
}

// Apply returns the world after steps, those on options among them. A catalog goes with the
// object that declares it, and has its priority. The error is that of [result.Apply].
func (w World) Apply(steps []result.Step) (World, error) {
	var changes []result.Step
	for i := range steps {
		if s := &steps[i]; s.Object.Kind == words.ObjectOptions {
			w.In.Options = withOption(w.In.Options, s)
		} else {
			changes = append(changes, *s)
			w.In.View = viewAfter(w.In.View, s)
		}
	}
	only := cluster.Scope{}
	if len(w.In.Scopes) == 1 {
		only = w.In.Scopes[0]
	}
	var err error
	if w.In.Cluster, err = result.Apply(w.In.Cluster, only, changes); err != nil {
		return w, err
	}
	return w.requested(), nil
}

// viewAfter returns the catalogs after a step.
func viewAfter(view *cache.View, s *result.Step) *cache.View {
	key := catalogOf(s)
	gone := s.Object.Kind == words.ObjectCatalogSource && s.Field == ""
	if view.Catalog(key) == nil || !gone && s.Field != words.FieldPriority {
		return view
	}
	var changed []cache.Catalog
	for c := range view.Catalogs() {
		with := *c
		if c.Key == key {
			with.Priority, _ = s.To.(int)
		}
		if c.Key != key || !gone {
			changed = append(changed, with)
		}
	}
	return cache.NewView(changed)
}

// catalogOf returns the key of the catalog that the object of a step declares or names.
func catalogOf(s *result.Step) catalog.Key {
	return catalog.Key{Namespace: s.Object.Namespace, Name: s.Object.Name}
}

// withOption returns the options of the caller after one step.
func withOption(o *policy.Options, step *result.Step) *policy.Options {
	changed := *o
	switch step.Field {
	case words.FieldExcludedCatalogs:
		key := catalogOf(step)
		changed.ExcludeCatalogs = slices.DeleteFunc(slices.Clone(o.ExcludeCatalogs), func(k catalog.Key) bool { return k == key })
		if step.To != nil {
			changed.ExcludeCatalogs = append(changed.ExcludeCatalogs, key)
		}
	case words.FieldLenientHealth:
		changed.LenientHealth = true
	case words.FieldPins:
		changed.Pins = slices.DeleteFunc(slices.Clone(o.Pins), func(p policy.Pin) bool { return model.Counts(&p, step.Object.Name, step.Object.Namespace) })
	case words.FieldException:
		changed.Exceptions = append(slices.Clone(o.Exceptions), policy.Exception{Namespace: step.Object.Namespace, Bundle: step.Object.Name})
	case words.FieldSystemConstraint:
		changed.SystemConstraint = func(ctx context.Context, c policy.Candidate) (bool, string) {
			if c.Namespace == step.Object.Namespace && c.Bundle.Name == step.Object.Name {
				return true, ""
			}
			return o.SystemConstraint(ctx, c)
		}
	}
	return &changed
}
