package solver

import (
	"slices"
)

// brute answers small problems by looking at every subset of the universe. It
// follows the words of the package comment and is as simple as it can be.
type brute struct {
	problem  Problem
	universe []Var
	models   []subset // those that satisfy all clauses
}

// subset is a set of variables of a universe.
type subset map[Var]bool

func newBrute(p Problem, further ...Var) *brute {
	b := &brute{problem: p}
	for _, v := range p.Given() {
		b.reach(v)
	}
	for _, r := range p.Roots() {
		b.reachCandidates(r.Formula)
	}
	for _, v := range further {
		b.reach(v)
	}
	for _, s := range b.subsets() {
		if b.satisfies(s, nil) {
			b.models = append(b.models, s)
		}
	}
	return b
}

func (b *brute) reach(v Var) {
	if slices.Contains(b.universe, v) {
		return
	}
	b.universe = append(b.universe, v)
	for _, r := range b.problem.Rules(v) {
		b.reachCandidates(r.Formula)
	}
}

func (b *brute) reachCandidates(f Formula) {
	switch f := f.(type) {
	case *Choice:
		for _, v := range slices.Concat(f.Candidates...) {
			b.reach(v)
		}
	case *And:
		for _, part := range f.Parts {
			b.reachCandidates(part)
		}
	case *Or:
		for _, part := range f.Parts {
			b.reachCandidates(part)
		}
	}
}

func (b *brute) subsets() []subset {
	all := []subset{{}}
	for _, v := range b.universe {
		for _, s := range all {
			with := subset{v: true}
			for w := range s {
				with[w] = true
			}
			all = append(all, with)
		}
	}
	return all
}

// satisfies reports whether s satisfies the demands for which inForce is true; nil
// stands for all.
func (b *brute) satisfies(s subset, inForce func(Reason) bool) bool {
	counts := func(r Reason) bool { return inForce == nil || inForce(r) }
	for _, v := range b.problem.Given() {
		if !s[v] && counts(Reason{Kind: KindGiven, Var: v, Rule: -1}) {
			return false
		}
	}
	for i, r := range b.problem.Roots() {
		if !s.holds(r.Formula) && counts(Reason{Kind: KindRoot, Var: None, Rule: i}) {
			return false
		}
	}
	members := map[Group]int{}
	for v := range s {
		for i, r := range b.problem.Rules(v) {
			if !s.holds(r.Formula) && counts(Reason{Kind: KindRule, Var: v, Rule: i}) {
				return false
			}
		}
		groups := map[Group]bool{}
		for _, g := range b.problem.Groups(v) {
			groups[g] = true
		}
		for g := range groups {
			members[g]++
		}
	}
	for g, n := range members {
		if n > 1 && counts(Reason{Kind: KindGroup, Var: None, Rule: -1, Group: g}) {
			return false
		}
	}
	return true
}

func (s subset) holds(f Formula) bool {
	switch f := f.(type) {
	case *Choice:
		return s.count(membersOf(f)) > 0
	case *Absent:
		return s.count(slices.Concat(f.Vars...)) == 0
	case *AtMost:
		return s.count(f.Vars) <= f.N
	case *And:
		for _, part := range f.Parts {
			if !s.holds(part) {
				return false
			}
		}
		return true
	case *Or:
		for _, part := range f.Parts {
			if s.holds(part) {
				return true
			}
		}
	}
	return false
}

func (s subset) count(vars []Var) int {
	found := subset{}
	for _, v := range vars {
		if s[v] {
			found[v] = true
		}
	}
	return len(found)
}

// possible reports whether a model contains all of s and satisfies all of c.
func (b *brute) possible(s subset, c []Formula) bool {
	return slices.ContainsFunc(b.models, func(m subset) bool {
		for v := range s {
			if !m[v] {
				return false
			}
		}
		return !slices.ContainsFunc(c, func(f Formula) bool { return !m.holds(f) })
	})
}

// step is one selection of the answer.
type step struct{ variable, owner Var }

// answer returns the answer, step by step; false if there is none.
func (b *brute) answer() ([]step, bool) {
	if len(b.models) == 0 {
		return nil, false
	}
	type task struct {
		formula Formula
		owner   Var
	}
	var (
		steps       []step
		selection   = subset{}
		commitments []Formula
		queue       []task
		watched     []task
	)
	add := func(v, owner Var) {
		selection[v] = true
		steps = append(steps, step{v, owner})
	}
	addRules := func(v Var) {
		for _, r := range b.problem.Rules(v) {
			queue = append(queue, task{r.Formula, v})
		}
	}
	for _, v := range b.problem.Given() {
		if !selection[v] {
			add(v, None)
		}
	}
	for _, r := range b.problem.Roots() {
		queue = append(queue, task{r.Formula, None})
	}
	for _, s := range steps {
		addRules(s.variable)
	}
	for {
		if len(queue) == 0 {
			held := watched
			watched = nil
			for _, t := range held {
				if selection.holds(t.formula) {
					watched = append(watched, t)
				} else {
					queue = append(queue, t)
				}
			}
			if len(queue) == 0 {
				return steps, true
			}
		}
		t := queue[0]
		queue = queue[1:]
		switch f := t.formula.(type) {
		case *Choice:
			if selection.holds(f) {
				continue
			}
			for _, v := range membersOf(f) {
				selection[v] = true
				if b.possible(selection, commitments) {
					add(v, t.owner)
					addRules(v)
					break
				}
				delete(selection, v)
			}
		case *And:
			var parts []task
			for _, part := range f.Parts {
				parts = append(parts, task{part, t.owner})
			}
			queue = append(parts, queue...)
		case *Or:
			if selection.holds(f) {
				watched = append(watched, t)
				continue
			}
			for _, part := range f.Parts {
				if b.possible(selection, append(slices.Clone(commitments), part)) {
					commitments = append(commitments, part)
					queue = append([]task{{part, t.owner}}, queue...)
					break
				}
			}
		}
	}
}

// satisfiable reports whether some selection satisfies the demands of core alone,
// with those of a that are in it.
func (b *brute) satisfiable(core []Reason, a Assume) bool {
	has := func(r Reason) bool { return slices.Contains(core, r) }
	return slices.ContainsFunc(b.subsets(), func(s subset) bool {
		return b.satisfies(s, has) && s.satisfiesAll(a, has)
	})
}

func (s subset) satisfiesAll(a Assume, has func(Reason) bool) bool {
	for _, v := range a.Select {
		if !s[v] && has(Reason{Kind: KindSelect, Var: v, Rule: -1}) {
			return false
		}
	}
	for i, f := range a.Hold {
		if !s.holds(f) && has(Reason{Kind: KindHold, Var: None, Rule: i}) {
			return false
		}
	}
	return true
}

// membersOf returns the candidates of f, then the other members.
func membersOf(f *Choice) []Var {
	return slices.Concat(slices.Concat(f.Candidates...), f.Also)
}
