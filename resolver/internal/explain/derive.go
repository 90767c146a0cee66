package explain

import (
	"fmt"
	"slices"
	"strings"

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
	// nodes are those of obligations and classes that were told; open ones are
	// being told.
	nodes map[string]*result.Explanation
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
			reason := ReasonOf(m, r)
			root.Because = append(root.Because, result.Leaf(reason, reason.Message, true))
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

func newDerivation(m *encode.Model, core []solver.Reason) *derivation {
	d := &derivation{
		m: m, core: core, p: m.Parts[0],
		rules:     map[solver.Var][]int{},
		groups:    map[solver.Group]bool{},
		excluders: map[solver.Var][]int32{},
		fates:     map[solver.Var]string{},
		nodes:     map[string]*result.Explanation{},
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

// request tells of a request and of what becomes of its candidates.
func (d *derivation) request(r solver.Reason) *result.Explanation {
	p, asked := d.m.Root(r.Rule)
	node := &result.Explanation{
		Text:    requestText(p, asked),
		Core:    true,
		Because: []*result.Explanation{result.Stated(requestReason(p, asked))},
	}
	if asked.Fault != nil {
		facts := missing.FaultFacts(p, asked)
		d.causes = append(d.causes, facts[0].Text)
		node.Because = append(node.Because, facts...)
		return node
	}
	list := d.m.CandidatesOf(r.Rule)
	node.Bundles = encode.Refs(d.m, list)
	node.Because = append(node.Because, d.outcomes(list)...)
	return node
}

// demanded tells of a bundle that must be selected.
func (d *derivation) demanded(r solver.Reason) *result.Explanation {
	reason := ReasonOf(d.m, r)
	if r.Kind == solver.KindSelect && r.Var == d.asked {
		reason.Kind, reason.Message = result.ReasonAsked, "if "+reason.Bundle+" were selected:"
	}
	return &result.Explanation{
		Text:    reason.Message,
		Core:    true,
		Bundles: []result.BundleRef{encode.Ref(d.m, r.Var)},
		Because: append([]*result.Explanation{result.Stated(reason)}, d.outcomes([]solver.Var{r.Var})...),
	}
}

// outcomes tells what becomes of candidates.
func (d *derivation) outcomes(list []solver.Var) []*result.Explanation {
	var nodes []*result.Explanation
	for _, c := range d.classes(list) {
		nodes = append(nodes, d.tell(c)...)
	}
	return nodes
}

// tell tells what applies to the bundles of a class.
func (d *derivation) tell(c class) []*result.Explanation {
	bundles := encode.Refs(d.m, c.vars)
	name, n := result.Describe(bundles, c.all), result.CountNames(bundles)
	v := c.vars[0]
	var nodes []*result.Explanation
	for at, i := range d.rules[v] {
		p, o := d.m.OriginOf(v, i)
		node := &result.Explanation{Bundles: bundles, Core: true}
		for _, other := range c.vars {
			_, o := d.m.OriginOf(other, d.rules[other][at])
			node.Because = append(node.Because, result.Stated(ruleReason(p, o)))
		}
		switch o.Kind {
		case result.ReasonDependency:
			nodes = append(nodes, d.dependency(node, name, n, v, i))
			continue
		case result.ReasonReplaces:
			node.Text = fmt.Sprintf("%s %s the place of %s", name, result.Verb(n, "takes", "take"), replacedText(p, o.Bundle))
		default:
			node.Text = name + " " + agree(o.Detail, n)
			// What other namespaces select can forbid a bundle.
			node.Because = append(node.Because, d.hit(candidate.Negative(d.m.Rules(v)[i].Formula, nil))...)
		}
		d.causes = append(d.causes, node.Text)
		nodes = append(nodes, node)
	}
	for _, g := range d.m.Groups(v) {
		if d.groups[g] {
			_, k := d.m.Grouped(g)
			nodes = append(nodes, d.provides(bundles, name, n, k))
		}
	}
	if len(nodes) == 0 {
		reason := result.Reason{Kind: result.ReasonExcluded, Namespace: bundles[0].Namespace, Subject: bundles[0].Name, Message: name + " can meet it"}
		node := result.Leaf(reason, reason.Message, false)
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
func (d *derivation) dependency(node *result.Explanation, name string, n int, v solver.Var, i int) *result.Explanation {
	p, o := d.m.OriginOf(v, i)
	e, f := p.ConstraintOf(o).Expr, d.m.Rules(v)[i].Formula
	node.Text = fmt.Sprintf("%s %s %s", name, result.Verb(n, "requires", "require"), askedFor(p, e, f))
	if message := e.FailureMessage(); message != "" {
		node.Text += " (" + result.Clip(result.OneLine(message), result.MaxSummary) + ")"
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
	d.p, d.owner, d.requires = p, name, result.Verb(n, "requires", "require")
	node.Because = append(node.Because, d.formula(e, f)...)
	d.p, d.owner, d.requires = before, owner, requires
	delete(d.open, key)
	return node
}

// provides tells that bundles are members of a group of which one can be
// selected.
func (d *derivation) provides(refs []result.BundleRef, name string, n int, k candidate.GroupKey) *result.Explanation {
	reason := result.Reason{Kind: result.ReasonProvides, Namespace: refs[0].Namespace, Subject: refs[0].Name, Package: refs[0].Package}
	switch k.Kind {
	case result.ReasonOneAPI:
		reason.API = k.API
		reason.Message = fmt.Sprintf("%s %s %s", name, result.Verb(n, "provides", "provide"), result.APIText(k.API))
	case result.ReasonOnePackage:
		reason.Message = fmt.Sprintf("%s %s of package %s", name, result.Verb(n, "is", "are"), k.Name)
	default:
		reason.Message = fmt.Sprintf("%s has the name %s", name, k.Name)
	}
	node := result.Leaf(reason, reason.Message, false)
	node.Bundles = refs
	return node
}

// clash tells of a group with more than one member that is needed.
func (d *derivation) clash(r solver.Reason) *result.Explanation {
	p, k := d.m.Grouped(r.Group)
	var members []solver.Var
	for _, v := range d.reached {
		groups := d.m.Groups(v)
		d.step(1 + len(groups)/pace.PerStep)
		if slices.Contains(groups, r.Group) {
			members = append(members, v)
		}
	}
	reason := GroupReason(p, k)
	node := result.Leaf(reason, reason.Message, true)
	node.Bundles = encode.Refs(d.m, members)
	var names []string
	for _, refs := range byPackage(node.Bundles) {
		name := refs[0].Package + result.InNamespace(refs[0].Namespace)
		if len(refs) == 1 || refs[0].Package == "" || refs[0].Installed {
			name = result.Describe(refs, false)
		}
		names = append(names, name)
	}
	names = result.Distinct(names)
	switch {
	case k.Kind == result.ReasonOneAPI && len(names) > 1:
		both := "all"
		if len(names) == 2 {
			both = "both"
		}
		d.causes = append(d.causes, fmt.Sprintf("%s %s provide %s, and %s", result.Listed(names, result.MaxNamed), both, result.APIText(k.API),
			strings.Replace(reason.Message, "of "+result.APIText(k.API), "of "+result.OneAPI(k.API), 1)))
	case k.Kind == result.ReasonOnePackage:
		d.causes = append(d.causes, fmt.Sprintf("different bundles of package %s are needed, and %s", k.Name,
			strings.Replace(reason.Message, "package "+k.Name, "a package", 1)))
	default:
		d.causes = append(d.causes, reason.Message)
	}
	return node
}
