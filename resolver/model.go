package resolver

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// model is what one call solves and explains: the problem of a namespace or of
// a ClusterExtension, or those of several namespaces as one. Bundles are
// numbered throughout; each part has a range of its own. It implements
// solver.Problem, and answers for what the requests reach only.
type model struct {
	inputs
	*pace
	parts []*problem
	roots []solver.Rule
	// groups and keys number the groups of several parts; a single part keeps
	// its numbers.
	groups map[modelGroup]solver.Group
	keys   []modelGroup
}

// modelGroup is a group of one part or, with part -1, a kind of the cluster.
type modelGroup struct {
	part  int
	group solver.Group
	kind  properties.GVK
}

// inputs are what a resolution depends on. A variant of a question is another
// value of them.
type inputs struct {
	// namespaces are sorted; several are resolved as one problem. Without any,
	// the ClusterExtension of that name is resolved.
	namespaces []string
	extension  string

	cluster *inventory
	view    *cache.View
	options *Options
	// visible are catalogs that namespaces see beside those that they would.
	visible []sight
	// chosen was chosen for other namespaces by the same call.
	chosen map[properties.GVK][]kindProvider
	// only, where set, is the one candidate of a request.
	only *onlyCandidate
	// trace, where set, remembers every problem that is made.
	trace func(*problem)
}

// onlyCandidate leaves a Subscription one of its candidates.
type onlyCandidate struct {
	subscription string
	candidate    solver.Var
}

// subject names what is resolved.
func (in *inputs) subject() string {
	switch len(in.namespaces) {
	case 0:
		return "ClusterExtension " + in.extension
	case 1:
		return "namespace " + in.namespaces[0]
	}
	return "namespaces " + strings.Join(in.namespaces, ", ")
}

var errTooManyBundles = errors.New("there are too many bundles to resolve them jointly")

// add appends a part that has been read.
func (m *model) add(p *problem) {
	p.index, p.firstRoot = len(m.parts), len(m.roots)
	m.parts = append(m.parts, p)
	m.roots = slices.Grow(m.roots, len(p.requests))
	for i := range p.requests {
		m.roots = append(m.roots, solver.Rule{Formula: solver.OneOf(p.requests[i].candidates...)})
	}
}

// size is the number of bundles of all parts.
func (m *model) size() int64 {
	if len(m.parts) == 0 {
		return 0
	}
	last := m.parts[len(m.parts)-1]
	return int64(last.base) + int64(last.universe.size) + int64(len(last.installed))
}

// joint reports whether several namespaces are resolved together. What is said
// of one of them then names it.
func (m *model) joint() bool { return len(m.namespaces) > 1 }

// resolves reports whether the namespace is one of those that are resolved.
func (m *model) resolves(namespace string) bool {
	_, found := slices.BinarySearch(m.namespaces, namespace)
	return found
}

// meet finds the parts whose bundles can meet obligations of others.
func (m *model) meet() {
	for _, to := range m.parts {
		for _, from := range m.parts {
			if from == to {
				continue
			}
			if group := m.cluster.groupOf(from.namespace); group != nil && group.watches(to.namespace) {
				to.neighbours = append(to.neighbours, from)
			}
		}
	}
}

// of returns the part that a bundle belongs to.
func (m *model) of(v solver.Var) *problem {
	if len(m.parts) == 1 {
		return m.parts[0]
	}
	i, found := slices.BinarySearchFunc(m.parts, v, func(p *problem, v solver.Var) int { return int(p.base) - int(v) })
	if !found {
		i--
	}
	// A part without bundles shares its base with the next one.
	for i+1 < len(m.parts) && m.parts[i+1].base <= v {
		i++
	}
	return m.parts[i]
}

// root returns the request that a root stands for, and its part.
func (m *model) root(i int) (*problem, *request) {
	// Of parts that begin with the same root, only the last one has any.
	p := m.parts[sort.Search(len(m.parts), func(k int) bool { return m.parts[k].firstRoot > i })-1]
	return p, &p.requests[i-p.firstRoot]
}

// candidatesOf are the bundles that can meet the request of a root.
func (m *model) candidatesOf(root int) []solver.Var {
	_, r := m.root(root)
	return r.candidates
}

// grouped says what a group stands for; the part is nil if that holds for the
// whole cluster.
func (m *model) grouped(g solver.Group) (*problem, groupKey) {
	if !m.joint() {
		return m.parts[0], m.parts[0].universe.groups.key(g)
	}
	k := m.keys[g]
	if k.part < 0 {
		return nil, groupKey{kind: result.ReasonOneAPI, api: k.kind}
	}
	p := m.parts[k.part]
	return p, p.universe.groups.key(k.group)
}

// originOf returns where a rule of a bundle comes from, and its part.
func (m *model) originOf(v solver.Var, rule int) (*problem, origin) {
	p := m.of(v)
	return p, p.origins[p.Rules(v)[rule].Origin]
}

// Given implements solver.Problem: installed bundles that no request manages
// stay.
func (m *model) Given() []solver.Var {
	var given []solver.Var
	for _, p := range m.parts {
		given = p.given(given)
	}
	return given
}

// Roots implements solver.Problem: every request holds.
func (m *model) Roots() []solver.Rule { return m.roots }

// Rules implements solver.Problem.
func (m *model) Rules(v solver.Var) []solver.Rule { return m.of(v).Rules(v) }

// Groups implements solver.Problem: at most one bundle a package, a name and
// a provided API.
func (m *model) Groups(v solver.Var) []solver.Group {
	p := m.of(v)
	own := p.groups(v)
	if !m.joint() {
		return own
	}
	groups := make([]solver.Group, 0, len(own))
	for _, g := range own {
		groups = append(groups, m.group(modelGroup{part: p.index, group: g}))
	}
	if m.options.SingleOwner {
		for _, api := range p.propertiesOf(v).GVKs() {
			groups = append(groups, m.group(modelGroup{part: -1, kind: kindOf(api)}))
		}
	}
	return groups
}

func (m *model) group(k modelGroup) solver.Group {
	g, ok := m.groups[k]
	if !ok {
		if m.groups == nil {
			m.groups = map[modelGroup]solver.Group{}
		}
		g = solver.Group(len(m.keys))
		m.groups[k] = g
		m.keys = append(m.keys, k)
	}
	return g
}

// withRoots is a model of which other demands are made.
type withRoots struct {
	*model
	roots []solver.Rule
}

// Roots implements solver.Problem.
func (w withRoots) Roots() []solver.Rule { return w.roots }
