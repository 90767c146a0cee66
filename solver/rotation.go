package solver

// rotation finds demands that a contradiction needs without asking the SAT
// solver for each (recursive model rotation; Belov and Marques-Silva 2011).
//
// A selection that meets all demands but one shows that this one is needed. If
// changing one variable makes another demand the only one that is not met, that
// one is needed as well, and so on from there.
type rotation struct {
	*encoding
	demands  []demand
	mentions [][]int32 // by demand: numbers of variables, each once
	work     []int     // by demand: what looking at it once takes
	in       [][]int32 // by number of variable: the demands that mention it
	gone     []bool    // by demand: left out
	needed   []bool    // by demand
	visits   []int     // by demand: how often the last model led there
	budget   int
}

const (
	// rotationPays is from how many demands on it is faster than asking the SAT
	// solver for each.
	rotationPays = 32
	// maxMentions bounds the variables that formulas mention, and the formulas
	// themselves, beyond which nothing is rotated.
	maxMentions = 1 << 20
	// rotationWork is how many variables and formulas may be looked at for one
	// model: about as long takes asking the SAT solver once.
	rotationWork = 1 << 17
	// maxVisits is how often one model may lead to the same demand, from
	// different selections.
	maxVisits = 16
)

// newRotation numbers the demands. It returns nil if there is too much to look
// at.
func newRotation(e *encoding, demands []demand) *rotation {
	r := &rotation{
		encoding: e,
		demands:  demands,
		mentions: make([][]int32, len(demands)),
		work:     make([]int, len(demands)),
		in:       make([][]int32, len(e.lits)),
		gone:     make([]bool, len(demands)),
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
	for _, i := range e.part.vars {
		if !e.spend(len(e.groupsOf(i))) {
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
		owner, f := r.stated(demands[d])
		r.mention(d, owner)
		formulas := eachSegment(f, func(vars []Var) {
			if total += len(vars); total > maxMentions || !e.spend(len(vars)) {
				return
			}
			for _, v := range vars {
				r.mention(d, e.vars.find(int32(v)))
			}
		})
		if total += formulas; total > maxMentions || !e.spend(formulas) {
			return nil
		}
		r.work[d] = formulas + len(r.mentions[d])
	}
	return r
}

// mention notes that a demand mentions a variable, which may be none.
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

// stated returns the variable and the formula that a demand is about, none and
// nil if it is about none.
func (r *rotation) stated(d demand) (variable int32, f Formula) {
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

// keep leaves out all demands but those of the lists.
func (r *rotation) keep(lists ...[]demand) {
	for d := range r.gone {
		r.gone[d] = true
	}
	for _, list := range lists {
		for _, d := range list {
			r.gone[d.at] = false
		}
	}
}

// from marks what is seen to be needed from the SAT solver's last model, which
// meets all demands that were not left out but d.
func (r *rotation) from(d int) {
	for _, i := range r.part.vars {
		if r.gini.Value(r.lits[i]) {
			r.met[i].flags |= rotated
		}
	}
	r.shows(d)
}

// shows marks what is seen to be needed from a selection that meets all demands
// but d, and forgets the selection.
func (r *rotation) shows(d int) {
	r.needed[d] = true
	clear(r.visits)
	r.budget = rotationWork
	r.visit(d)
	r.forget()
}

func (r *rotation) forget() {
	for _, i := range r.part.vars {
		r.met[i].flags &^= rotated
	}
}

// visit changes each variable of d, the only demand that is not met.
func (r *rotation) visit(d int) {
	for _, i := range r.mentions[d] {
		r.met[i].flags ^= rotated
		if next := r.unmet(i); next >= 0 && r.visits[next] < maxVisits {
			r.needed[next] = true
			r.visits[next]++
			r.visit(next)
		}
		r.met[i].flags ^= rotated
		if r.budget < 0 || r.err != nil {
			return
		}
	}
}

// unmet returns the only demand that a change of the variable left unmet, -1 if
// there is not one alone.
func (r *rotation) unmet(i int32) int {
	only := -1
	for _, d := range r.in[i] {
		if r.gone[d] || r.meets(int(d)) {
			continue
		}
		if r.budget < 0 || r.err != nil || only >= 0 {
			return -1
		}
		only = int(d)
	}
	return only
}

// meets reports whether the selection that is looked at meets a demand.
func (r *rotation) meets(d int) bool {
	r.budget -= r.work[d]
	variable, f := r.stated(r.demands[d])
	is := variable != none && r.met[variable].flags&rotated != 0
	switch r.demands[d].reason.Kind {
	case KindGiven, KindSelect:
		return is
	case KindAvoid:
		return !is
	case KindRule:
		return !is || r.holds(f, rotated)
	case KindGroup:
		selected := 0
		for _, i := range r.mentions[d] {
			if r.met[i].flags&rotated != 0 {
				selected++
			}
		}
		return selected <= 1
	}
	return r.holds(f, rotated)
}
