package resolver

import (
	"fmt"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/solver"
)

// askedFor says what a constraint asks for, as far as it matters: of a package
// that no catalog has, the range does not.
func (p *problem) askedFor(e constraints.Expr, f solver.Formula) string {
	if pkg, ok := e.(constraints.Package); ok && len(positive(f, nil)) == 0 && !p.hasPackage(pkg.Name) {
		return "package " + pkg.Name
	}
	return e.String()
}

// formula tells why the formula of a constraint cannot hold. The parts of the
// formula run parallel to those of the normalized expression.
func (d *derivation) formula(e constraints.Expr, f solver.Formula) []*Explanation {
	if d.p.options.CompoundScope == ScopeBundle {
		return d.choice(e, f)
	}
	return d.part(constraints.Normalize(e), f)
}

func (d *derivation) part(e constraints.Formula, f solver.Formula) []*Explanation {
	var exprs []constraints.Formula
	var parts []solver.Formula
	switch e := e.(type) {
	case constraints.Leaf:
		if e.Negated {
			return d.absence(e.Expr, f)
		}
		return d.choice(e.Expr, f)
	case constraints.And:
		exprs = e.Parts
	case constraints.Or:
		if simple, ok := simpleAlternatives(e); ok {
			return d.choice(simple, f)
		}
		exprs = e.Parts
	}
	switch f := f.(type) {
	case *solver.And:
		parts = f.Parts
	case *solver.Or:
		parts = f.Parts
	}
	var nodes []*Explanation
	for i, part := range parts {
		nodes = append(nodes, d.named(exprs[i], d.part(exprs[i], part))...)
	}
	return nodes
}

// named puts what becomes of one part of a compound constraint below a line
// that names the part.
func (d *derivation) named(e constraints.Formula, nodes []*Explanation) []*Explanation {
	l, ok := e.(constraints.Leaf)
	if !ok || l.Negated || len(nodes) == 0 || len(nodes) == 1 && nodes[0].Reason != nil {
		return nodes
	}
	return []*Explanation{{Text: "as for " + l.Expr.String() + ":", Core: true, Because: nodes}}
}

// choice tells why none of the candidates will do. A choice that the core
// leaves open is no cause and not told.
func (d *derivation) choice(e constraints.Expr, f solver.Formula) []*Explanation {
	candidates := positive(f, nil)
	if len(candidates) == 0 {
		return d.lack(e)
	}
	for _, v := range candidates {
		if d.fate(v) == "" {
			return nil
		}
	}
	return d.outcomes(candidates)
}

// lack tells what is missing; of alternatives, for each.
func (d *derivation) lack(e constraints.Expr) []*Explanation {
	any, ok := e.(constraints.Any)
	if !ok {
		facts := d.p.lack(e)
		text := facts[0].Text
		if len(d.wants[text]) == 0 {
			d.causes = append(d.causes, text)
		}
		d.wants[text] = append(d.wants[text], d.owner)
		return facts
	}
	var facts []*Explanation
	for _, alternative := range any.Exprs {
		facts = append(facts, d.lack(alternative)...)
	}
	return facts
}

// absence tells which of the bundles in question a constraint excludes.
func (d *derivation) absence(e constraints.Expr, f solver.Formula) []*Explanation {
	excluded := d.excluded(e, f)
	for _, refs := range excluded {
		d.causes = append(d.causes, fmt.Sprintf("%s %s %s, which excludes %s", d.owner, d.requires, constraints.Not{Exprs: []constraints.Expr{e}}, describe(refs, false)))
	}
	return exclusions(excluded)
}

// exclusions states which bundles are excluded.
func exclusions(excluded [][]BundleRef) []*Explanation {
	var nodes []*Explanation
	for _, refs := range excluded {
		text := fmt.Sprintf("that excludes %s", describe(refs, false))
		node := leaf(Reason{Kind: ReasonExcluded, Namespace: refs[0].Namespace, Subject: refs[0].Name, Package: refs[0].Package, Message: text}, text, false)
		node.Bundles = refs
		nodes = append(nodes, node)
	}
	return nodes
}

// hit states which of the bundles in question are among those excluded.
func (d *derivation) hit(vars []solver.Var) []*Explanation {
	if len(vars) == 0 {
		return nil
	}
	return exclusions(d.questioned(vars))
}

// questioned returns those of the bundles that are in question, by package.
func (d *derivation) questioned(vars []solver.Var) [][]BundleRef {
	var hit []solver.Var
	among := make(map[solver.Var]bool, len(vars))
	for _, v := range vars {
		among[v] = true
	}
	for _, v := range d.reached {
		if among[v] {
			hit = append(hit, v)
		}
	}
	d.step(1 + (len(vars)+len(d.reached))/lookedAtOnce)
	return byPackage(refs(d.m, hit))
}

// excluded returns the bundles in question that an absence excludes, by package.
// Many bundles may exclude the same ones, so the lists are made once and shared.
func (d *derivation) excluded(e constraints.Expr, f solver.Formula) [][]BundleRef {
	key := d.p.home() + "\x00" + constraints.Key(e)
	if known, ok := d.exclusions[key]; ok {
		return known
	}
	refs := d.questioned(negative(f, nil))
	if d.exclusions == nil {
		d.exclusions = map[string][][]BundleRef{}
	}
	d.exclusions[key] = refs
	return refs
}
