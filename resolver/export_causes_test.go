package resolver

import (
	"context"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// compoundLeaf is a leaf of a compound constraint in a core.
type compoundLeaf struct {
	owner   *model.Part
	expr    constraints.Expr
	formula solver.Formula
}

// compoundLeaves lists the leaves of a compound constraint with their expressions.
func compoundLeaves(p *model.Part, e constraints.Expr, f solver.Formula) []compoundLeaf {
	var exprs []constraints.Expr
	switch e := e.(type) {
	case constraints.Not:
		return []compoundLeaf{{p, e.Exprs[0], f}}
	case constraints.All:
		exprs = e.Exprs
	case constraints.Any:
		if model.SimpleAlternatives(e) {
			return []compoundLeaf{{p, e, f}}
		}
		exprs = e.Exprs
	default:
		return []compoundLeaf{{p, e, f}}
	}
	var list []compoundLeaf
	for i, part := range model.Parts(f) {
		list = append(list, compoundLeaves(p, exprs[i], part)...)
	}
	return list
}

// weakened is a problem in which some leaves hold always.
type weakened struct {
	*partly
	without map[solver.Formula]bool
}

func (w weakened) Rules(v solver.Var) []solver.Rule {
	rules := slices.Clone(w.partly.Rules(v))
	for i := range rules {
		rules[i].Formula = w.weaken(rules[i].Formula)
	}
	return rules
}

func (w weakened) weaken(f solver.Formula) solver.Formula {
	if w.without[f] {
		return &solver.And{}
	}
	var parts []solver.Formula
	for _, part := range model.Parts(f) {
		parts = append(parts, w.weaken(part))
	}
	switch f.(type) {
	case *solver.And:
		return &solver.And{Parts: parts}
	case *solver.Or:
		return &solver.Or{Parts: parts}
	}
	return f
}

// mostLeaves bounds how many leaves are left out in all combinations.
const mostLeaves = 7

// CheckCauses checks that every cause in the head of an explanation belongs to a
// least set of demands that cannot hold together, where each part of a compound
// constraint is a demand of its own. It reports whether there was such a constraint.
func CheckCauses(ctx context.Context, r *Resolver, problem Problem, scopes []cluster.Scope) (compound bool, err error) {
	t, err := contradiction(ctx, r, problem, scopes)
	if t == nil {
		return false, err
	}
	m, core := t.Problem, t.Core
	var open, needed []compoundLeaf
	compounds := map[string]bool{}
	reached := map[string]bool{}
	reach := func(vars []solver.Var) {
		for _, v := range vars {
			reached[m.Model.Of(v).NameOf(v)] = true
		}
	}
	for _, d := range core {
		switch d.Kind {
		case solver.KindRoot:
			_, request := m.Root(d.Rule)
			reach(request.List.Candidates)
		case solver.KindGiven:
			reach([]solver.Var{d.Var})
		case solver.KindRule:
			f := m.Model.Rules(d.Var)[d.Rule].Formula
			if p, o := m.Model.OriginOf(d.Var, d.Rule); model.Parts(f) != nil {
				compounds[constraints.Key(p.ConstraintOf(o).Expr)] = true
				open = append(open, compoundLeaves(p, constraints.Normalize(p.ConstraintOf(o).Expr), f)...)
			} else {
				reach(model.Positive(f, nil))
			}
		}
	}
	if len(open) == 0 || len(open) > mostLeaves {
		return false, nil
	}
	fails := make([]bool, 1<<len(open)) // by the leaves that have to hold
	for mask := range fails {
		w := weakened{demanding(m, core), map[solver.Formula]bool{}}
		for i, leaf := range open {
			w.without[leaf.formula] = mask&(1<<i) == 0
		}
		ok, err := holds(ctx, w)
		if err != nil {
			return false, err
		}
		fails[mask] = !ok
	}
	for i, leaf := range open {
		for mask := range fails {
			if fails[mask] && mask&(1<<i) != 0 && !fails[mask&^(1<<i)] {
				needed = append(needed, leaf)
				reach(model.Positive(leaf.formula, nil))
				break
			}
		}
	}
	e := explain.Explain(m, cause.Of(core)).Explanation
	for _, c := range e.Reason.Args().Conflict.Causes {
		if err := checkCause(c, compounds, needed, reached); err != nil {
			return true, fmt.Errorf("%w\n%s", err, e)
		}
	}
	return true, nil
}

// checkCause checks that a cause is about a leaf that is needed, if it comes from a
// compound constraint, and about bundles that the needed demands reach.
func checkCause(c result.ConflictCause, compound map[string]bool, needed []compoundLeaf, reached map[string]bool) error {
	for _, b := range c.Fact.Bundles {
		if !reached[b.Bundle.Name] {
			return fmt.Errorf("the cause %q is about %s, which nothing needed reaches", c.Fact.Text(), b.Bundle.Name)
		}
	}
	owner := c.Excluder
	if owner == nil {
		owner = c.RequiredBy
	}
	if owner == nil {
		return nil
	}
	if !compound[constraints.Key(owner.Reason.Args().Constraint)] {
		return nil // a single demand
	}
	if !slices.ContainsFunc(needed, func(l compoundLeaf) bool {
		if c.Excluder != nil {
			return constraints.Key(l.expr) == constraints.Key(c.Absent)
		}
		return len(model.Positive(l.formula, nil)) == 0 && slices.ContainsFunc(explain.Find(l.owner, l.expr), func(fact *result.Explanation) bool {
			return fact.Reason.Kind() == c.Fact.Reason.Kind() && fact.Reason.Args().Subject == c.Fact.Reason.Args().Subject
		})
	}) {
		return fmt.Errorf("the cause %q comes from a part that is not needed", c.Fact.Text())
	}
	return nil
}
