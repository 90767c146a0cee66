package explain

import (
	"cmp"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// derivation turns a core into a tree. It follows the obligations from the
// requests to the bundles that could satisfy them, and from there to what those
// require, along the members of the core only. Bundles of one package to which the
// same members apply share a node.
type derivation struct {
	m    *world.Problem
	core []solver.Reason
	// asked is the bundle that is demanded only to find why it cannot be selected.
	asked solver.Var
	// p is the part of the bundles whose constraint is being derived.
	p *model.Part
	// by is the node of the request, bundle or constraint whose candidates are derived.
	by *result.Explanation
	// rules are the indices of the rules of a bundle that are in the core.
	rules  map[solver.Var][]int
	groups map[solver.Group]bool
	// claims are the requests, bundles and constraints that lead to members of the groups
	// in the core.
	claims map[solver.Group][]result.Claim
	// turns are the claims to updates of the core and to what they take the place of. It has a key for
	// each of these. update is that of a cause, by its place.
	turns  map[solver.Var][]result.Claim
	update map[int]solver.Var
	// places are the places of leaves in compound constraints. needed are those that the
	// core needs.
	places map[solver.Formula]leafPlace
	needed map[leafPlace]bool
	// apart are the leaves of parts of conjunctions that the core does not need.
	apart map[solver.Formula]bool
	// reached are the bundles that the core leads to, breadth first; excluders lead
	// from a bundle to the rules in the core that exclude it, in the order in which
	// they were reached.
	reached   []solver.Var
	excluders map[solver.Var]listNumber
	// applied are the members of the core that apply to a bundle, and sequences
	// number such lists.
	applied   map[solver.Var]listNumber
	sequences map[extended]listNumber
	// absences are the bundles that the absence of an expression excludes.
	absences map[constraintKey][][]result.BundleRef
	// nodes are those of constraints, nil while they are being derived.
	nodes map[nodeKey]*result.Explanation
	// reasons are those of rules, and refs those of bundles that are classes of their own.
	reasons map[solver.Reason]result.Reason
	refs    map[solver.Var][]result.BundleRef
	// causes end the derivation; the head of the explanation states them.
	causes []result.ConflictCause
}

// nodeKey identifies the node of a constraint.
type nodeKey struct {
	bundles listNumber
	all     bool
	rule    ruleKey
}

// derive builds the explanation of a core, or of why the bundle asked, if there
// is one, cannot be selected. Parts of conjunctions set apart are no reason. Members of the core
// that hold are indices of the commitments.
func derive(m *world.Problem, core []solver.Reason, asked solver.Var, apart map[solver.Formula]bool, commitments []solver.Commitment) *result.Explanation {
	m.Model.Pace.Doing = pace.Explaining
	d := newDerivation(m, core, asked, apart, commitments)
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
	root.Reason = reason.Conflict(d.head())
	return root
}

func newDerivation(m *world.Problem, core []solver.Reason, asked solver.Var, apart map[solver.Formula]bool, commitments []solver.Commitment) *derivation {
	d := &derivation{
		m: m, core: core, asked: asked, p: m.Model.Parts[0],
		rules:     map[solver.Var][]int{},
		groups:    map[solver.Group]bool{},
		claims:    map[solver.Group][]result.Claim{},
		turns:     map[solver.Var][]result.Claim{},
		update:    map[int]solver.Var{},
		needed:    map[leafPlace]bool{},
		excluders: map[solver.Var]listNumber{},
		applied:   map[solver.Var]listNumber{},
		sequences: map[extended]listNumber{},
		absences:  map[constraintKey][][]result.BundleRef{},
		nodes:     map[nodeKey]*result.Explanation{},
		reasons:   map[solver.Reason]result.Reason{},
		refs:      map[solver.Var][]result.BundleRef{},
		apart:     map[solver.Formula]bool{},
	}
	for part, is := range apart {
		for leaf := range model.Leaves(part) {
			d.apart[leaf] = is
		}
	}
	var demanded []solver.Var
	for _, r := range core {
		switch r.Kind {
		case solver.KindRule:
			d.rules[r.Var] = append(d.rules[r.Var], r.Rule)
			if _, o := m.Model.OriginOf(r.Var, r.Rule); o.Code == words.Replaces {
				for _, v := range append(slices.Clone(m.Model.Of(r.Var).Excludes[r.Var]), r.Var) {
					d.turns[v] = nil
				}
			}
		case solver.KindGroup:
			d.groups[r.Group] = true
		case solver.KindGiven, solver.KindSelect:
			demanded = append(demanded, r.Var)
		case solver.KindRoot:
			_, asked := m.Root(r.Rule)
			demanded = append(demanded, asked.List.Candidates...)
		case solver.KindHold:
			by := commitments[r.Rule]
			demanded = model.Positive(by.Or.Parts[by.Part], demanded)
		}
	}
	d.findNeeded()
	d.reach(demanded)
	return d
}

// reach follows the core from the demanded bundles.
func (d *derivation) reach(demanded []solver.Var) {
	seen := map[solver.Var]bool{}
	add := func(vars []solver.Var) {
		d.m.Model.Pace.Step(1 + len(vars)/pace.PerStep)
		for _, v := range vars {
			if !seen[v] {
				seen[v] = true
				d.reached = append(d.reached, v)
			}
		}
	}
	add(demanded)
	rules := 0
	var vars []solver.Var // scratch memory
	for next := 0; next < len(d.reached); next++ {
		v := d.reached[next]
		for _, i := range d.rules[v] {
			for leaf := range model.Leaves(d.m.Model.Rules(v)[i].Formula) {
				if !d.needs(leaf) {
					continue
				}
				vars = model.Positive(leaf, vars[:0])
				add(vars)
				vars = model.Negative(leaf, vars[:0])
				d.m.Model.Pace.Step(1 + len(vars)/pace.PerStep)
				for _, x := range vars {
					d.excluders[x] = d.extend(d.excluders[x], rules)
				}
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

// request derives why no candidate of a request is possible.
func (d *derivation) request(r solver.Reason) *result.Explanation {
	p, asked := d.m.Root(r.Rule)
	node := &result.Explanation{Reason: request.Reason(p, asked, nil), Core: true, Because: []*result.Explanation{stated(RequestReason(p, asked))}}
	if asked.Fault != nil {
		facts := FaultFacts(p, asked)
		d.causes = append(d.causes, result.ConflictCause{Fact: facts[0]})
		node.Because = append(node.Because, facts...)
		return node
	}
	d.by = node
	node.Bundles = model.Refs(d.m.Model, asked.List.Candidates)
	node.Because = append(node.Because, d.outcomes(asked.List.Candidates)...)
	return node
}

// demanded derives why a bundle that must be selected is not possible.
func (d *derivation) demanded(r solver.Reason) *result.Explanation {
	why := ReasonOf(d.m, r)
	if r.Kind == solver.KindSelect && r.Var == d.asked {
		why = reason.Asked(reason.AboutOf(why))
	}
	node := &result.Explanation{Reason: why, Core: true, Bundles: []result.BundleRef{model.Ref(d.m.Model, r.Var)}}
	d.by = node
	node.Because = append([]*result.Explanation{stated(why)}, d.class(class{vars: []solver.Var{r.Var}, all: true})...)
	return node
}

// outcomes derives why candidates are not possible.
func (d *derivation) outcomes(list []solver.Var) []*result.Explanation {
	var nodes []*result.Explanation
	for _, c := range d.classes(list) {
		derived := d.class(c)
		if len(derived) == 0 {
			bundles := model.Refs(d.m.Model, c.vars)
			derived = append(derived, leaf(bundles, c.all, reason.CanSatisfy(first(bundles))))
		}
		nodes = append(nodes, derived...)
	}
	return nodes
}

// class derives what applies to the bundles of a class.
func (d *derivation) class(c class) []*result.Explanation {
	v := c.vars[0]
	bundles := d.refs[v]
	if len(c.vars) > 1 || bundles == nil {
		bundles = model.Refs(d.m.Model, c.vars)
	}
	if len(c.vars) == 1 {
		d.refs[v] = bundles
	}
	for _, v := range c.vars {
		if claims, counts := d.turns[v]; counts {
			d.turns[v] = append(claims, result.Claim{By: d.by, Bundles: []result.BundleRef{model.Ref(d.m.Model, v)}})
		}
	}
	var nodes []*result.Explanation
	for at, i := range d.rules[v] {
		node := &result.Explanation{Bundles: bundles, All: c.all, Core: true}
		for _, other := range c.vars {
			node.Because = append(node.Because, stated(d.ruleReason(other, d.rules[other][at])))
		}
		node.Reason = closest(node.Because)
		if node.Reason.Kind() == words.KindDependency {
			nodes = append(nodes, d.dependency(*node, c, i))
			continue
		}
		// What other namespaces select can forbid a bundle.
		if node.Reason.Kind() == words.KindReplaces {
			d.update[len(d.causes)] = v
		} else {
			node.Because = append(node.Because, exclusions(d.inQuestion(model.Negative(d.m.Model.Rules(v)[i].Formula, nil)))...)
		}
		d.causes = append(d.causes, result.ConflictCause{Fact: node})
		nodes = append(nodes, node)
	}
	for _, g := range d.m.Model.Groups(v) {
		if d.groups[g] {
			member := leaf(bundles, c.all, d.membership(g, bundles))
			member.Stated = d.namesBundle() && member.Reason.Code() == words.SamePackage
			nodes = append(nodes, member)
			d.claim(g, bundles)
		}
	}
	return nodes
}

// ruleReason returns the reason of a rule. Each constraint that many bundles could satisfy
// leads to their rules again: they share one reason.
func (d *derivation) ruleReason(v solver.Var, rule int) result.Reason {
	key := solver.Reason{Kind: solver.KindRule, Var: v, Rule: rule}
	known, ok := d.reasons[key]
	if !ok {
		known = model.RuleReason(d.m.Model, v, rule)
		d.reasons[key] = known
	}
	return known
}

// closest returns the reason of the bundle that comes closest to running on the cluster, of
// several the newest. Without such a bundle it returns the first reason.
func closest(stated []*result.Explanation) result.Reason {
	return slices.MaxFunc(stated, func(a, b *result.Explanation) int {
		x, y := a.Reason.Args(), b.Reason.Args()
		switch a.Reason.Code() {
		case words.OpenShift:
			return cmp.Or(compareVersions(x.Limit, y.Limit), x.Version.Compare(*y.Version))
		case words.Kubernetes:
			return cmp.Or(compareVersions(y.Limit, x.Limit), x.Version.Compare(*y.Version))
		}
		return 0
	}).Reason
}

// compareVersions compares versions that were read before.
func compareVersions(a, b string) int {
	x, _ := semver.ParseTolerant(a)
	y, _ := semver.ParseTolerant(b)
	return x.Compare(y)
}

// dependency derives from a constraint of a class why the bundles that could
// satisfy it are not possible. Classes that are equal share the node.
func (d *derivation) dependency(of result.Explanation, c class, i int) *result.Explanation {
	node, v := &of, c.vars[0]
	p := d.m.Model.Of(v)
	e, f := node.Reason.Args().Constraint, d.m.Model.Rules(v)[i].Formula
	if anyVersion(p, e, f) {
		node.Reason = reason.RequiresAny(reason.AboutOf(node.Reason), e)
	}
	// Whether there are other bundles does not matter where each is named.
	key := nodeKey{all: c.all && len(c.vars) > 2, rule: d.ruleKey(v, i)}
	for _, v := range c.vars {
		key.bundles = d.extend(key.bundles, v)
	}
	switch known, ok := d.nodes[key]; {
	case known != nil:
		return known
	case ok:
		return node // a circle of dependencies; the rest stands above
	}
	d.nodes[key] = nil
	before, requiring := d.p, d.by
	d.p, d.by = p, node
	if p.In.Options.BundleScope {
		node.Because = append(node.Because, d.choice(e, f)...)
	} else {
		node.Because = append(node.Because, d.part(constraints.Normalize(e), f)...)
	}
	d.p, d.by = before, requiring
	d.nodes[key] = node
	return node
}

// namesBundle reports whether the node being derived names a single bundle, and thereby
// its package: one that must stay, was chosen before or is asked about.
func (d *derivation) namesBundle() bool {
	switch d.by.Reason.Code() {
	case words.Installed, words.Stays, words.StaysLeftOut, words.Asked, words.Selected:
		return true
	}
	return held(d.by) == 1
}

// held returns 1 for a request whose operator refuses updates, else 0. Claims are sorted by
// it.
func held(by *result.Explanation) int {
	if by.Reason.Kind() == words.KindHold {
		return 1
	}
	return 0
}

// claim notes that the node being derived leads to members of a group.
func (d *derivation) claim(g solver.Group, bundles []result.BundleRef) {
	claims := d.claims[g]
	if last := len(claims) - 1; last >= 0 && claims[last].By == d.by {
		claims[last].Bundles = append(claims[last].Bundles, bundles...)
		return
	}
	d.claims[g] = append(claims, result.Claim{By: d.by, Bundles: slices.Clip(bundles)})
}

// membership states that bundles are members of a group of which one can be
// selected.
func (d *derivation) membership(g solver.Group, bundles []result.BundleRef) result.Reason {
	about := first(bundles)
	about.Package = bundles[0].Bundle.Package
	switch _, k := d.m.Model.Grouped(g); k.Code {
	case words.OnePackage:
		return reason.SamePackage(about, k.Name)
	case words.OneName:
		return reason.SameName(about, k.Name)
	default:
		return reason.Provides(about, k.API)
	}
}

// leaf is about bundles of one package. all is set if no others are in question.
func leaf(bundles []result.BundleRef, all bool, r result.Reason) *result.Explanation {
	return &result.Explanation{Reason: r, Fact: true, Bundles: bundles, All: all}
}

// first is the first of several bundles, which a reason about all of them names.
func first(bundles []result.BundleRef) reason.About {
	return reason.About{Namespace: bundles[0].Namespace, Subject: bundles[0].Bundle.Name}
}

// clash states that more than one member of a group is needed.
func (d *derivation) clash(r solver.Reason) *result.Explanation {
	var members []solver.Var
	for _, v := range d.reached {
		groups := d.m.Model.Groups(v)
		d.m.Model.Pace.Step(1 + len(groups)/pace.PerStep)
		if slices.Contains(groups, r.Group) {
			members = append(members, v)
		}
	}
	node := coreFact(model.GroupReason(d.m.Model.Grouped(r.Group)))
	node.Bundles = model.Refs(d.m.Model, members)
	slices.SortStableFunc(d.claims[r.Group], func(a, b result.Claim) int { return cmp.Compare(held(a.By), held(b.By)) })
	d.causes = append(d.causes, result.ConflictCause{Fact: node, Claims: d.claims[r.Group]})
	return node
}

// claimsOn returns what leads to the installed bundles of the same package that an update takes the
// place of, then what leads to the update: nothing if one of these is missing.
func (d *derivation) claimsOn(update solver.Var) (claims []result.Claim) {
	p := d.m.Model.Of(update)
	for _, cur := range p.Excludes[update] {
		if p.Ref(cur).Bundle.Package == p.Ref(update).Bundle.Package {
			claims = append(claims, d.turns[cur]...)
		}
	}
	if len(claims) == 0 || len(d.turns[update]) == 0 {
		return nil
	}
	return append(claims, d.turns[update]...)
}

// head returns the head of the derivation: which requests cannot be satisfied, and why.
func (d *derivation) head() *result.Conflict {
	for at, v := range d.update {
		d.causes[at].Claims = d.claimsOn(v)
	}
	head := &result.Conflict{Causes: d.causes}
	if d.asked != solver.None {
		asked := model.Ref(d.m.Model, d.asked)
		head.Asked = &asked
	}
	var parts []*model.Part // which start the core
	for _, r := range d.core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := d.m.Root(r.Rule)
			head.Requests = append(head.Requests, asked.Stated(p, asked))
			parts = append(parts, p)
			continue
		case solver.KindGiven:
			head.Installed = append(head.Installed, model.Ref(d.m.Model, r.Var))
		case solver.KindSelect:
			if r.Var != d.asked {
				head.Chosen = append(head.Chosen, model.Ref(d.m.Model, r.Var))
			}
		default:
			continue
		}
		parts = append(parts, d.m.Model.Of(r.Var))
	}
	switch parts = slices.Compact(parts); len(parts) {
	case 0:
		head.Scope = d.m.Model.Parts[0].Scope
	case 1:
		head.Scope = parts[0].Scope
	}
	return head
}
