package solver

// maxPairsTried bounds the pairs of one group that are tried.
const maxPairsTried = 16

// fromMatchings marks demands that a counted contradiction needs: those without
// which the roots have a matching with cliques. A SAT solver takes as long to find
// such a matching as to prove that there is none; counting finds it at once.
func (r *rotation) fromMatchings(c *cliqueCover) {
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
			r.fromMatching(c, d, func(n int) bool { return counted[n] && demandOf[n] != d })
		case KindGroup:
			x, y, ok := r.pairOf(c, d)
			if !ok {
				continue
			}
			one, other := c.members[x].root, c.members[y].root
			r.fromMatching(c, d, func(n int) bool { return counted[n] && n != one && n != other }, x, y)
		}
	}
}

// pairOf returns two members of the cover, of different roots, that only the group
// d excludes from being selected together.
func (r *rotation) pairOf(c *cliqueCover, d int) (x, y int, ok bool) {
	tried := 0
	for n, i := range r.mentions[d] {
		for _, j := range r.mentions[d][n+1:] {
			if tried++; tried > maxPairsTried {
				return 0, 0, false
			}
			x, known := c.place[i]
			y, alsoKnown := c.place[j]
			if known && alsoKnown && c.members[x].root != c.members[y].root && r.shareOneGroup(i, j) {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// shareOneGroup reports whether exactly one of the demands is a group of both
// variables.
func (r *rotation) shareOneGroup(i, j int32) bool {
	common := 0
	r.proceed(len(r.in[i]) + len(r.in[j]))
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

// fromMatching selects the fixed members of the cover, and one more for each root
// for which matched holds, no two of one clique. If this selection satisfies all
// demands but d, then d is needed.
func (r *rotation) fromMatching(c *cliqueCover, d int, matched func(root int) bool, fixed ...int) {
	free := func(i int32) bool {
		for _, x := range fixed {
			if c.conflicts[x].has(c.place[i]) {
				return false
			}
		}
		return true
	}
	if c.hallViolator(func(n int) bool { return !matched(n) }, free) != nil || r.err != nil {
		return
	}
	for _, x := range fixed {
		r.info[c.members[x].variable].flags |= inRotation
	}
	for q, n := range c.matched {
		if n < 0 {
			continue
		}
		for _, i := range c.roots[n].candidates {
			if c.members[c.place[i]].clique == q && free(i) {
				r.info[i].flags |= inRotation
				break
			}
		}
	}
	r.budget = 0
	for other := range r.demands {
		if !r.proceed(r.work[other]) || r.satisfies(other) == (other == d) {
			r.forget()
			return
		}
	}
	r.fromSelection(d)
}
