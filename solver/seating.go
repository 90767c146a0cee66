package solver

// pairsTried is how many pairs of a group are looked at for a seating.
const pairsTried = 16

// seat marks what is needed of a contradiction that counting found. A SAT solver
// takes as long to see that without one root, or one group, there is a place for
// all others as it takes to see that there is none. Counting finds the places.
func (r *rotation) seat(c *crowd) {
	counted := make([]bool, len(c.roots))
	at := map[int]int{} // by rule: the demand of a root
	for d := range r.demands {
		if reason := r.demands[d].reason; reason.Kind == KindRoot {
			at[reason.Rule] = d
		}
	}
	demandOf := make([]int, len(c.roots))
	for n := range c.roots {
		demandOf[n], counted[n] = at[c.roots[n].demand.reason.Rule]
	}
	for d := len(r.demands) - 1; d >= 0 && r.err == nil; d-- {
		if r.needed[d] {
			continue
		}
		switch r.demands[d].reason.Kind {
		case KindRoot:
			r.seatAll(c, d, func(n int) bool { return counted[n] && demandOf[n] != d })
		case KindGroup:
			x, y, ok := r.pairOf(c, d)
			if !ok {
				continue
			}
			one, other := c.members[x].root, c.members[y].root
			r.seatAll(c, d, func(n int) bool { return counted[n] && n != one && n != other }, x, y)
		}
	}
}

// pairOf returns two members of the crowd, of different roots, of which the group
// d alone says that they do not go together.
func (r *rotation) pairOf(c *crowd, d int) (x, y int, ok bool) {
	tried := 0
	for n, i := range r.mentions[d] {
		for _, j := range r.mentions[d][n+1:] {
			if tried++; tried > pairsTried {
				return 0, 0, false
			}
			x, known := c.place[i]
			y, alsoKnown := c.place[j]
			if known && alsoKnown && c.members[x].root != c.members[y].root && r.onlyInCommon(i, j, d) {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// onlyInCommon reports whether two variables have no other group than d in common.
func (r *rotation) onlyInCommon(i, j int32, d int) bool {
	common := 0
	r.spend(len(r.in[i]) + len(r.in[j]))
	groups := map[int32]bool{}
	for _, g := range r.in[i] {
		groups[g] = r.demands[g].reason.Kind == KindGroup
	}
	for _, g := range r.in[j] {
		if groups[g] {
			common++
		}
	}
	return common == 1
}

// seatAll selects some members of the crowd, and for each root to be seated one
// more, so that no two share a clique. If that meets all demands but d, it shows
// that d is needed.
func (r *rotation) seatAll(c *crowd, d int, seated func(root int) bool, fixed ...int) {
	free := func(i int32) bool {
		for _, x := range fixed {
			if c.rivals[x].has(c.place[i]) {
				return false
			}
		}
		return true
	}
	if c.overcrowded(func(n int) bool { return !seated(n) }, free) != nil || r.err != nil {
		return
	}
	for _, x := range fixed {
		r.met[c.members[x].variable].flags |= rotated
	}
	for q, n := range c.matched {
		if n < 0 {
			continue
		}
		for _, i := range c.roots[n].candidates {
			if c.members[c.place[i]].clique == q && free(i) {
				r.met[i].flags |= rotated
				break
			}
		}
	}
	r.budget = 0
	for other := range r.demands {
		if !r.spend(r.work[other]) || r.meets(other) == (other == d) {
			r.forget()
			return
		}
	}
	r.shows(d)
}
