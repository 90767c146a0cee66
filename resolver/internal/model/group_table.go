package model

import (
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/solver"
)

// GroupKey names an at-most-one group: a package, a bundle name or an API.
type GroupKey struct {
	Code words.Code
	Name string
	API  properties.GVK
}

// groupTable numbers the at-most-one groups of a Universe and caches those of each bundle.
// A model then computes groups only of installed bundles. It is safe for any number of
// goroutines.
type groupTable struct {
	// byKind is true if an API belongs to its kind's group, whatever its version.
	byKind bool
	// of caches groups by bundle number. It is an array, because each candidate of each
	// model reads it.
	of []atomic.Pointer[[]solver.Group]

	mu   sync.Mutex
	ids  map[GroupKey]solver.Group
	keys []GroupKey
}

// Bundle returns the groups of a bundle of the universe. The slice is shared.
func (t *groupTable) Bundle(v solver.Var, b *catalog.Bundle) []solver.Group {
	if known := t.of[v].Load(); known != nil {
		return *known
	}
	groups := t.Groups(b.Name, b.Properties)
	t.of[v].Store(&groups)
	return groups
}

// Groups returns the groups of a bundle: its name, and the package and APIs among its
// properties.
func (t *groupTable) Groups(name string, stated *properties.Set) []solver.Group {
	t.mu.Lock()
	defer t.mu.Unlock()
	apis := stated.GVKs()
	groups := make([]solver.Group, 0, 2+len(apis))
	groups = append(groups, t.id(GroupKey{Code: words.OneName, Name: name}))
	if pkg, ok := stated.Package(); ok {
		groups = append(groups, t.id(GroupKey{Code: words.OnePackage, Name: pkg.Name}))
	}
	for _, api := range apis {
		if t.byKind {
			api = inventory.KindOf(api)
		}
		groups = append(groups, t.id(GroupKey{Code: words.OneAPI, API: api}))
	}
	return groups
}

func (t *groupTable) id(k GroupKey) solver.Group {
	if g, ok := t.ids[k]; ok {
		return g
	}
	g := solver.Group(len(t.keys))
	t.ids[k] = g
	t.keys = append(t.keys, k)
	return g
}

// Of returns the group that a key names.
func (t *groupTable) Of(k GroupKey) solver.Group {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id(k)
}

// Key returns what a group stands for.
func (t *groupTable) Key(g solver.Group) GroupKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[g]
}
