package solver

import (
	"context"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/solver/internal/numbers"
)

// flags of a variable.
type flags uint8

const (
	selected   flags = 1 << iota // in the selection S
	inModel                      // true in the last model of the SAT solver
	reachable                    // in the universe: given, or a candidate of something
	forbidden                    // in an Absent that must hold
	refuted                      // cannot be selected together with S and C
	loaded                       // rules and groups have been read
	inRotation                   // in the current selection of a rotation
)

// varInfo is the state of one variable.
type varInfo struct {
	flags   flags
	checked uint32 // generation and depth of the last check that did not refute it
	rules   []Rule
	groups  []int32 // their numbers
	limits  []int32 // limits of the refuter in which it counts
}

// state is shared by the search, its testers and the encoding. It has the problem, and the state
// of its variables by their numbers in vars.
type state struct {
	ctx       context.Context
	phase     string
	steps     int   // since the last check of ctx
	conflicts int   // of the SAT solver in this solve or query
	err       error // the first fault of the problem, the end of ctx, or a limit
	problem   Problem
	// rootRules are the roots of the problem, read if rootsLoaded.
	rootRules   []Rule
	rootsLoaded bool
	vars        numbers.Table
	info        []varInfo // by number of variable
	groups      numbers.Table
	numbers     []int32 // of the groups of all variables that were read
	inverter    numbers.Inverter
	holder      []int32 // by number of group: its selected member, or none
}

// none is the number of no variable.
const none int32 = -1

// begin prepares an empty state for a problem.
func (st *state) begin(ctx context.Context, p Problem) {
	st.ctx, st.phase, st.problem = ctx, phaseSearch, p
	st.checkContext()
}

// end empties the state and keeps its memory.
func (st *state) end() {
	clear(st.info)
	st.info, st.holder, st.numbers = st.info[:0], st.holder[:0], st.numbers[:0]
	st.vars.Reset()
	st.groups.Reset()
	st.ctx, st.problem, st.err, st.steps, st.conflicts = nil, nil, nil, 0, 0
	st.rootRules, st.rootsLoaded = nil, false
}

// restart clears the selection, but keeps rules and groups.
func (st *state) restart() {
	for i := range st.info {
		m := &st.info[i]
		m.flags &= loaded | reachable
		m.checked = 0
		m.limits = nil
	}
	for g := range st.holder {
		st.holder[g] = none
	}
}

// proceed counts steps that are about to run, and reports whether to go on. It returns false
// after the end of the context or a fault of the problem.
func (st *state) proceed(steps int) bool {
	if st.steps += steps; st.steps >= stepsPerCheck {
		st.steps = 0
		st.checkContext()
	}
	return st.err == nil
}

// checkContext sets st.err if the context has ended.
func (st *state) checkContext() {
	if err := st.ctx.Err(); err != nil && st.err == nil {
		st.err = &Incomplete{Phase: st.phase, Err: err}
	}
}

// Ended checks the context, and reports whether the work has ended.
func (st *state) Ended() bool {
	st.checkContext()
	return st.err != nil
}

// number returns the number of v. For an invalid handle it records a fault and returns none.
func (st *state) number(v Var) int32 {
	if v < 0 {
		st.fault(&Invalid{Owner: None, Rule: -1, Problem: fmt.Sprintf("negative variable %d", v)})
		return none
	}
	i, isNew := st.vars.Add(int32(v))
	if isNew {
		st.info = append(st.info, varInfo{})
	}
	return i
}

func (st *state) handle(i int32) Var {
	if i == none {
		return None
	}
	return Var(st.vars.Keys[i])
}

// has reports whether v has one of the flags. A variable without number has none.
func (st *state) has(v Var, f flags) bool {
	i := st.vars.Find(int32(v))
	return i != none && st.info[i].flags&f != 0
}

// roots returns the roots of the problem, nil if one is faulty. It checks them once, because they
// may be many.
func (st *state) roots() []Rule {
	if !st.rootsLoaded {
		if roots := st.problem.Roots(); st.check(None, roots) {
			st.rootRules = roots
		}
		st.rootsLoaded = true
	}
	return st.rootRules
}

// rules returns the rules of a variable, nil if one is faulty.
func (st *state) rules(i int32) []Rule {
	st.load(i)
	return st.info[i].rules
}

// groupsOf returns the numbers of the groups of a variable.
func (st *state) groupsOf(i int32) []int32 {
	st.load(i)
	return st.info[i].groups
}

func (st *state) load(i int32) {
	if st.info[i].flags&loaded != 0 || st.Ended() { // making rules can take long
		return
	}
	v := st.handle(i)
	groups, rules := st.problem.Groups(v), st.problem.Rules(v)
	if !st.check(v, rules) {
		rules = nil
	}
	first := len(st.numbers)
	for _, g := range groups {
		n, isNew := st.groups.Add(int32(g))
		if isNew {
			st.holder = append(st.holder, none)
		}
		st.numbers = append(st.numbers, n)
	}
	m := &st.info[i]
	m.groups, m.rules = st.numbers[first:len(st.numbers):len(st.numbers)], rules
	m.flags |= loaded
}

// membersOf returns, by number of group, its members among n variables, as indices of these. They
// are valid until in, its memory, is used again.
func (st *state) membersOf(in *numbers.Inverter, n int, variable func(x int) int32) [][]int32 {
	return in.Lists(n, func(x int) []int32 { return st.groupsOf(variable(x)) })
}

// holds reports whether f holds if exactly the variables with the flag in are selected.
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
	st.proceed(len(vars))
	return slices.ContainsFunc(vars, func(v Var) bool { return st.has(v, in) })
}

// count returns the number of different variables of f that have the flag in or equal extra,
// which may be none.
func (st *state) count(f *AtMost, in flags, extra int32) int {
	st.proceed(len(f.Vars))
	counted := map[int32]bool{}
	for _, v := range f.Vars {
		i := st.vars.Find(int32(v))
		if i != none && (i == extra || st.info[i].flags&in != 0) {
			counted[i] = true
		}
	}
	return len(counted)
}
