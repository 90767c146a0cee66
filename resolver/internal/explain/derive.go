package explain

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// derivation turns a core into a tree. It follows the obligations from the
// requests to the bundles that could meet them, and from there to what those
// ask for, along the members of the core only. Bundles of one package to which
// the same members apply are told together.
type derivation struct {
	m    *encode.Model
	core []solver.Reason
	// p is the problem of the bundles whose constraint is being told.
	p *encode.Part
	// rules are the indices of the rules of a bundle that are in the core.
	rules  map[solver.Var][]int
	groups map[solver.Group]bool
	// reached are the bundles that the core speaks of, breadth first; excluders
	// lead from a bundle to the rules in the core that exclude it, in the order
	// in which they were reached.
	reached   []solver.Var
	excluders map[solver.Var][]int32
	// fates remember the members of the core that apply to a bundle.
	fates map[solver.Var]string
	// exclusions remember what the absence of an expression excludes.
	exclusions map[string][][]result.BundleRef
	// details number the ways in which rules forbid bundles.
	details map[result.Detail]int
	// nodes are those of obligations and classes that were derived, by their texts;
	// open ones are being derived.
	nodes map[string]*result.Explanation
	open  map[string]bool
	// owner is the node of the constraint that is being derived.
	owner *result.Explanation
	// asked is the bundle that is demanded only to see why it cannot be had.
	asked solver.Var
	// causes end the derivation; the head of the explanation states them.
	causes []result.ConflictCause
}

// derive builds the explanation of a core.
func derive(m *encode.Model, core []solver.Reason) *result.Explanation {
	return DeriveAsked(m, core, solver.None)
}

// DeriveAsked explains why the bundle asked cannot be selected.
func DeriveAsked(m *encode.Model, core []solver.Reason, asked solver.Var) *result.Explanation {
	m.Doing = pace.Explaining
	d := newDerivation(m, core)
	d.asked = asked
	root := &result.Explanation{}
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			root.Because = append(root.Because, d.request(r))
		case solver.KindGiven, solver.KindSelect:
			root.Because = append(root.Because, d.demanded(r))
		case solver.KindHold:
			root.Because = append(root.Because, coreFact(ReasonOf(m, r)))
		}
	}
	for _, r := range core {
		if r.Kind == solver.KindGroup {
			root.Because = append(root.Because, d.clash(r))
		}
	}
	root.Reason = result.Reason{Kind: result.ReasonConflict, Detail: d.head()}
	return root
}

func newDerivation(m *encode.Model, core []solver.Reason) *derivation {
	d := &derivation{
		m: m, core: core, p: m.Parts[0],
		rules:     map[solver.Var][]int{},
		groups:    map[solver.Group]bool{},
		excluders: map[solver.Var][]int32{},
		fates:     map[solver.Var]string{},
		nodes:     map[string]*result.Explanation{},
		open:      map[string]bool{},
		details:   map[result.Detail]int{},
	}
	var todo []solver.Var
	for _, r := range core {
		switch r.Kind {
		case solver.KindRule:
			d.rules[r.Var] = append(d.rules[r.Var], r.Rule)
		case solver.KindGroup:
			d.groups[r.Group] = true
		case solver.KindGiven, solver.KindSelect:
			todo = append(todo, r.Var)
		case solver.KindRoot:
			todo = append(todo, m.CandidatesOf(r.Rule)...)
		}
	}
	d.reach(todo)
	return d
}

// step counts work as that of a problem does.
func (d *derivation) step(steps int) { d.p.Step(steps) }

// reach follows the core from the demanded bundles.
func (d *derivation) reach(demanded []solver.Var) {
	seen := map[solver.Var]bool{}
	meet := func(vars []solver.Var) {
		d.step(1 + len(vars)/pace.PerStep)
		for _, v := range vars {
			if !seen[v] {
				seen[v] = true
				d.reached = append(d.reached, v)
			}
		}
	}
	meet(demanded)
	var rules int32
	var vars []solver.Var // the memory of the last formula's
	for next := 0; next < len(d.reached); next++ {
		v := d.reached[next]
		for _, i := range d.rules[v] {
			f := d.m.Rules(v)[i].Formula
			vars = candidate.Positive(f, vars[:0])
			meet(vars)
			vars = candidate.Negative(f, vars[:0])
			d.step(1 + len(vars)/pace.PerStep)
			for _, x := range vars {
				d.excluders[x] = append(d.excluders[x], rules)
			}
			rules++
		}
	}
}

// coreFact is a leaf that is a member of the core.
func coreFact(r result.Reason) *result.Explanation {
	return &result.Explanation{Reason: r, Fact: true, Core: true}
}

// stated is a member of the core that its parent states already.
func stated(r result.Reason) *result.Explanation {
	return &result.Explanation{Reason: r, Fact: true, Core: true, Stated: true}
}

// request derives what becomes of the candidates of a request.
func (d *derivation) request(r solver.Reason) *result.Explanation {
	p, asked := d.m.Root(r.Rule)
	reason := RequestReason(p, asked)
	node := &result.Explanation{Reason: encode.BareRequest(p, asked), Core: true, Because: []*result.Explanation{stated(reason)}}
	if asked.Fault != nil {
		facts := missing.FaultFacts(p, asked)
		d.causes = append(d.causes, result.ConflictCause{Fact: facts[0]})
		node.Because = append(node.Because, facts...)
		return node
	}
	list := asked.Candidates
	node.Bundles = encode.Refs(d.m, list)
	node.Because = append(node.Because, d.outcomes(list)...)
	return node
}

// demanded derives what becomes of a bundle that must be selected.
func (d *derivation) demanded(r solver.Reason) *result.Explanation {
	reason := ReasonOf(d.m, r)
	if r.Kind == solver.KindSelect && r.Var == d.asked {
		reason.Kind = result.ReasonAsked
	}
	return &result.Explanation{
		Reason:  reason,
		Core:    true,
		Bundles: []result.BundleRef{encode.Ref(d.m, r.Var)},
		Because: append([]*result.Explanation{stated(reason)}, d.outcomes([]solver.Var{r.Var})...),
	}
}

// outcomes derives what becomes of candidates.
func (d *derivation) outcomes(list []solver.Var) []*result.Explanation {
	var nodes []*result.Explanation
	for _, c := range d.classes(list) {
		nodes = append(nodes, d.class(c)...)
	}
	return nodes
}

// class states what applies to the bundles of a class.
func (d *derivation) class(c class) []*result.Explanation {
	bundles := encode.Refs(d.m, c.vars)
	v := c.vars[0]
	var nodes []*result.Explanation
	for at, i := range d.rules[v] {
		node := &result.Explanation{Bundles: bundles, All: c.all, Core: true}
		for _, other := range c.vars {
			node.Because = append(node.Because, stated(encode.RuleReason(d.m.OriginOf(other, d.rules[other][at]))))
		}
		node.Reason = node.Because[0].Reason
		if node.Reason.Kind == result.ReasonDependency {
			nodes = append(nodes, d.dependency(node, v, i))
			continue
		}
		// What other namespaces select can forbid a bundle.
		if node.Reason.Kind != result.ReasonReplaces {
			node.Because = append(node.Because, d.hit(candidate.Negative(d.m.Rules(v)[i].Formula, nil))...)
		}
		d.causes = append(d.causes, result.ConflictCause{Fact: node})
		nodes = append(nodes, node)
	}
	for _, g := range d.m.Groups(v) {
		if d.groups[g] {
			_, k := d.m.Grouped(g)
			nodes = append(nodes, member(bundles, c.all, k))
		}
	}
	if len(nodes) == 0 {
		node := encode.Fact(result.Reason{Kind: result.ReasonExcluded, Namespace: bundles[0].Namespace, Subject: bundles[0].Name, Detail: result.CanMeet{}})
		node.Bundles, node.All = bundles, c.all
		nodes = append(nodes, node)
	}
	return nodes
}

// dependency derives from a constraint what becomes of the bundles that could
// satisfy it. Nodes that read the same are shared.
func (d *derivation) dependency(node *result.Explanation, v solver.Var, i int) *result.Explanation {
	p := d.m.Of(v)
	e, f := node.Reason.Constraint, d.m.Rules(v)[i].Formula
	node.Reason.Detail = result.Requires{AnyVersion: anyVersion(p, e, f)}
	key := node.Text()
	if known, ok := d.nodes[key]; ok && !d.open[key] {
		return known
	}
	if d.open[key] {
		return node // a circle of dependencies; the rest stands above
	}
	d.nodes[key], d.open[key] = node, true
	before, owner := d.p, d.owner
	d.p, d.owner = p, node
	node.Because = append(node.Because, d.formula(e, f)...)
	d.p, d.owner = before, owner
	delete(d.open, key)
	return node
}

// member states that bundles are members of a group of which one can be
// selected.
func member(bundles []result.BundleRef, all bool, k candidate.GroupKey) *result.Explanation {
	first := bundles[0]
	node := encode.Fact(result.Reason{Kind: result.ReasonProvides, Namespace: first.Namespace, Subject: first.Name, Package: first.Package})
	node.Bundles, node.All = bundles, all
	switch k.Kind {
	case result.ReasonOneAPI:
		node.Reason.API, node.Reason.Detail = k.API, result.Member{}
	case result.ReasonOnePackage:
		node.Reason.Detail = result.Member{Package: k.Name}
	default:
		node.Reason.Detail = result.Member{Name: k.Name}
	}
	return node
}

// clash states that a group has more than one member that is needed.
func (d *derivation) clash(r solver.Reason) *result.Explanation {
	var members []solver.Var
	for _, v := range d.reached {
		groups := d.m.Groups(v)
		d.step(1 + len(groups)/pace.PerStep)
		if slices.Contains(groups, r.Group) {
			members = append(members, v)
		}
	}
	node := coreFact(encode.GroupReason(d.m.Grouped(r.Group)))
	node.Bundles = encode.Refs(d.m, members)
	d.causes = append(d.causes, result.ConflictCause{Fact: node})
	return node
}
