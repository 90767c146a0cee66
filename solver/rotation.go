package solver

import (
	"math"

	"github.com/resolvent/resolvent/solver/internal/cnf"
)

// rotation finds demands that a contradiction needs, without a call of the SAT solver for each
// (recursive model rotation; Belov and Marques-Silva 2011).
//
// A selection that satisfies all demands but one shows that this one is needed. If changing one
// variable makes another demand the only unsatisfied one, that one is needed as well, and so
// on.
type rotation struct {
	*state
	encoding   *encoding
	conditions []condition // by demand
	in         [][]int32   // by number of variable: the demands that mention it
	removed    []bool      // by demand
	needed     []bool      // by demand
	models     int         // so far
	visited    []int       // by demand: the last model that led to it
	work       int         // that is left
}

// condition is a demand as a condition on the current selection.
type condition struct {
	owner    int32   // if not none: the demand holds if this variable is not selected
	mentions []int32 // numbers of variables, each once
	selected int     // the number of mentions that are selected
	// least and most bound selected. An And or Or is evaluated as formula instead.
	least, most int
	formula     Formula
	work        int // steps of one evaluation
}

// newRotation numbers the demands. It returns nil if there is too much to examine.
func newRotation(e *encoding, demands []demand) *rotation {
	r := &rotation{
		state:      e.state,
		encoding:   e,
		conditions: make([]condition, len(demands)),
		in:         make([][]int32, len(e.lits)),
		removed:    make([]bool, len(demands)),
		needed:     make([]bool, len(demands)),
		visited:    make([]int, len(demands)),
		work:       maxRotationWork,
	}
	groups := map[int32]int{} // by number
	for d := range demands {
		demands[d].at = d
		if reason := demands[d].reason; reason.Kind == KindGroup {
			groups[e.state.groups.Find(int32(reason.Group))] = d
		}
	}
	for _, i := range e.scope.vars {
		if !e.proceed(len(e.groupsOf(i))) {
			return nil
		}
		for _, g := range e.groupsOf(i) {
			if d, ok := groups[g]; ok {
				r.mention(d, i)
			}
		}
	}
	total := 0
	for d := range demands {
		f := r.addCondition(d, demands[d])
		c := &r.conditions[d]
		within := false // the formula mentions its owner
		formulas := eachSegment(f, func(vars []Var) {
			if total += len(vars); total > maxMentions || !e.proceed(len(vars)) {
				return
			}
			for _, v := range vars {
				i := e.vars.Find(int32(v))
				within = within || i == c.owner
				r.mention(d, i)
			}
		})
		if total += formulas; total > maxMentions || !e.proceed(formulas) {
			return nil
		}
		if c.owner != none && !within {
			c.least++
			c.most = max(c.most, c.most+1) // unless there is no limit
		}
		if c.work = 1; c.formula != nil {
			c.work = formulas + len(c.mentions)
		}
	}
	return r
}

// addCondition fills the condition of a demand, and returns the formula of the demand.
func (r *rotation) addCondition(d int, demand demand) (f Formula) {
	c := &r.conditions[d]
	c.owner, c.least, c.most = none, 0, math.MaxInt
	variable := r.vars.Find(int32(demand.reason.Var))
	switch demand.reason.Kind {
	case KindGroup:
		c.most = 1
	case KindGiven, KindSelect:
		r.mention(d, variable)
		c.least = 1
	case KindRoot:
		f = r.state.roots()[demand.reason.Rule].Formula
	case KindHold:
		f = demand.formula
	case KindRule:
		c.owner = variable
		r.mention(d, variable)
		f = r.state.rules(variable)[demand.reason.Rule].Formula
	}
	switch f := f.(type) {
	case *Choice:
		c.least = 1
	case *Absent:
		c.most = 0
	case *AtMost:
		c.most = f.N
	case *And, *Or:
		c.formula = f
	}
	return f
}

// mention records that a demand mentions a variable, which may be none.
func (r *rotation) mention(d int, i int32) {
	// Repeats come directly after each other: all groups of a variable, or all variables of
	// a demand.
	if r.encoding.litOf(i) == cnf.None || lastOf(r.in[i]) == int32(d) || lastOf(r.conditions[d].mentions) == i {
		return
	}
	r.conditions[d].mentions = append(r.conditions[d].mentions, i)
	r.in[i] = append(r.in[i], int32(d))
}

// lastOf returns the last element, none for an empty list.
func lastOf(list []int32) int32 {
	if len(list) == 0 {
		return none
	}
	return list[len(list)-1]
}

// restrict removes all demands but those of the lists.
func (r *rotation) restrict(lists ...[]demand) {
	for d := range r.removed {
		r.removed[d] = true
	}
	for _, list := range lists {
		for _, d := range list {
			r.removed[d.at] = false
		}
	}
}

// fromModel marks needed demands. It starts from the last model of the SAT solver, which
// satisfies all remaining demands but d.
func (r *rotation) fromModel(d int) {
	for _, i := range r.encoding.scope.vars {
		if r.encoding.sat.True(r.encoding.lits[i]) {
			r.flip(i)
		}
	}
	r.models++
	r.visit(d)
	for _, i := range r.encoding.scope.vars {
		if r.info[i].flags&inRotation != 0 {
			r.flip(i)
		}
	}
}

// flip changes whether the variable is selected.
func (r *rotation) flip(i int32) {
	r.info[i].flags ^= inRotation
	change := -1
	if r.info[i].flags&inRotation != 0 {
		change = 1
	}
	for _, d := range r.in[i] {
		r.conditions[d].selected += change
	}
	r.work -= len(r.in[i])
	r.proceed(len(r.in[i]))
}

// visit changes each variable of d, the only unsatisfied demand.
func (r *rotation) visit(d int) {
	r.needed[d], r.visited[d] = true, r.models
	for _, i := range r.conditions[d].mentions {
		r.flip(i)
		if next := r.onlyUnsatisfied(i); next >= 0 && r.visited[next] < r.models {
			r.visit(next)
		}
		r.flip(i)
		if r.work < 0 || r.err != nil {
			return
		}
	}
}

// onlyUnsatisfied returns the only unsatisfied demand after a change of the variable, -1 if there
// is none or more than one.
func (r *rotation) onlyUnsatisfied(i int32) int {
	only := -1
	for _, d := range r.in[i] {
		if r.removed[d] || r.satisfies(int(d)) {
			continue
		}
		if r.work < 0 || r.err != nil || only >= 0 {
			return -1
		}
		only = int(d)
	}
	return only
}

// satisfies reports whether the current selection satisfies a demand.
func (r *rotation) satisfies(d int) bool {
	c := &r.conditions[d]
	r.work -= c.work
	switch {
	case c.owner != none && r.info[c.owner].flags&inRotation == 0:
		return true
	case c.formula != nil:
		return r.holds(c.formula, inRotation)
	}
	return c.least <= c.selected && c.selected <= c.most
}
