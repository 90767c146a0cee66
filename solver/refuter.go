package solver

import "slices"

// refuter recognizes variables and formulas that cannot hold together with the selection S and
// the commitments C. It is sound but not complete: it refutes only what is impossible, but not
// everything.
//
// S and C only grow during a search, so refutations stay valid and are cached.
type refuter struct {
	*state
	limits     []limit
	generation uint32 // number of changes of S and C
	budget     int    // members that may still be examined for one query
}

// reset makes the refuter ready for a new search.
func (r *refuter) reset() {
	r.limits = r.limits[:0]
	// Generation 0 marks variables that were not checked.
	r.generation = 1
}

// limit is an AtMost that must hold.
type limit struct{ max, count int }

// canSelect reports whether the variable is not refuted.
func (r *refuter) canSelect(i int32, _ []Var) bool {
	r.budget = maxExamined
	return !r.isRefuted(i, lookahead)
}

// canHold reports whether f is not refuted.
func (r *refuter) canHold(f Formula, _ obligation) bool {
	r.budget = maxExamined
	return !r.fails(f, none, lookahead)
}

// isRefuted reports whether S and C are known to exclude the variable. Unless depth is 0, it
// examines the rules of the variable.
func (r *refuter) isRefuted(i int32, depth uint32) bool {
	m := &r.info[i]
	switch {
	case m.flags&selected != 0:
		return false
	case m.flags&(refuted|forbidden) != 0:
		return true
	case m.checked>>2 == r.generation && m.checked&3 >= depth:
		return false
	}
	failsWith := func(rule Rule) bool { return r.fails(rule.Formula, i, depth) }
	if r.excluded(i) || depth > 0 && slices.ContainsFunc(r.rules(i), failsWith) {
		r.info[i].flags |= refuted
		return true
	}
	r.info[i].checked = r.generation<<2 | depth
	return false
}

// excluded reports whether selecting the variable, which is not selected, would
// exceed a group or a limit.
func (r *refuter) excluded(i int32) bool {
	groups := r.groupsOf(i)
	r.proceed(len(groups))
	for _, g := range groups {
		if r.holder[g] != none {
			return true
		}
	}
	for _, l := range r.info[i].limits {
		if r.limits[l].count >= r.limits[l].max {
			return true
		}
	}
	return false
}

// fails reports whether f is known not to hold with S, C and the variable self, which may be
// none.
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
			if r.hasAny(segment, selected) || self != none && slices.Contains(segment, r.handle(self)) {
				return true
			}
		}
	case *AtMost:
		return r.count(f, selected, self) > f.N
	case *And:
		return slices.ContainsFunc(f.Parts, func(part Formula) bool { return r.fails(part, self, depth) })
	case *Or:
		return !slices.ContainsFunc(f.Parts, func(part Formula) bool { return !r.fails(part, self, depth) })
	}
	return false
}

// anyPossible reports whether one of vars is not refuted together with self.
func (r *refuter) anyPossible(vars []Var, self int32, depth uint32) bool {
	for _, v := range vars {
		if r.budget--; r.budget < 0 || !r.proceed(1) {
			return true
		}
		i := r.number(v)
		if i == none {
			return true
		}
		if i == self || !r.isRefuted(i, depth-1) && (self == none || !r.shareGroup(i, self)) {
			return true
		}
	}
	return false
}

// shareGroup reports whether two different variables share a group. It returns
// false if there are too many groups to compare.
func (r *refuter) shareGroup(i, j int32) bool {
	mine, others := r.groupsOf(i), r.groupsOf(j)
	if len(mine)*len(others) > maxGroupPairs {
		return false
	}
	return slices.ContainsFunc(mine, func(g int32) bool { return slices.Contains(others, g) })
}

// addSelected adds the variable to S.
func (r *refuter) addSelected(i int32) {
	r.generation++
	r.info[i].flags |= selected
	for _, g := range r.groupsOf(i) {
		r.holder[g] = i
	}
	for _, l := range r.info[i].limits {
		r.limits[l].count++
	}
	for _, rule := range r.rules(i) {
		r.enforce(rule.Formula)
	}
}

func (r *refuter) addCommitment(f Formula, _ obligation) { r.enforce(f) }

// enforce records that f must hold from now on.
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
		if !r.proceed(1) {
			return
		}
		if i := r.number(v); i != none {
			r.info[i].flags |= forbidden
		}
	}
}

func (r *refuter) limit(f *AtMost) {
	l := int32(len(r.limits))
	count := 0
	for _, v := range f.Vars {
		if !r.proceed(1) {
			return
		}
		i := r.number(v)
		if i == none {
			return
		}
		m := &r.info[i]
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
