package solver

import "slices"

// cliqueCover finds roots that contradict each other by their number alone. It covers their
// candidates with cliques: sets of which at most one member can be selected. If there are
// fewer cliques than roots, one root gets nothing (Hall 1935). A SAT solver, which does not
// count, takes time exponential in the number of roots (Haken 1985).
type cliqueCover struct {
	*state
	roots   []coveredRoot
	members []coverMember
	groups  [][]int32 // by number of group: its members
	// matched has the member that represents each clique, or -1. No two members represent
	// the same root. It is kept from one question to the next, which changes little.
	matched []int
	seen    []bool // by clique: visited for one root
	work    int    // that is left
}

// coveredRoot demands one of its candidates, which no other coveredRoot has.
type coveredRoot struct {
	index      int // in the roots of the problem
	candidates []int
}

// coverMember is a candidate of a root. Any two members of a clique share a group.
type coverMember struct {
	variable int32
	root     int
	clique   int
}

const (
	// minCovered is the least number of roots worth counting. Fewer are easy for a SAT
	// solver, whose cores are as good.
	minCovered = 5
	// maxCoverWork bounds the pairs of members compared for cliques, and the members tried
	// for matching roots with cliques. It takes some 0.1 s.
	maxCoverWork = 1 << 24
)

// newCliqueCover covers the roots with these indices. It returns nil if they share too few
// groups for counting to help, or too many to count.
func newCliqueCover(st *state, roots []int, o Options) *cliqueCover {
	if o.noCount || len(roots) < minCovered {
		return nil
	}
	c := &cliqueCover{state: st, work: maxCoverWork}
	owner := make([]int, len(st.info)) // by number of variable: its root plus one
	for _, index := range roots {
		if choice, ok := st.roots()[index].Formula.(*Choice); ok {
			c.addRoot(index, choice, owner)
		}
	}
	if len(c.roots) < minCovered || !c.addGroups() || !c.findCliques() {
		return nil
	}
	return c
}

// addRoot adds a root, unless it shares candidates with another root: one variable
// could satisfy both.
func (c *cliqueCover) addRoot(index int, choice *Choice, owner []int) {
	root := len(c.roots)
	first, shared := len(c.members), false
	eachSegment(choice, func(vars []Var) {
		for _, v := range vars {
			i := c.vars.Find(int32(v))
			if shared || !c.proceed(1) || !c.has(v, reachable) || owner[i] == root+1 {
				continue
			}
			shared = owner[i] != 0
			if !shared {
				owner[i] = root + 1
				c.members = append(c.members, coverMember{i, root, -1})
			}
		}
	})
	if shared {
		for _, m := range c.members[first:] {
			owner[m.variable] = 0
		}
		c.members = c.members[:first]
		return
	}
	var candidates []int
	for x := first; x < len(c.members); x++ {
		candidates = append(candidates, x)
	}
	c.roots = append(c.roots, coveredRoot{index, candidates})
}

// addGroups reads the groups of all members. It reports whether counting is worthwhile: a
// group spans two roots.
func (c *cliqueCover) addGroups() bool {
	c.groups = c.membersOf(nil, len(c.members), func(x int) int32 { return c.members[x].variable })
	for _, list := range c.groups {
		if len(list) > 0 && c.members[list[0]].root != c.members[list[len(list)-1]].root {
			return true // members are in the order of their roots
		}
	}
	return false
}

// findCliques puts each member into a clique, greedily. Candidates of other roots
// join first, because only they make roots compete. It returns false if that takes too much
// work.
func (c *cliqueCover) findCliques() bool {
	var (
		rivals = make([]int, len(c.members)) // by member: those in the clique that share a group with it
		by     = make([]int, len(c.members)) // by member: the last of these, plus one
		within = make([]int, len(c.roots))   // by root: the last clique that it has a member in, plus one
		open   []int32                       // the rivals of the clique's first member
	)
	cliques := 0
	for first := range c.members {
		if c.members[first].clique >= 0 {
			continue
		}
		if groups := c.groupsOf(c.members[first].variable); len(groups) == 1 {
			for _, x := range c.groups[groups[0]] { // the others of its only group
				if c.members[x].clique < 0 {
					c.members[x].clique = cliques
				}
			}
			cliques++
			continue
		}
		size := 0
		join := func(x int) {
			c.members[x].clique = cliques
			within[c.members[x].root] = cliques + 1
			for _, g := range c.groupsOf(c.members[x].variable) {
				members := c.groups[g]
				if c.work -= len(members); c.work < 0 || !c.proceed(len(members)) {
					return
				}
				for _, y := range members {
					if by[y] == x+1 || c.members[y].clique >= 0 || rivals[y] < size {
						continue
					}
					by[y] = x + 1
					if rivals[y]++; size == 0 {
						open = append(open, y)
					}
				}
			}
			size++
		}
		open = open[:0]
		join(first)
		for _, sameRoot := range []bool{false, true} {
			for _, y := range open {
				m := c.members[y]
				if m.clique < 0 && rivals[y] == size && (within[m.root] == cliques+1) == sameRoot {
					join(int(y))
				}
			}
		}
		if c.work < 0 || c.err != nil {
			return false
		}
		for _, y := range open {
			rivals[y] = 0
		}
		cliques++
	}
	c.matched, c.seen = make([]int, cliques), make([]bool, cliques)
	for q := range c.matched {
		c.matched[q] = -1
	}
	return true
}

// violatesHall reports whether there are fewer cliques than roots when nothing is selected.
// The cover may be nil.
func (c *cliqueCover) violatesHall() bool {
	return c != nil && c.hallViolator(noRoot, anyMember) != nil
}

func noRoot(int) bool    { return false }
func anyMember(int) bool { return true }

// hallViolator returns roots that outnumber their cliques, nil if there are none or the work
// is used up. Only members for which free holds count. Roots for which done holds need no
// clique.
func (c *cliqueCover) hallViolator(done func(root int) bool, free func(x int) bool) (violator []int) {
	has := make([]bool, len(c.roots))
	for q, x := range c.matched {
		if x >= 0 && (done(c.members[x].root) || !free(x)) {
			c.matched[q] = -1
		} else if x >= 0 {
			has[c.members[x].root] = true
		}
	}
	for root := range c.roots {
		if has[root] || done(root) {
			continue
		}
		clear(c.seen)
		found := c.match(root, free)
		if c.err != nil || c.work < 0 {
			return nil
		}
		if found {
			continue
		}
		// All visited cliques are matched with roots that have no other clique.
		violator = append(violator, root)
		for q, seen := range c.seen {
			if seen {
				violator = append(violator, c.members[c.matched[q]].root)
			}
		}
		return violator
	}
	return nil
}

// match finds a clique for a root, rematching other roots if necessary (augmenting
// paths; Kuhn 1955).
func (c *cliqueCover) match(root int, free func(x int) bool) bool {
	candidates := c.roots[root].candidates
	c.work -= len(candidates)
	if !c.proceed(len(candidates)) || c.work < 0 {
		return false
	}
	for _, taken := range []bool{false, true} {
		for _, x := range candidates {
			q := c.members[x].clique
			if c.seen[q] || (c.matched[q] >= 0) != taken || !free(x) {
				continue
			}
			c.seen[q] = true
			if !taken || c.match(c.members[c.matched[q]].root, free) {
				c.matched[q] = x
				return true
			}
		}
	}
	return false
}

// counted is a demand of a contradiction. It is needed if counting shows that the others can
// hold without it.
type counted struct {
	reason Reason
	needed bool
}

// contradiction returns demands that contradict each other by their number, in their
// order: roots, and the groups that make their cliques. It returns nil if there are
// none.
func (c *cliqueCover) contradiction() []counted {
	violator := c.hallViolator(noRoot, anyMember)
	if len(violator) < minCovered {
		return nil
	}
	slices.Sort(violator)
	out := make([]bool, len(c.roots)) // by root: not in the violator
	for root := range out {
		out[root] = true
	}
	for _, root := range violator {
		out[root] = false
	}
	// A group is needed if only it keeps two members of a clique apart. Which ones
	// remain depends on the order, in which the last are left out first.
	only := make(map[int32][2]int, len(c.groups))
	kept := make([]bool, len(c.groups))
	for g := range kept {
		kept[g] = true
	}
	for g := int32(len(kept)) - 1; g >= 0; g-- {
		only[g], kept[g] = c.onlyPair(g, out, kept)
	}
	var demands []counted
	holder := make([]int, len(kept))
	for _, root := range violator {
		c.hallViolator(func(n int) bool { return out[n] || n == root }, anyMember)
		reason := Reason{Kind: KindRoot, Var: None, Rule: c.roots[root].index}
		demands = append(demands, counted{reason, c.selects(len(violator)-1, holder, kept, -1)})
	}
	for g := range int32(len(kept)) {
		if !kept[g] {
			continue
		}
		x, y := only[g][0], only[g][1]
		one, other := c.members[x].root, c.members[y].root
		c.hallViolator(
			func(n int) bool { return out[n] || n == one || n == other },
			func(z int) bool { return c.members[z].clique != c.members[x].clique })
		reason := groupReason(Group(c.state.groups.Keys[g]))
		demands = append(demands, counted{reason, c.selects(len(violator), holder, kept, g, x, y)})
	}
	return demands
}

// core returns a contradiction that counting shows to be minimal, nil if there is
// none. The cover may be nil.
func (c *cliqueCover) core() (core []Reason) {
	if c == nil {
		return nil
	}
	for _, d := range c.contradiction() {
		if !d.needed {
			return nil
		}
		core = append(core, d.reason)
	}
	return core
}

// onlyPair returns two members of a clique, of different roots, whose only shared group among
// those kept is g.
func (c *cliqueCover) onlyPair(g int32, out, kept []bool) (pair [2]int, ok bool) {
	members := c.groups[g]
	for n, x := range members {
		mine := c.members[x]
		if out[mine.root] || !c.proceed(len(members)) {
			continue
		}
		groups := c.groupsOf(mine.variable)
		for _, y := range members[n+1:] {
			m := c.members[y]
			if m.clique != mine.clique || m.root == mine.root || out[m.root] {
				continue
			}
			if !slices.ContainsFunc(groups, func(other int32) bool {
				return other != g && kept[other] && slices.Contains(c.groupsOf(m.variable), other)
			}) {
				return [2]int{int(x), int(y)}, true
			}
		}
	}
	return pair, false
}

// selects reports whether the representatives of cliques and the given members are n
// together, and share no group that is kept, except possibly one. holder has a zero per
// group.
func (c *cliqueCover) selects(n int, holder []int, kept []bool, except int32, members ...int) bool {
	for _, x := range c.matched {
		if x >= 0 {
			members = append(members, x)
		}
	}
	apart := true
	for _, x := range members {
		for _, g := range c.groupsOf(c.members[x].variable) {
			if holder[g] != 0 && holder[g] != x+1 && kept[g] && g != except {
				apart = false
			}
			holder[g] = x + 1
		}
	}
	for _, x := range members {
		for _, g := range c.groupsOf(c.members[x].variable) {
			holder[g] = 0
		}
	}
	return apart && len(members) == n && c.proceed(n)
}
