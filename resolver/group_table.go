package resolver

import (
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// groupKey names an at-most-one group: a package, a bundle name or an API.
type groupKey struct {
	kind result.ReasonKind
	name string
	api  properties.GVK
}

// groupTable numbers the at-most-one groups of a universe and remembers those
// of each bundle, so that a problem looks names up only for what is installed.
// It is safe for concurrent use.
type groupTable struct {
	// byKind: an API is owned by group and kind, whatever its version.
	byKind bool
	// of holds the groups of the universe's bundles that were asked for.
	of []atomic.Pointer[[]solver.Group]

	mu   sync.Mutex
	ids  map[groupKey]solver.Group
	keys []groupKey
}

// bundle returns the groups of a bundle of the universe. The slice is shared.
func (t *groupTable) bundle(v solver.Var, b *catalog.Bundle) []solver.Group {
	if known := t.of[v].Load(); known != nil {
		return *known
	}
	groups := t.groups(b.Name, []string{b.Package}, b.Properties.GVKs())
	t.of[v].Store(&groups)
	return groups
}

// groups returns the groups of a bundle by what it is and provides.
func (t *groupTable) groups(name string, packages []string, apis []properties.GVK) []solver.Group {
	t.mu.Lock()
	defer t.mu.Unlock()
	groups := make([]solver.Group, 0, 1+len(packages)+len(apis))
	groups = append(groups, t.id(groupKey{kind: result.ReasonOneName, name: name}))
	for _, pkg := range packages {
		groups = append(groups, t.id(groupKey{kind: result.ReasonOnePackage, name: pkg}))
	}
	for _, api := range apis {
		if t.byKind {
			api = kindOf(api)
		}
		groups = append(groups, t.id(groupKey{kind: result.ReasonOneAPI, api: api}))
	}
	return groups
}

func (t *groupTable) id(k groupKey) solver.Group {
	if g, ok := t.ids[k]; ok {
		return g
	}
	g := solver.Group(len(t.keys))
	t.ids[k] = g
	t.keys = append(t.keys, k)
	return g
}

// key says what a group stands for.
func (t *groupTable) key(g solver.Group) groupKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[g]
}
