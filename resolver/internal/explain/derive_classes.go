package explain

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// class are bundles of one package to which the same members of the core apply.
type class struct {
	vars []solver.Var
	all  bool // the obligation has no others of the package
}

// classes splits candidates by what applies to them.
func (d *derivation) classes(list []solver.Var) []class {
	type ofPackage struct {
		part      *model.Part
		name      string
		installed bool
	}
	type key struct {
		ofPackage
		members listNumber
	}
	packageOf := func(v solver.Var) ofPackage {
		b := model.Ref(d.m.Model, v)
		return ofPackage{d.m.Model.Of(v), b.Bundle.Package, b.Installed}
	}
	parts := words.Grouped(words.Distinct(list), func(v solver.Var) key { return key{packageOf(v), d.applying(v)} })
	count := map[ofPackage]int{}
	for _, vars := range parts {
		count[packageOf(vars[0])]++
	}
	return words.Mapped(parts, func(vars []solver.Var) class { return class{vars, count[packageOf(vars[0])] == 1} })
}

// listNumber is the number of a list of comparable things. Equal lists have equal numbers; the
// empty list has 0.
type listNumber int

// extended is a sequence and one more thing.
type extended struct {
	listNumber
	last any
}

// extend returns the sequence of the list and one more thing.
func (d *derivation) extend(s listNumber, last any) listNumber {
	k := extended{s, last}
	longer, ok := d.sequences[k]
	if !ok {
		longer = listNumber(len(d.sequences) + 1)
		d.sequences[k] = longer
	}
	return longer
}

// ruleKey is what a rule in the core states, whichever bundle has it.
type ruleKey struct {
	code                    words.Code
	api                     properties.GVK
	owner                   result.Owner
	request                 cluster.RequestKey
	limit, has, other, said string
	constraint, message     string
}

func (d *derivation) ruleKey(v solver.Var, rule int) ruleKey {
	p, o := d.m.Model.OriginOf(v, rule)
	k := ruleKey{code: o.Code}
	if o.Why != nil {
		a := o.Why.Args()
		k.limit, k.has, k.other, k.said = a.Limit, a.Has, a.Other, a.Said
		if a.Owner != nil {
			k.owner = *a.Owner
		}
		if len(a.APIs) > 0 {
			k.api = a.APIs[0]
		}
		if a.Request != nil {
			k.request = a.Request.Key
		}
	}
	if o.Code == words.Requires {
		e := p.ConstraintOf(o).Expr
		k.constraint, k.message = constraints.Key(e), e.FailureMessage()
		if pkg, ok := e.(constraints.Package); ok && anyVersion(p, e, d.m.Model.Rules(v)[rule].Formula) {
			k.constraint = pkg.Name
		}
	}
	return k
}

// applying lists the members of the core that apply to a bundle.
func (d *derivation) applying(v solver.Var) listNumber {
	if known, ok := d.applied[v]; ok {
		d.m.Model.Pace.Step(1)
		return known
	}
	var s listNumber
	for _, i := range d.rules[v] {
		k := d.ruleKey(v, i)
		s = d.extend(s, k)
		if k.code == words.Replaces {
			for _, name := range d.m.Model.Of(v).Replaced(v) {
				s = d.extend(s, name)
			}
		}
	}
	groups := d.m.Model.Groups(v)
	for _, g := range groups {
		if d.groups[g] {
			s = d.extend(s, g)
		}
	}
	if excluders := d.excluders[v]; excluders != 0 {
		s = d.extend(s, excluders)
	}
	d.m.Model.Pace.Step(1 + (len(d.rules[v])+len(groups))/pace.PerStep)
	d.applied[v] = s
	return s
}
