package solver

// rotation finds demands that a contradiction needs without a call of the SAT
// solver for each (recursive model rotation; Belov and Marques-Silva 2011).
//
// A selection that satisfies all demands but one shows that this one is needed. If
// changing one variable makes another demand the only unsatisfied one, that one is
// needed as well, and so on from there.
type rotation struct {
	*encoding
	demands  []demand
	mentions [][]int32 // by demand: numbers of variables, each once
	work     []int     // by demand: steps to evaluate it once
	in       [][]int32 // by number of variable: the demands that mention it
	removed  []bool    // by demand: left out
	needed   []bool    // by demand
	visits   []int     // by demand: how often the last model led to it
	budget   int
}

const (
	// minRotated is the least number of demands for which rotation is faster than
	// a call of the SAT solver for each.
	minRotated = 32
	// maxMentions bounds the formulas and the variables in them. Larger problems
	// are not rotated.
	maxMentions = 1 << 20
	// rotationWork bounds the variables and formulas examined per model. It takes
	// about as long as one call of the SAT solver.
	rotationWork = 1 << 17
	// maxVisits bounds how often one model leads to the same demand, from
	// different selections.
	maxVisits = 16
)

// newRotation numbers the demands. It returns nil if there is too much to examine.
func newRotation(e *encoding, demands []demand) *rotation {
	r := &rotation{
		encoding: e,
		demands:  demands,
		mentions: make([][]int32, len(demands)),
		work:     make([]int, len(demands)),
		in:       make([][]int32, len(e.lits)),
		removed:  make([]bool, len(demands)),
		needed:   make([]bool, len(demands)),
		visits:   make([]int, len(demands)),
	}
	groups := map[Group]int{}
	for d := range demands {
		demands[d].at = d
		if reason := demands[d].reason; reason.Kind == KindGroup {
			groups[reason.Group] = d
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
		owner, f := r.content(demands[d])
		r.mention(d, owner)
		formulas := eachSegment(f, func(vars []Var) {
			if total += len(vars); total > maxMentions || !e.proceed(len(vars)) {
				return
			}
			for _, v := range vars {
				r.mention(d, e.vars.find(int32(v)))
			}
		})
		if total += formulas; total > maxMentions || !e.proceed(formulas) {
			return nil
		}
		r.work[d] = formulas + len(r.mentions[d])
	}
	return r
}

// mention records that a demand mentions a variable, which may be none.
func (r *rotation) mention(d int, i int32) {
	if r.litOf(i) == 0 {
		return
	}
	// A variable comes with all its groups, which may be repeated, and a demand
	// with all its variables.
	if lastOf(r.in[i]) == int32(d) || lastOf(r.mentions[d]) == i {
		return
	}
	r.mentions[d] = append(r.mentions[d], i)
	r.in[i] = append(r.in[i], int32(d))
}

// lastOf returns the last element, none if there is none.
func lastOf(list []int32) int32 {
	if len(list) == 0 {
		return none
	}
	return list[len(list)-1]
}

// content returns the variable and the formula of a demand, none and nil where it
// has none.
func (r *rotation) content(d demand) (variable int32, f Formula) {
	switch d.reason.Kind {
	case KindRoot:
		return none, r.state.roots()[d.reason.Rule].Formula
	case KindHold:
		return none, d.formula
	case KindRule:
		owner := r.vars.find(int32(d.reason.Var))
		return owner, r.state.rules(owner)[d.reason.Rule].Formula
	case KindGiven, KindSelect, KindAvoid:
		return r.vars.find(int32(d.reason.Var)), nil
	}
	return none, nil
}

// restrict leaves out all demands but those of the lists.
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

// fromModel marks needed demands, starting from the SAT solver's last model, which
// satisfies all remaining demands but d.
func (r *rotation) fromModel(d int) {
	for _, i := range r.scope.vars {
		if r.gini.Value(r.lits[i]) {
			r.info[i].flags |= inRotation
		}
	}
	r.fromSelection(d)
}

// fromSelection marks needed demands, starting from the current selection, which
// satisfies all demands but d. It clears the selection.
func (r *rotation) fromSelection(d int) {
	r.needed[d] = true
	clear(r.visits)
	r.budget = rotationWork
	r.visit(d)
	r.forget()
}

func (r *rotation) forget() {
	for _, i := range r.scope.vars {
		r.info[i].flags &^= inRotation
	}
}

// visit changes each variable of d, the only unsatisfied demand.
func (r *rotation) visit(d int) {
	for _, i := range r.mentions[d] {
		r.info[i].flags ^= inRotation
		if next := r.onlyUnsatisfied(i); next >= 0 && r.visits[next] < maxVisits {
			r.needed[next] = true
			r.visits[next]++
			r.visit(next)
		}
		r.info[i].flags ^= inRotation
		if r.budget < 0 || r.err != nil {
			return
		}
	}
}

// onlyUnsatisfied returns the only demand that a change of the variable leaves
// unsatisfied, -1 if there is none or more than one.
func (r *rotation) onlyUnsatisfied(i int32) int {
	only := -1
	for _, d := range r.in[i] {
		if r.removed[d] || r.satisfies(int(d)) {
			continue
		}
		if r.budget < 0 || r.err != nil || only >= 0 {
			return -1
		}
		only = int(d)
	}
	return only
}

// satisfies reports whether the current selection satisfies a demand.
func (r *rotation) satisfies(d int) bool {
	r.budget -= r.work[d]
	variable, f := r.content(r.demands[d])
	is := variable != none && r.info[variable].flags&inRotation != 0
	switch r.demands[d].reason.Kind {
	case KindGiven, KindSelect:
		return is
	case KindAvoid:
		return !is
	case KindRule:
		return !is || r.holds(f, inRotation)
	case KindGroup:
		selected := 0
		for _, i := range r.mentions[d] {
			if r.info[i].flags&inRotation != 0 {
				selected++
			}
		}
		return selected <= 1
	}
	return r.holds(f, inRotation)
}
