package explain

import (
	"math"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/solver"
)

// split is the problem of a core with smaller rules: each part of a conjunction is a rule of
// its own, so that it can be left out by itself. Constraints that bundles share, and
// alternatives of disjunctions, are variables with such rules.
type split struct {
	model  *model.Model
	given  []solver.Var
	roots  []solver.Rule
	rules  map[solver.Var][]solver.Rule
	groups map[solver.Group]bool
	// last is the last variable that is no bundle. They count down, and bundles up.
	last solver.Var
}

// Given implements solver.Problem.
func (s *split) Given() []solver.Var { return s.given }

// Roots implements solver.Problem.
func (s *split) Roots() []solver.Rule { return s.roots }

// Rules implements solver.Problem.
func (s *split) Rules(v solver.Var) []solver.Rule { return s.rules[v] }

// Groups implements solver.Problem.
func (s *split) Groups(v solver.Var) []solver.Group {
	if v >= s.last {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.model.Groups(v)), func(g solver.Group) bool { return !s.groups[g] })
}

// demand adds rules of a bundle or another variable.
func (s *split) demand(v solver.Var, f solver.Formula) {
	switch f := f.(type) {
	case *solver.And:
		for _, part := range f.Parts {
			s.demand(v, part)
		}
		return
	case *solver.Or:
		alternatives := solver.OneOf(words.Mapped(f.Parts, s.variable)...)
		s.rules[v] = append(s.rules[v], solver.Rule{Formula: alternatives})
		return
	}
	s.rules[v] = append(s.rules[v], solver.Rule{Formula: f})
}

// variable returns a new variable that demands the formula.
func (s *split) variable(f solver.Formula) solver.Var {
	s.last--
	v := s.last
	s.demand(v, f)
	return v
}

// constraintKey is a constraint, by its key, whichever bundle of the part has that.
type constraintKey struct {
	part *model.Part
	key  string
}

// leafPlace is where a leaf stands in a compound constraint.
type leafPlace struct {
	constraintKey
	leaf int
}

// findNeeded finds the leaves of compound constraints that the core needs: those in
// a minimal core of the split problem.
func (d *derivation) findNeeded() {
	s := &split{model: d.m.Model, rules: map[solver.Var][]solver.Rule{}, groups: d.groups, last: math.MaxInt32}
	places := map[solver.Formula]leafPlace{}
	constraint := map[constraintKey]solver.Var{}
	conjunctions, count := false, 0
	for _, r := range d.core {
		switch r.Kind {
		case solver.KindGiven, solver.KindSelect:
			s.given = append(s.given, r.Var)
		case solver.KindRoot:
			s.roots = append(s.roots, d.m.Model.Demands[r.Rule])
		case solver.KindRule:
			f := d.m.Model.Rules(r.Var)[r.Rule].Formula
			if model.Parts(f) == nil {
				s.demand(r.Var, f)
				continue
			}
			conjunctions = conjunctions || conjunction(f)
			p, o := d.m.Model.OriginOf(r.Var, r.Rule)
			stated := constraintKey{p, constraints.Key(p.ConstraintOf(o).Expr)}
			all := slices.Collect(model.Leaves(f))
			v, known := constraint[stated]
			if !known {
				v = s.variable(d.left(f))
				constraint[stated] = v
				count += len(all)
			}
			s.demand(r.Var, solver.OneOf(v))
			for i, leaf := range all {
				places[leaf] = leafPlace{stated, i}
			}
		case solver.KindHold:
			return // it is not known what is held
		}
	}
	if !conjunctions || count > maxSplit {
		return
	}
	_, core, _ := d.m.Solve(s)
	if core == nil {
		return
	}
	d.places = places
	for _, r := range core {
		if r.Kind == solver.KindRule {
			d.needed[places[s.rules[r.Var][r.Rule].Formula]] = true
		}
	}
}

// left returns a formula without the parts that are set aside.
func (d *derivation) left(f solver.Formula) solver.Formula {
	and, ok := f.(*solver.And)
	if !ok || len(d.apart) == 0 {
		return f
	}
	return &solver.And{Parts: slices.DeleteFunc(slices.Clone(and.Parts), func(part solver.Formula) bool {
		return slices.ContainsFunc(slices.Collect(model.Leaves(part)), func(leaf solver.Formula) bool { return d.apart[leaf] })
	})}
}

// needs reports whether the core needs a leaf of a formula.
func (d *derivation) needs(leaf solver.Formula) bool {
	at, known := d.places[leaf]
	return !known || d.needed[at]
}

// matters reports whether a part of a compound formula is a reason why that cannot
// hold: the core needs it, or nothing satisfies it.
func (d *derivation) matters(f solver.Formula) bool {
	leaves := slices.Collect(model.Leaves(f))
	told := slices.ContainsFunc(leaves, func(leaf solver.Formula) bool { return d.apart[leaf] })
	return model.Impossible(f) && !told || slices.ContainsFunc(leaves, d.needs)
}

// conjunction reports whether a formula has parts that must hold together.
func conjunction(f solver.Formula) bool {
	_, and := f.(*solver.And)
	return and || slices.ContainsFunc(model.Parts(f), conjunction)
}
