package cause

import (
	"math"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/solver"
)

// conjunctions are the constraints with `all` that bundles state. Each is a variable whose rules
// are the parts, so that a cause can need one of them alone. Bundles that state the same share
// it. Parts that nothing satisfies are one rule, the first.
type conjunctions struct {
	stated map[statement]conjunction
	rules  map[solver.Var][]solver.Rule
}

// statement is a constraint of bundles of a part, by its key.
type statement struct {
	part *model.Part
	key  string
}

type conjunction struct {
	v     solver.Var      // they count down, and bundles up
	needs []solver.Reason // the rule of each part
}

func newConjunctions() conjunctions {
	return conjunctions{map[statement]conjunction{}, map[solver.Var][]solver.Rule{}}
}

// divided is a problem in which bundles require the variables of their conjunctions.
type divided struct {
	whole        model.Restricted
	conjunctions conjunctions
}

// Given implements solver.Problem.
func (d divided) Given() []solver.Var { return d.whole.Given() }

// Roots implements solver.Problem.
func (d divided) Roots() []solver.Rule { return d.whole.Roots() }

// Rules implements solver.Problem.
func (d divided) Rules(v solver.Var) []solver.Rule {
	if parts, ok := d.conjunctions.rules[v]; ok {
		return d.whole.Changed(v, parts)
	}
	rules, copied := d.whole.Rules(v), false
	for i := range rules {
		r := rule(v, i)
		parts := partsOf(d.whole.Model, r)
		if parts == nil {
			continue
		}
		if !copied {
			rules, copied = slices.Clone(rules), true
		}
		rules[i].Formula = solver.OneOf(d.conjunctions.of(d.whole.Model, r, parts).v)
	}
	return rules
}

// Groups implements solver.Problem.
func (d divided) Groups(v solver.Var) []solver.Group {
	if d.conjunctions.rules[v] != nil {
		return nil
	}
	return d.whole.Groups(v)
}

func rule(v solver.Var, i int) solver.Reason {
	return solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}
}

// partsOf returns the parts of a rule that a constraint with `all` makes, else nil.
func partsOf(m *model.Model, r solver.Reason) []solver.Formula {
	and, ok := m.Rules(r.Var)[r.Rule].Formula.(*solver.And)
	if !ok || len(and.Parts) < 2 {
		return nil
	}
	p, origin := m.OriginOf(r.Var, r.Rule)
	if _, all := p.ConstraintOf(origin).Expr.(constraints.All); !all {
		return nil
	}
	return and.Parts
}

// of returns the conjunction of a rule with these parts.
func (c conjunctions) of(m *model.Model, r solver.Reason, parts []solver.Formula) conjunction {
	p, origin := m.OriginOf(r.Var, r.Rule)
	key := statement{p, constraints.Key(p.ConstraintOf(origin).Expr)}
	if known, ok := c.stated[key]; ok {
		return known
	}
	joined := conjunction{v: math.MaxInt32 - solver.Var(len(c.stated))}
	var rules []solver.Rule
	var absent []solver.Formula
	for _, part := range parts {
		if model.Impossible(part) {
			absent = append(absent, part)
		}
	}
	if absent != nil {
		rules = append(rules, solver.Rule{Formula: &solver.And{Parts: absent}})
	}
	for _, part := range parts {
		if model.Impossible(part) {
			joined.needs = append(joined.needs, rule(joined.v, 0))
			continue
		}
		joined.needs = append(joined.needs, rule(joined.v, len(rules)))
		rules = append(rules, solver.Rule{Formula: part})
	}
	c.stated[key], c.rules[joined.v] = joined, rules
	return joined
}

// split returns the members of a core that are demands of the model, and those that are parts of
// conjunctions.
func (c conjunctions) split(core []solver.Reason) (whole, parts []solver.Reason) {
	for _, r := range core {
		if r.Kind == solver.KindRule && c.rules[r.Var] != nil {
			parts = append(parts, r)
		} else {
			whole = append(whole, r)
		}
	}
	return whole, parts
}

// apart returns the parts of the conjunctions in a core that are not among those needed.
func (c conjunctions) apart(m *model.Model, core, needed []solver.Reason) map[solver.Formula]bool {
	apart := map[solver.Formula]bool{}
	for _, r := range core {
		if r.Kind != solver.KindRule {
			continue
		}
		if parts := partsOf(m, r); parts != nil {
			for i, need := range c.of(m, r, parts).needs {
				apart[parts[i]] = !slices.Contains(needed, need)
			}
		}
	}
	return apart
}
