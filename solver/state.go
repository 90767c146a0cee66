package solver

import (
	"context"
	"fmt"
	"slices"
)

// flags of a variable that was met.
type flags uint8

const (
	selected  flags = 1 << iota // in the selection S
	modelled                    // true in the last model that the SAT solver found
	reachable                   // in the universe: given, or a candidate of something
	forbidden                   // named by an Absent that must hold
	refuted                     // cannot be selected together with S and C
	asked                       // rules and groups are those of the problem
	rotated                     // in the selection that a rotation looks at
)

// met is what is known of one variable that was met.
type met struct {
	flags   flags
	cleared uint32 // when and how deeply it was last looked at in vain, see refuter
	rules   []Rule
	groups  []Group
	limits  []int32 // the active limits that it counts for, see refuter
}

// state is what the search, its testers and the encoding share: the problem,
// and what is known of its variables, under their numbers in vars.
type state struct {
	ctx     context.Context
	phase   Phase
	spent   int   // steps since the last look at ctx
	err     error // the first fault of the problem, or the end of ctx
	problem Problem
	// rootRules are the problem's, once they were asked for: rooted.
	rootRules []Rule
	rooted    bool
	vars      index
	met       []met // by number of variable
	groups    index
	holder    []int32 // by number of group: its selected member, or none
}

// none is the number of no variable.
const none int32 = -1

// begin readies an empty state for a problem.
func (st *state) begin(ctx context.Context, p Problem) {
	st.ctx, st.phase, st.problem = ctx, PhaseSearch, p
	st.look()
}

// end empties the state and keeps its memory.
func (st *state) end() {
	clear(st.met)
	st.met, st.holder = st.met[:0], st.holder[:0]
	st.vars.reset()
	st.groups.reset()
	st.ctx, st.problem, st.err, st.spent = nil, nil, nil, 0
	st.rootRules, st.rooted = nil, false
}

// restart forgets the selection, but not what the problem said.
func (st *state) restart() {
	for i := range st.met {
		m := &st.met[i]
		m.flags &= asked | reachable
		m.cleared = 0
		m.limits = nil
	}
	for i := range st.holder {
		st.holder[i] = none
	}
}

// workPerLook is how many steps, of some 10 ns each, are done between two looks
// at the context.
const workPerLook = 8192

// spend counts steps that are about to be done, and reports whether to go on.
// After the context has ended, or a fault was found, it never does.
func (st *state) spend(steps int) bool {
	if st.spent += steps; st.spent >= workPerLook {
		st.spent = 0
		st.look()
	}
	return st.err == nil
}

// look notes in st.err if the context has ended.
func (st *state) look() {
	if err := st.ctx.Err(); err != nil && st.err == nil {
		st.err = &Incomplete{Phase: st.phase, Err: err}
	}
}

// number returns the number of v. It is none if v is no valid handle, which is
// noted as a fault.
func (st *state) number(v Var) int32 {
	if v < 0 {
		st.fault(None, -1, fmt.Sprintf("negative variable %d", v))
		return none
	}
	i, isNew := st.vars.add(int32(v))
	if isNew {
		st.met = append(st.met, met{})
	}
	return i
}

func (st *state) handle(i int32) Var {
	if i == none {
		return None
	}
	return Var(st.vars.keys[i])
}

// has reports whether v is flagged. A variable that was not met has no flags.
func (st *state) has(v Var, f flags) bool {
	i := st.vars.find(int32(v))
	return i != none && st.met[i].flags&f != 0
}

// roots returns the roots of the problem, none of them if one is faulty. They
// are checked once, as they may be many.
func (st *state) roots() []Rule {
	if !st.rooted {
		if roots := st.problem.Roots(); st.check(None, roots) {
			st.rootRules = roots
		}
		st.rooted = true
	}
	return st.rootRules
}

// rules returns the rules of a variable, none of them if one is faulty.
func (st *state) rules(i int32) []Rule {
	st.ask(i)
	return st.met[i].rules
}

// groupsOf returns the groups of a variable.
func (st *state) groupsOf(i int32) []Group {
	st.ask(i)
	return st.met[i].groups
}

func (st *state) ask(i int32) {
	if st.met[i].flags&asked != 0 {
		return
	}
	v := st.handle(i)
	groups, rules := st.problem.Groups(v), st.problem.Rules(v)
	if !st.check(v, rules) {
		rules = nil
	}
	m := &st.met[i]
	m.groups, m.rules = groups, rules
	m.flags |= asked
}

// group returns the number of g.
func (st *state) group(g Group) int32 {
	i, isNew := st.groups.add(int32(g))
	if isNew {
		st.holder = append(st.holder, none)
	}
	return i
}

// holds reports whether f holds if exactly the variables flagged with in are
// selected.
func (st *state) holds(f Formula, in flags) bool {
	switch f := f.(type) {
	case *Choice:
		return st.hasAnyOf(f.Candidates, in) || st.hasAny(f.Also, in)
	case *Absent:
		return !st.hasAnyOf(f.Vars, in)
	case *AtMost:
		return st.count(f, in, none) <= f.N
	case *And:
		return !slices.ContainsFunc(f.Parts, func(part Formula) bool { return !st.holds(part, in) })
	case *Or:
		return slices.ContainsFunc(f.Parts, func(part Formula) bool { return st.holds(part, in) })
	}
	return false
}

func (st *state) hasAnyOf(segments [][]Var, in flags) bool {
	return slices.ContainsFunc(segments, func(segment []Var) bool { return st.hasAny(segment, in) })
}

func (st *state) hasAny(vars []Var, in flags) bool {
	st.spend(len(vars))
	return slices.ContainsFunc(vars, func(v Var) bool { return st.has(v, in) })
}

// count returns how many different variables of f are flagged with in or are
// the extra one, which may be none.
func (st *state) count(f *AtMost, in flags, extra int32) int {
	st.spend(len(f.Vars))
	counted := map[int32]bool{}
	for _, v := range f.Vars {
		i := st.vars.find(int32(v))
		if i != none && (i == extra || st.met[i].flags&in != 0) {
			counted[i] = true
		}
	}
	return len(counted)
}
