// Package model holds the bundles that scopes can have, and the rules of each bundle, in
// the terms of package solver. Each rule has an Origin that states where it comes from.
//
// A [Universe] lists and numbers the bundles that catalogs offer, in order of preference, so
// that all models of the same catalogs share lists and at-most-one groups. For
// Subscriptions and what they require, the order is: the catalog of the bundle that requires, catalog
// priority, default channel, channel and distance from the head. For what ClusterExtensions
// require: not deprecated, catalog priority, highest version. Package cache/internal/build
// orders the bundles of one catalog; a [Model] orders the candidates of a formula among these
// and installed ones, and package request those of a request.
//
// The package knows no requests: package request fills in the installed bundles, and package
// world the demands. The rules of a bundle are built when the solver first needs them;
// all else is read-only by then.
package model

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/solver"
)

// Model is what one call solves and explains: a namespace, several namespaces as one
// problem, or a ClusterExtension. The numbers of bundles are those of the solver; each Part
// has a range of its own. It implements solver.Problem, and belongs to one goroutine.
type Model struct {
	In    Inputs
	Pace  *pace.Pace
	Parts []*Part
	// limits are read with the first Part.
	limits *ClusterLimits
	// Demands are the requests of all Parts as rules of the solver.
	Demands []solver.Rule
	// groups and keys number the groups of several Parts. The groups of a single Part
	// keep the numbers of its Universe.
	groups map[modelGroup]solver.Group
	keys   []modelGroup
}

// modelGroup is a group of one Part or, with part -1, a kind of the cluster.
type modelGroup struct {
	part  int
	group solver.Group
	kind  properties.GVK
}

// Inputs are everything that an answer depends on. A variant of a question is another
// value of Inputs.
type Inputs struct {
	// Scopes holds one scope, or several namespaces by name that are resolved as one
	// problem.
	Scopes []cluster.Scope

	Cluster *cluster.Index
	View    *cache.View
	Options *policy.Options
	// Chosen holds what the same call has chosen for other namespaces.
	Chosen inventory.Providers
	// Reads, if set, collects what the call reads.
	Reads *Reads
}

// NewInputs returns the inputs of a call about scopes. Nil stands for no objects, and for no
// catalogs.
func NewInputs(x *cluster.Index, catalogs *cache.View, o *policy.Options, scopes ...cluster.Scope) Inputs {
	if x == nil {
		x = cluster.NewIndex(cluster.Objects{})
	}
	return Inputs{Scopes: scopes, Cluster: x, View: catalogs, Options: o}
}

// New returns a Model without Parts.
func New(ctx context.Context, in Inputs) *Model {
	return &Model{In: in, Pace: pace.New(ctx)}
}

// Subject names the scopes, for messages.
func (in *Inputs) Subject() string {
	if len(in.Scopes) == 1 {
		return in.Scopes[0].String()
	}
	return "namespaces " + strings.Join(words.Mapped(in.Scopes, func(s cluster.Scope) string { return s.Name }), ", ")
}

// Add appends a Part that has been read.
func (m *Model) Add(p *Part) {
	p.Index = len(m.Parts)
	m.Parts = append(m.Parts, p)
}

// Size is the number of bundles of all Parts.
func (m *Model) Size() int64 {
	if len(m.Parts) == 0 {
		return 0
	}
	last := m.Parts[len(m.Parts)-1]
	return int64(last.Base) + int64(last.Universe.Size) + int64(len(last.Installed))
}

// Joint reports whether several namespaces are resolved together. Reasons then name their
// namespace.
func (m *Model) Joint() bool { return len(m.In.Scopes) > 1 }

// resolves reports whether the namespace is one of the scopes.
func (m *Model) resolves(namespace string) bool {
	_, found := slices.BinarySearchFunc(m.In.Scopes, namespace, func(s cluster.Scope, name string) int { return strings.Compare(s.Namespace(), name) })
	return found
}

// FindNeighbors finds the Parts whose bundles can satisfy constraints of others.
func (m *Model) FindNeighbors() {
	if !m.Joint() {
		return
	}
	for _, from := range m.Parts {
		group := inventory.GroupOf(m.In.Cluster, from.Namespace)
		for _, to := range m.Parts {
			if from != to && group != nil && group.Watches(to.Namespace) {
				to.Neighbors = append(to.Neighbors, from)
			}
		}
	}
}

// Of returns the Part that a bundle belongs to.
func (m *Model) Of(v solver.Var) *Part {
	// If Parts have the same base, only the last of them has bundles.
	return m.Parts[sort.Search(len(m.Parts), func(i int) bool { return m.Parts[i].Base > v })-1]
}

// Grouped returns what a group stands for. The Part is nil if the group spans the cluster.
func (m *Model) Grouped(g solver.Group) (*Part, GroupKey) {
	if !m.Joint() {
		return m.Parts[0], m.Parts[0].Universe.Groups.Key(g)
	}
	k := m.keys[g]
	if k.part < 0 {
		return nil, GroupKey{Code: words.OneAPI, API: k.kind}
	}
	p := m.Parts[k.part]
	return p, p.Universe.Groups.Key(k.group)
}

// OriginOf returns where a rule of a bundle comes from, and its Part.
func (m *Model) OriginOf(v solver.Var, rule int) (*Part, Origin) {
	p := m.Of(v)
	return p, p.Origins[p.Rules(v)[rule].Origin]
}

// Given implements solver.Problem: installed bundles that no request manages stay.
func (m *Model) Given() []solver.Var {
	var given []solver.Var
	for _, p := range m.Parts {
		given = p.Given(given)
	}
	return given
}

// Roots implements solver.Problem: every request holds.
func (m *Model) Roots() []solver.Rule { return m.Demands }

// Rules implements solver.Problem.
func (m *Model) Rules(v solver.Var) []solver.Rule { return m.Of(v).Rules(v) }

// Groups implements solver.Problem: at most one bundle per package, name and provided API.
func (m *Model) Groups(v solver.Var) []solver.Group {
	p := m.Of(v)
	local := p.groups(v)
	if !m.Joint() {
		return local
	}
	groups := make([]solver.Group, 0, len(local))
	for _, g := range local {
		groups = append(groups, m.group(modelGroup{part: p.Index, group: g}))
	}
	if m.In.Options.SingleOwner {
		for _, api := range p.PropertiesOf(v).GVKs() {
			groups = append(groups, m.group(modelGroup{part: -1, kind: inventory.KindOf(api)}))
		}
	}
	return groups
}

func (m *Model) group(k modelGroup) solver.Group {
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

// Restricted is a Model with given bundles and demands of its own, and some rules changed. It
// implements solver.Problem.
type Restricted struct {
	*Model
	Stay    []solver.Var // the given bundles
	Demands []solver.Rule
	// Without has the rules and groups that need not hold.
	Without map[solver.Reason]bool
	// Instead has formulas that replace those of rules.
	Instead map[solver.Reason]solver.Formula
}

func (r Restricted) Given() []solver.Var              { return r.Stay }
func (r Restricted) Roots() []solver.Rule             { return r.Demands }
func (r Restricted) Rules(v solver.Var) []solver.Rule { return r.Changed(v, r.Model.Rules(v)) }

// Changed returns rules of a variable with those changes that are of them.
func (r Restricted) Changed(v solver.Var, rules []solver.Rule) []solver.Rule {
	if len(r.Without)+len(r.Instead) == 0 {
		return rules
	}
	rules = slices.Clone(rules)
	for i := range rules {
		reason := solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}
		if formula, ok := r.Instead[reason]; ok {
			rules[i].Formula = formula
		}
		if r.Without[reason] {
			// The rule stays as an alternative: its candidates remain selectable.
			rules[i].Formula = &solver.Or{Parts: []solver.Formula{Always, rules[i].Formula}}
		}
	}
	return rules
}

func (r Restricted) Groups(v solver.Var) []solver.Group {
	groups := r.Model.Groups(v)
	if len(r.Without) == 0 {
		return groups
	}
	return slices.DeleteFunc(slices.Clone(groups), func(g solver.Group) bool { return r.Without[GroupDemand(g)] })
}

// GroupDemand returns the reason of the solver that stands for a group.
func GroupDemand(g solver.Group) solver.Reason {
	return solver.Reason{Kind: solver.KindGroup, Var: solver.None, Rule: -1, Group: g}
}

// Always holds in every selection.
var Always = &solver.And{}
