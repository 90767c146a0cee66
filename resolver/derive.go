package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/solver"
)

// derivation turns a core into a tree. It follows the obligations from the
// requests to the bundles that could meet them, and from there to what those
// ask for, along the members of the core only. Bundles of one package to which
// the same members apply are told together.
type derivation struct {
	m    *model
	core []solver.Reason
	// p is the problem of the bundles whose constraint is being told.
	p *problem
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
	exclusions map[string][][]BundleRef
	// nodes are those of obligations and classes that were told; open ones are
	// being told.
	nodes map[string]*Explanation
	open  map[string]bool
	// wants are the owners of constraints that a cause leaves unmet.
	wants map[string][]string
	// owner names the bundles whose constraint is being told; requires is the
	// verb that goes with them.
	owner, requires string
	// asked is the bundle that is demanded only to see why it cannot be had.
	asked solver.Var
	// causes end the derivation; the head of the explanation states them.
	causes []string
}

// derive builds the explanation of a core.
func derive(m *model, core []solver.Reason) *Explanation { return deriveAsked(m, core, solver.None) }

// deriveAsked explains why the bundle asked cannot be selected.
func deriveAsked(m *model, core []solver.Reason, asked solver.Var) *Explanation {
	m.doing = explaining
	d := newDerivation(m, core)
	d.asked = asked
	root := &Explanation{}
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			root.Because = append(root.Because, d.request(r))
		case solver.KindGiven, solver.KindSelect:
			root.Because = append(root.Because, d.demanded(r))
		case solver.KindHold:
			reason := reasonOf(m, r)
			root.Because = append(root.Because, leaf(reason, reason.Message, true))
		}
	}
	for _, r := range core {
		if r.Kind == solver.KindGroup {
			root.Because = append(root.Because, d.clash(r))
		}
	}
	root.Text = d.head()
	return root
}

func newDerivation(m *model, core []solver.Reason) *derivation {
	d := &derivation{
		m: m, core: core, p: m.parts[0],
		rules:     map[solver.Var][]int{},
		groups:    map[solver.Group]bool{},
		excluders: map[solver.Var][]int32{},
		fates:     map[solver.Var]string{},
		nodes:     map[string]*Explanation{},
		open:      map[string]bool{},
		wants:     map[string][]string{},
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
			todo = append(todo, m.candidatesOf(r.Rule)...)
		}
	}
	d.reach(todo)
	return d
}

// step counts work as that of a problem does.
func (d *derivation) step(steps int) { d.p.step(steps) }

// reach follows the core from the demanded bundles.
func (d *derivation) reach(demanded []solver.Var) {
	seen := map[solver.Var]bool{}
	meet := func(vars []solver.Var) {
		d.step(1 + len(vars)/lookedAtOnce)
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
			vars = positive(f, vars[:0])
			meet(vars)
			vars = negative(f, vars[:0])
			d.step(1 + len(vars)/lookedAtOnce)
			for _, x := range vars {
				d.excluders[x] = append(d.excluders[x], rules)
			}
			rules++
		}
	}
}

// request tells of a request and of what becomes of its candidates.
func (d *derivation) request(r solver.Reason) *Explanation {
	p, asked := d.m.root(r.Rule)
	node := &Explanation{
		Text:    p.requestText(asked),
		Core:    true,
		Because: []*Explanation{stated(p.requestReason(asked))},
	}
	if asked.fault != nil {
		facts := p.faultFacts(asked)
		d.causes = append(d.causes, facts[0].Text)
		node.Because = append(node.Because, facts...)
		return node
	}
	list := d.m.candidatesOf(r.Rule)
	node.Bundles = refs(d.m, list)
	node.Because = append(node.Because, d.outcomes(list)...)
	return node
}

// demanded tells of a bundle that must be selected.
func (d *derivation) demanded(r solver.Reason) *Explanation {
	reason := reasonOf(d.m, r)
	if r.Kind == solver.KindSelect && r.Var == d.asked {
		reason.Kind, reason.Message = ReasonAsked, "if "+reason.Bundle+" were selected:"
	}
	return &Explanation{
		Text:    reason.Message,
		Core:    true,
		Bundles: []BundleRef{ref(d.m, r.Var)},
		Because: append([]*Explanation{stated(reason)}, d.outcomes([]solver.Var{r.Var})...),
	}
}

// outcomes tells what becomes of candidates.
func (d *derivation) outcomes(list []solver.Var) []*Explanation {
	var nodes []*Explanation
	for _, c := range d.classes(list) {
		nodes = append(nodes, d.tell(c)...)
	}
	return nodes
}

// tell tells what applies to the bundles of a class.
func (d *derivation) tell(c class) []*Explanation {
	bundles := refs(d.m, c.vars)
	name, n := describe(bundles, c.all), countNames(bundles)
	v := c.vars[0]
	var nodes []*Explanation
	for at, i := range d.rules[v] {
		p, o := d.m.originOf(v, i)
		node := &Explanation{Bundles: bundles, Core: true}
		for _, other := range c.vars {
			_, o := d.m.originOf(other, d.rules[other][at])
			node.Because = append(node.Because, stated(p.ruleReason(o)))
		}
		switch o.kind {
		case ReasonDependency:
			nodes = append(nodes, d.dependency(node, name, n, v, i))
			continue
		case ReasonReplaces:
			node.Text = fmt.Sprintf("%s %s the place of %s", name, verb(n, "takes", "take"), p.replacedText(o.bundle))
		default:
			node.Text = name + " " + agree(o.detail, n)
			// What other namespaces select can forbid a bundle.
			node.Because = append(node.Because, d.hit(negative(d.m.Rules(v)[i].Formula, nil))...)
		}
		d.causes = append(d.causes, node.Text)
		nodes = append(nodes, node)
	}
	for _, g := range d.m.Groups(v) {
		if d.groups[g] {
			_, k := d.m.grouped(g)
			nodes = append(nodes, d.provides(bundles, name, n, k))
		}
	}
	if len(nodes) == 0 {
		reason := Reason{Kind: ReasonExcluded, Namespace: bundles[0].Namespace, Subject: bundles[0].Name, Message: name + " can meet it"}
		node := leaf(reason, reason.Message, false)
		node.Bundles = bundles
		nodes = append(nodes, node)
	}
	return nodes
}

// agree puts the detail of a rule that forbids bundles into the plural.
func agree(detail string, n int) string {
	if n == 1 {
		return detail
	}
	for _, words := range [][2]string{
		{"is ", "are "}, {"runs ", "run "}, {"needs ", "need "}, {"provides ", "provide "},
	} {
		if rest, ok := strings.CutPrefix(detail, words[0]); ok {
			return words[1] + rest
		}
	}
	return detail
}

// dependency tells of a constraint and of what becomes of the bundles that
// could meet it. One that was told before is shared.
func (d *derivation) dependency(node *Explanation, name string, n int, v solver.Var, i int) *Explanation {
	p, o := d.m.originOf(v, i)
	e, f := p.constraintOf(o).Expr, d.m.Rules(v)[i].Formula
	node.Text = fmt.Sprintf("%s %s %s", name, verb(n, "requires", "require"), p.askedFor(e, f))
	if message := e.FailureMessage(); message != "" {
		node.Text += " (" + clip(oneLine(message), MaxSummary) + ")"
	}
	key := node.Text
	if known, ok := d.nodes[key]; ok && !d.open[key] {
		return known
	}
	if d.open[key] {
		return node // a circle of dependencies; the rest is told above
	}
	d.nodes[key], d.open[key] = node, true
	before, owner, requires := d.p, d.owner, d.requires
	d.p, d.owner, d.requires = p, name, verb(n, "requires", "require")
	node.Because = append(node.Because, d.formula(e, f)...)
	d.p, d.owner, d.requires = before, owner, requires
	delete(d.open, key)
	return node
}

// provides tells that bundles are members of a group of which one can be
// selected.
func (d *derivation) provides(refs []BundleRef, name string, n int, k groupKey) *Explanation {
	reason := Reason{Kind: ReasonProvides, Namespace: refs[0].Namespace, Subject: refs[0].Name, Package: refs[0].Package}
	switch k.kind {
	case ReasonOneAPI:
		reason.API = k.api
		reason.Message = fmt.Sprintf("%s %s %s", name, verb(n, "provides", "provide"), apiText(k.api))
	case ReasonOnePackage:
		reason.Message = fmt.Sprintf("%s %s of package %s", name, verb(n, "is", "are"), k.name)
	default:
		reason.Message = fmt.Sprintf("%s has the name %s", name, k.name)
	}
	node := leaf(reason, reason.Message, false)
	node.Bundles = refs
	return node
}

// clash tells of a group with more than one member that is needed.
func (d *derivation) clash(r solver.Reason) *Explanation {
	p, k := d.m.grouped(r.Group)
	var members []solver.Var
	for _, v := range d.reached {
		groups := d.m.Groups(v)
		d.step(1 + len(groups)/lookedAtOnce)
		if slices.Contains(groups, r.Group) {
			members = append(members, v)
		}
	}
	reason := groupReason(p, k)
	node := leaf(reason, reason.Message, true)
	node.Bundles = refs(d.m, members)
	var names []string
	for _, refs := range byPackage(node.Bundles) {
		name := refs[0].Package + inNamespace(refs[0].Namespace)
		if len(refs) == 1 || refs[0].Package == "" || refs[0].Installed {
			name = describe(refs, false)
		}
		names = append(names, name)
	}
	names = distinct(names)
	switch {
	case k.kind == ReasonOneAPI && len(names) > 1:
		both := "all"
		if len(names) == 2 {
			both = "both"
		}
		d.causes = append(d.causes, fmt.Sprintf("%s %s provide %s, and %s", listed(names, maxNamed), both, apiText(k.api),
			strings.Replace(reason.Message, "of "+apiText(k.api), "of "+oneAPI(k.api), 1)))
	case k.kind == ReasonOnePackage:
		d.causes = append(d.causes, fmt.Sprintf("different bundles of package %s are needed, and %s", k.name,
			strings.Replace(reason.Message, "package "+k.name, "a package", 1)))
	default:
		d.causes = append(d.causes, reason.Message)
	}
	return node
}
