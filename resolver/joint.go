package resolver

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// ResolveJointly resolves namespaces as one problem: all requests hold, in the
// order of namespace and name, or none is answered. An obligation in a namespace
// can be met from another one whose OperatorGroup targets it, after what the
// namespace has installed and before new bundles of its own come those that the
// other has installed, and new bundles there come last. So updates that need
// each other succeed together. Bundles of namespaces whose groups have targets
// in common do not provide one API, wherever they are chosen.
//
// The resolutions are in order of namespace. The error is one of those of
// Resolve, of the first namespace that has one; where the namespaces cannot hold
// together it is one *NotSatisfiable of all, in which everything names its
// namespace. With Options.Partial, requests are left out in the order of all.
func (r *Resolver) ResolveJointly(ctx context.Context, namespaces []string, cluster *Cluster, catalogs *cache.View) ([]*Resolution, error) {
	namespaces = slices.Compact(slices.Sorted(slices.Values(namespaces)))
	resolutions, err := r.guarded(ctx, "namespaces jointly", func(ctx context.Context, stop context.CancelFunc) (whole, error) {
		return r.readJoint(ctx, stop, namespaces, cluster, catalogs)
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(resolutions))
	for i, resolution := range resolutions {
		outcomes[i] = Outcome{Namespace: resolution.Namespace, Resolution: resolution}
	}
	cluster.warnVersions(outcomes)
	return resolutions, nil
}

// joint is the problem of several namespaces. The variables of each part are
// its own, shifted by its base; groups are numbered anew. It implements whole.
type joint struct {
	options *Options
	parts   []*part
	roots   []solver.Rule
	rules   map[solver.Var][]solver.Rule
	groups  map[jointGroup]solver.Group
	keys    []jointGroup
}

// part is a namespace of a joint problem.
type part struct {
	*problem
	index     int
	base      solver.Var
	firstRoot int
}

// jointGroup is a group of one part or, with part -1, a kind of the cluster.
type jointGroup struct {
	part  int
	group solver.Group
	kind  properties.GVK
}

// neighbour is a problem whose bundles can meet obligations of another one:
// their numbers plus shift are what the other calls them.
type neighbour struct {
	*problem
	shift solver.Var
}

func (r *Resolver) readJoint(ctx context.Context, stop context.CancelFunc, namespaces []string, cluster *Cluster, view *cache.View) (*joint, error) {
	j := &joint{options: &r.options, rules: map[solver.Var][]solver.Rule{}, groups: map[jointGroup]solver.Group{}}
	together := make(map[string]bool, len(namespaces))
	for _, namespace := range namespaces {
		together[namespace] = true
	}
	var next int64
	for i, namespace := range namespaces {
		p, err := r.openNamespace(ctx, stop, namespace, cluster, view)
		if err != nil {
			return nil, err
		}
		p.together = together
		if err := p.readNamespace(); err != nil {
			return nil, err
		}
		if p.err != nil {
			return nil, p.stopped()
		}
		if err := ctx.Err(); err != nil {
			return nil, &Incomplete{Phase: "reading namespaces", Err: err}
		}
		if next > math.MaxInt32 {
			return nil, &InvalidInput{Subject: "namespaces", Err: errors.New("there are too many bundles to resolve them jointly")}
		}
		j.parts = append(j.parts, &part{problem: p, index: i, base: solver.Var(next), firstRoot: len(j.roots)})
		next += int64(p.universe.size) + int64(len(p.installed))
		for range p.roots {
			j.roots = append(j.roots, solver.Rule{})
		}
	}
	if next > math.MaxInt32 {
		return nil, &InvalidInput{Subject: "namespaces", Err: errors.New("there are too many bundles to resolve them jointly")}
	}
	j.meet()
	for _, part := range j.parts {
		for i, root := range part.roots {
			j.roots[part.firstRoot+i] = solver.Rule{Formula: shifted(root.Formula, part.base), Origin: root.Origin}
		}
	}
	return j, nil
}

// meet finds the parts whose bundles can meet obligations of others.
func (j *joint) meet() {
	for _, to := range j.parts {
		for _, from := range j.parts {
			group := from.cluster.groupOf(from.namespace)
			if from != to && group != nil && group.watches(to.namespace) {
				to.neighbours = append(to.neighbours, neighbour{from.problem, from.base - to.base})
			}
		}
	}
}

// at returns the part that a variable belongs to, and its number there.
func (j *joint) at(v solver.Var) (*part, solver.Var) {
	i, found := slices.BinarySearchFunc(j.parts, v, func(p *part, v solver.Var) int { return int(p.base) - int(v) })
	if !found {
		i--
	}
	// A part without bundles shares its base with the next one.
	for i+1 < len(j.parts) && j.parts[i+1].base <= v {
		i++
	}
	return j.parts[i], v - j.parts[i].base
}

func (j *joint) problems() []*problem {
	list := make([]*problem, len(j.parts))
	for i, part := range j.parts {
		list[i] = part.problem
	}
	return list
}

func (j *joint) of(v solver.Var) (*problem, solver.Var) {
	part, local := j.at(v)
	return part.problem, local
}

func (j *joint) root(i int) (*problem, *request, solver.Var) {
	// Of parts that begin with the same root, only the last one has any.
	part := j.parts[sort.Search(len(j.parts), func(k int) bool { return j.parts[k].firstRoot > i })-1]
	return part.problem, &part.requests[i-part.firstRoot], part.base
}

func (j *joint) grouped(g solver.Group) (*problem, groupKey) {
	k := j.keys[g]
	if k.part < 0 {
		return nil, groupKey{kind: ReasonOneAPI, api: k.kind}
	}
	return j.parts[k.part].grouped(k.group)
}

// Given implements solver.Problem.
func (j *joint) Given() []solver.Var {
	var given []solver.Var
	for _, part := range j.parts {
		given = append(given, shiftedList(part.Given(), part.base)...)
	}
	return given
}

// Roots implements solver.Problem.
func (j *joint) Roots() []solver.Rule { return j.roots }

// Rules implements solver.Problem.
func (j *joint) Rules(v solver.Var) []solver.Rule {
	if rules, ok := j.rules[v]; ok {
		return rules
	}
	part, local := j.at(v)
	own := part.Rules(local)
	rules := make([]solver.Rule, len(own))
	for i, rule := range own {
		rules[i] = solver.Rule{Formula: shifted(rule.Formula, part.base), Origin: rule.Origin}
	}
	possible := !slices.ContainsFunc(own, func(r solver.Rule) bool { return r.Formula == impossible })
	if possible && part.asInstalled(local) == nil {
		rules = append(rules, j.sharedRules(part, local)...)
	}
	j.rules[v] = rules
	return rules
}

// Groups implements solver.Problem.
func (j *joint) Groups(v solver.Var) []solver.Group {
	part, local := j.at(v)
	own := part.Groups(local)
	groups := make([]solver.Group, 0, len(own))
	for _, g := range own {
		groups = append(groups, j.group(jointGroup{part: part.index, group: g}))
	}
	if j.options.SingleOwner {
		for _, api := range part.propertiesOf(local).GVKs() {
			groups = append(groups, j.group(jointGroup{part: -1, kind: kindOf(api)}))
		}
	}
	return groups
}

func (j *joint) group(k jointGroup) solver.Group {
	g, ok := j.groups[k]
	if !ok {
		g = solver.Group(len(j.keys))
		j.groups[k] = g
		j.keys = append(j.keys, k)
	}
	return g
}

// shifted returns a formula over numbers that are larger by a difference.
func shifted(f solver.Formula, by solver.Var) solver.Formula {
	if by == 0 {
		return f
	}
	switch f := f.(type) {
	case *solver.Choice:
		return &solver.Choice{Candidates: shiftedLists(f.Candidates, by), Also: shiftedList(f.Also, by)}
	case *solver.Absent:
		return &solver.Absent{Vars: shiftedLists(f.Vars, by)}
	case *solver.AtMost:
		return &solver.AtMost{N: f.N, Vars: shiftedList(f.Vars, by)}
	case *solver.And:
		return &solver.And{Parts: shiftedParts(f.Parts, by)}
	case *solver.Or:
		return &solver.Or{Parts: shiftedParts(f.Parts, by)}
	}
	return f
}

func shiftedParts(parts []solver.Formula, by solver.Var) []solver.Formula {
	out := make([]solver.Formula, len(parts))
	for i, part := range parts {
		out[i] = shifted(part, by)
	}
	return out
}

func shiftedLists(lists [][]solver.Var, by solver.Var) [][]solver.Var {
	out := make([][]solver.Var, len(lists))
	for i, list := range lists {
		out[i] = shiftedList(list, by)
	}
	return out
}

func shiftedList(list []solver.Var, by solver.Var) []solver.Var {
	if len(list) == 0 || by == 0 {
		return list
	}
	out := make([]solver.Var, len(list))
	for i, v := range list {
		out[i] = v + by
	}
	return out
}
