package solver

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/solver/internal/cnf"
)

// encoding is a problem as clauses. A formula is encoded in one direction only: its literal
// implies it. This is enough, because no formula is negated. Assigning false to everything
// satisfies all clauses.
type encoding struct {
	*state
	sat      *cnf.Solver
	options  Options
	scope    scope
	lits     []cnf.Lit // by number of variable; cnf.None outside the scope
	formulas map[Formula]cnf.Lit
	anyLits  map[segment]cnf.Lit // implies that one variable of the segment is selected
	noneLits map[segment]cnf.Lit // implies that none is
	given    []demand
	roots    []demand
	rules    []demand // like groups, only in a guarded encoding
	groups   []demand
}

// demand is a reason with the assumption literal that enforces it.
type demand struct {
	reason  Reason
	lit     cnf.Lit
	formula Formula // of a KindHold
	at      int     // its index in a rotation
}

// segment identifies a list of variables by its address. Many choices share the same long
// lists (BenchmarkSegments: a fifteenth of the time).
type segment struct {
	first *Var
	n     int
}

// encode encodes the scope p of the problem of st. Rules and groups hold unconditionally or,
// if guarded, only if their demands are assumed.
func encode(st *state, p scope, o Options, guarded bool) (*encoding, error) {
	st.phase = phaseEncode
	defer func() { st.phase = phaseSearch }()
	e := &encoding{
		state:    st,
		sat:      cnf.New(&satWork{st, o.MaxConflicts}, len(p.vars), o.maxVars, o.MaxLiterals),
		options:  o,
		scope:    p,
		formulas: map[Formula]cnf.Lit{},
		anyLits:  map[segment]cnf.Lit{},
		noneLits: map[segment]cnf.Lit{},
	}
	e.lits = make([]cnf.Lit, len(st.info))
	for _, i := range p.vars {
		e.lits[i] = e.sat.NewLit()
	}
	e.addGiven()
	e.addRoots(guarded)
	e.addRules(guarded)
	e.addGroups(guarded)
	if st.err != nil {
		return nil, st.err
	}
	return e, nil
}

// addGiven makes a demand of each given variable.
func (e *encoding) addGiven() {
	seen := map[Var]bool{}
	for _, v := range e.problem.Given() {
		if seen[v] || e.err != nil {
			continue
		}
		seen[v] = true
		d := demand{reason: Reason{Kind: KindGiven, Var: v, Rule: -1}, lit: e.lit(v)}
		if d.lit != cnf.None {
			e.given = append(e.given, d)
		}
	}
}

// addRoots makes a demand of each root.
func (e *encoding) addRoots(guarded bool) {
	roots := e.state.roots()
	for _, i := range e.scope.roots {
		d := demand{reason: Reason{Kind: KindRoot, Var: None, Rule: i}}
		if guarded {
			// Two roots may be the same formula.
			d.lit = e.sat.NewLit()
			e.require([]cnf.Lit{d.lit.Not()}, roots[i].Formula)
		} else {
			d.lit = e.formula(roots[i].Formula)
		}
		e.roots = append(e.roots, d)
	}
}

func (e *encoding) addRules(guarded bool) {
	for _, i := range e.scope.vars {
		for n, rule := range e.state.rules(i) {
			reason := Reason{Kind: KindRule, Var: e.handle(i), Rule: n}
			if !e.proceed(1) {
				return
			}
			unless := []cnf.Lit{e.lits[i].Not()}
			if guarded {
				d := demand{reason: reason, lit: e.sat.NewLit()}
				e.rules = append(e.rules, d)
				unless = append(unless, d.lit.Not())
			}
			e.require(unless, rule.Formula)
		}
	}
}

func (e *encoding) addGroups(guarded bool) {
	all := e.membersOf(&e.inverter, len(e.scope.vars), func(x int) int32 { return e.scope.vars[x] })
	var lits []cnf.Lit
	guards := map[int32]cnf.Lit{}
	for g, members := range all {
		if !e.proceed(len(members)) {
			return
		}
		if len(members) < 2 || !guarded && e.implied(all, int32(g)) {
			continue
		}
		var unless []cnf.Lit
		if guarded {
			d := demand{reason: groupReason(Group(e.state.groups.Keys[g])), lit: e.sat.NewLit()}
			e.groups = append(e.groups, d)
			unless = []cnf.Lit{d.lit.Not()}
			if first := e.equal(all, int32(g)); first != int32(g) {
				e.sat.Add(unless, []cnf.Lit{guards[first]})
				continue
			}
			guards[int32(g)] = d.lit
		}
		lits = lits[:0]
		for _, x := range members {
			lits = append(lits, e.lits[e.scope.vars[x]])
		}
		e.sat.AtMostOne(unless, lits)
	}
}

// implied reports whether a wider group has all members of a group, such as that of a package
// those of an API that only its versions provide. Unless guarded, the group adds nothing then.
func (e *encoding) implied(all [][]int32, g int32) bool {
	groups := e.groupsOf(e.scope.vars[all[g][0]])
	widest := g
	for _, other := range groups {
		if d := len(all[other]) - len(all[widest]); d > 0 || d == 0 && other < widest {
			widest = other
		}
	}
	if !e.proceed(len(groups)) || widest == g {
		return false
	}
	return !slices.ContainsFunc(all[g], func(x int32) bool {
		_, found := slices.BinarySearch(all[widest], x)
		return !found
	})
}

// equal returns the first group with the members of a group. Of many APIs each is provided by the
// same bundles: their guards imply that of the first, which alone has clauses
// (BenchmarkExplain/fifty-and-ten-unsat: a third of the memory).
func (e *encoding) equal(all [][]int32, g int32) int32 {
	for _, other := range e.groupsOf(e.scope.vars[all[g][0]]) {
		if other < g && len(all[other]) == len(all[g]) && e.proceed(len(all[g])) && slices.Equal(all[other], all[g]) {
			g = other
		}
	}
	return g
}

func groupReason(g Group) Reason { return Reason{Kind: KindGroup, Var: None, Rule: -1, Group: g} }

// lit returns the literal of v, cnf.None outside the scope.
func (e *encoding) lit(v Var) cnf.Lit {
	return e.litOf(e.vars.Find(int32(v)))
}

// litOf returns the literal of the number of a variable, which may be none.
func (e *encoding) litOf(i int32) cnf.Lit {
	if i == none || int(i) >= len(e.lits) {
		return cnf.None
	}
	return e.lits[i]
}

// covers reports whether the scope includes the owner or the root of an obligation.
func (e *encoding) covers(ob obligation) bool {
	if ob.owner != none {
		return e.litOf(ob.owner) != cnf.None
	}
	_, found := slices.BinarySearch(e.scope.roots, int(ob.rule))
	return found
}

// require adds clauses that make f hold unless a literal of unless is true.
func (e *encoding) require(unless []cnf.Lit, f Formula) {
	if !e.proceed(1) {
		return
	}
	switch f := f.(type) {
	case *Choice:
		var any []cnf.Lit
		for _, vars := range f.Candidates {
			any = e.appendAny(any, vars)
		}
		e.sat.Add(unless, e.appendAny(any, f.Also))
	case *Absent:
		for _, vars := range f.Vars {
			e.forbid(unless, vars)
		}
	case *AtMost:
		e.sat.AtMost(unless, f.N, e.distinct(f.Vars))
	case *And:
		for _, part := range f.Parts {
			e.require(unless, part)
		}
	case *Or:
		any := make([]cnf.Lit, 0, len(f.Parts))
		for _, part := range f.Parts {
			any = append(any, e.formula(part))
		}
		e.sat.Add(unless, any)
	}
}

// formula returns a literal that implies f.
func (e *encoding) formula(f Formula) cnf.Lit {
	if lit, ok := e.formulas[f]; ok {
		return lit
	}
	lit := e.sat.NewLit()
	e.formulas[f] = lit
	e.require([]cnf.Lit{lit.Not()}, f)
	return lit
}

// appendAny appends literals to any. If one of these is true, one of vars is selected.
func (e *encoding) appendAny(any []cnf.Lit, vars []Var) []cnf.Lit {
	if len(vars) < sharedMin {
		return append(any, e.members(vars)...)
	}
	key := segment{&vars[0], len(vars)}
	lit, ok := e.anyLits[key]
	if !ok {
		lit = e.sat.NewLit()
		e.anyLits[key] = lit
		e.sat.Add([]cnf.Lit{lit.Not()}, e.members(vars))
	}
	return append(any, lit)
}

// forbid adds clauses that exclude all vars unless a literal of unless is true.
func (e *encoding) forbid(unless []cnf.Lit, vars []Var) {
	if len(vars) < sharedMin {
		for _, m := range e.members(vars) {
			e.sat.Add(unless, []cnf.Lit{m.Not()})
		}
		return
	}
	key := segment{&vars[0], len(vars)}
	lit, ok := e.noneLits[key]
	if !ok {
		lit = e.sat.NewLit()
		e.noneLits[key] = lit
		for _, m := range e.members(vars) {
			e.sat.Add([]cnf.Lit{lit.Not(), m.Not()})
		}
	}
	e.sat.Add(unless, []cnf.Lit{lit})
}

// members returns the literals of those vars that are in the scope.
func (e *encoding) members(vars []Var) []cnf.Lit {
	lits := make([]cnf.Lit, 0, len(vars))
	if !e.proceed(len(vars)) {
		return nil
	}
	for _, v := range vars {
		if lit := e.lit(v); lit != cnf.None {
			lits = append(lits, lit)
		}
	}
	return lits
}

// distinct returns members without repeats.
func (e *encoding) distinct(vars []Var) []cnf.Lit {
	seen := make(map[cnf.Lit]bool, len(vars))
	lits := e.members(vars)
	kept := lits[:0]
	for _, lit := range lits {
		if !seen[lit] {
			seen[lit] = true
			kept = append(kept, lit)
		}
	}
	return kept
}

// satWork counts the work of a SAT solver as work of a state.
type satWork struct {
	*state
	maxConflicts int
}

func (w *satWork) Proceed(steps int) bool   { return w.proceed(steps) }
func (w *satWork) Context() context.Context { return w.ctx }

func (w *satWork) Conflicts(n int) {
	if w.conflicts += n; w.maxConflicts > 0 && w.conflicts > w.maxConflicts {
		w.err = &Incomplete{Phase: w.phase, Err: &ConflictLimit{w.maxConflicts}}
	}
}

func (w *satWork) TooLarge(what string, limit int) {
	if w.err == nil {
		w.err = &TooLarge{What: what, Limit: limit}
	}
}
