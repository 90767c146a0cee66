package solver

// refuter recognises some of the variables and formulas that cannot hold
// together with the selection S and the commitments C. It never errs when it
// says so; when it does not, nothing is known.
//
// S and C only grow during a search, so what is refuted once stays refuted and
// is remembered.
type refuter struct {
	*state
	limits     []limit
	generation uint32 // counts the changes of S and C
	budget     int    // members that may still be looked at for one question
}

// reset makes the refuter ready for a new search.
func (r *refuter) reset() {
	r.limits = r.limits[:0]
	// 0 is what variables that were not looked at are marked with.
	r.generation = 1
}

// limit is an AtMost that must hold.
type limit struct{ max, count int }

const (
	lookAhead     = 2   // rules of candidates of candidates are looked at
	membersLooked = 256 // at most, to answer one question

	// groupPairsLooked is how many pairs of groups are compared for two
	// variables.
	groupPairsLooked = 4096
)

// canTake reports whether the variable is not refuted.
func (r *refuter) canTake(i int32) bool {
	r.budget = membersLooked
	return !r.refuted(i, lookAhead)
}

// canHold reports whether f is not refuted.
func (r *refuter) canHold(f Formula, _ obligation) bool {
	r.budget = membersLooked
	return !r.fails(f, none, lookAhead)
}

// refuted reports whether S and C allow no selection with the variable.
// Its rules are looked at unless depth is 0.
func (r *refuter) refuted(i int32, depth uint32) bool {
	m := &r.met[i]
	switch {
	case m.flags&selected != 0:
		return false
	case m.flags&(refuted|forbidden) != 0:
		return true
	case m.cleared>>2 == r.generation && m.cleared&3 >= depth:
		return false
	}
	if r.excluded(i) || depth > 0 && r.failsOwnRules(i, depth) {
		r.met[i].flags |= refuted
		return true
	}
	r.met[i].cleared = r.generation<<2 | depth
	return false
}

// excluded reports whether the variable, which is not selected, would be one too
// many in a group or a limit.
func (r *refuter) excluded(i int32) bool {
	groups := r.groupsOf(i)
	r.spend(len(groups))
	for _, g := range groups {
		if r.holder[r.group(g)] != none {
			return true
		}
	}
	for _, l := range r.met[i].limits {
		if r.limits[l].count >= r.limits[l].max {
			return true
		}
	}
	return false
}

func (r *refuter) failsOwnRules(i int32, depth uint32) bool {
	for _, rule := range r.rules(i) {
		if r.fails(rule.Formula, i, depth) {
			return true
		}
	}
	return false
}

// fails reports whether f cannot hold with S, C and the variable self, which
// may be none.
func (r *refuter) fails(f Formula, self int32, depth uint32) bool {
	switch f := f.(type) {
	case *Choice:
		for _, segment := range f.Candidates {
			if r.anyPossible(segment, self, depth) {
				return false
			}
		}
		return !r.anyPossible(f.Also, self, depth)
	case *Absent:
		for _, segment := range f.Vars {
			if r.hasAny(segment, selected) || self != none && r.contains(segment, self) {
				return true
			}
		}
	case *AtMost:
		return r.count(f, selected, self) > f.N
	case *And:
		for _, part := range f.Parts {
			if r.fails(part, self, depth) {
				return true
			}
		}
	case *Or:
		for _, part := range f.Parts {
			if !r.fails(part, self, depth) {
				return false
			}
		}
		return true
	}
	return false
}

func (r *refuter) contains(vars []Var, i int32) bool {
	v := r.handle(i)
	for _, w := range vars {
		if w == v {
			return true
		}
	}
	return false
}

// anyPossible reports whether one of vars is not refuted beside self.
func (r *refuter) anyPossible(vars []Var, self int32, depth uint32) bool {
	for _, v := range vars {
		if r.budget--; r.budget < 0 || !r.spend(1) {
			return true
		}
		i := r.number(v)
		if i == none {
			return true
		}
		if i == self || !r.refuted(i, depth-1) && (self == none || !r.rivals(i, self)) {
			return true
		}
	}
	return false
}

// rivals reports whether two different variables share a group. Where that takes
// long to tell, it says no.
func (r *refuter) rivals(i, j int32) bool {
	mine, others := r.groupsOf(i), r.groupsOf(j)
	if len(mine)*len(others) > groupPairsLooked {
		return false
	}
	for _, g := range mine {
		for _, h := range others {
			if g == h {
				return true
			}
		}
	}
	return false
}

// take adds the variable to S.
func (r *refuter) take(i int32) {
	r.generation++
	r.met[i].flags |= selected
	for _, g := range r.groupsOf(i) {
		r.holder[r.group(g)] = i
	}
	for _, l := range r.met[i].limits {
		r.limits[l].count++
	}
	for _, rule := range r.rules(i) {
		r.enforce(rule.Formula)
	}
}

func (r *refuter) demand(f Formula, _ obligation) { r.enforce(f) }

// enforce notes that f must hold from now on.
func (r *refuter) enforce(f Formula) {
	r.generation++
	switch f := f.(type) {
	case *Absent:
		for _, segment := range f.Vars {
			r.forbid(segment)
		}
	case *AtMost:
		r.limit(f)
	case *And:
		for _, part := range f.Parts {
			r.enforce(part)
		}
	}
}

func (r *refuter) forbid(vars []Var) {
	for _, v := range vars {
		if !r.spend(1) {
			return
		}
		if i := r.number(v); i != none {
			r.met[i].flags |= forbidden
		}
	}
}

func (r *refuter) limit(f *AtMost) {
	l := int32(len(r.limits))
	count := 0
	for _, v := range f.Vars {
		if !r.spend(1) {
			return
		}
		i := r.number(v)
		if i == none {
			return
		}
		m := &r.met[i]
		if n := len(m.limits); n > 0 && m.limits[n-1] == l {
			continue
		}
		m.limits = append(m.limits, l)
		if m.flags&selected != 0 {
			count++
		}
	}
	r.limits = append(r.limits, limit{max: f.N, count: count})
}
