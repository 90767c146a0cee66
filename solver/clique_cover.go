package solver

import (
	"math/bits"
	"slices"
)

// cliqueCover finds roots that contradict each other by their number alone. It
// covers their candidates with cliques, sets of which at most one member can be
// selected. If there are fewer cliques than roots, one root gets nothing (Hall
// 1935). Without counting, a SAT solver takes time exponential in the number of
// roots (Haken 1985).
type cliqueCover struct {
	*encoding
	roots []coveredRoot
	// place maps the number of a variable to its position in members.
	place     map[int32]int
	members   []coverMember
	cliques   int
	conflicts []bitset // by member: those that share a group with it
	// matched is the root that each clique is matched with, or -1. seen marks the
	// cliques visited for one root. Both are scratch memory.
	matched []int
	seen    []bool
}

// coveredRoot demands one of its candidates, which no other coveredRoot has.
type coveredRoot struct {
	demand     demand
	candidates []int32
}

// coverMember is a candidate of a root. Any two members of a clique share a group.
type coverMember struct {
	variable int32
	root     int
	clique   int
}

const (
	// minCovered is the least number of roots worth counting. Fewer are easy for a
	// SAT solver, and its cores are as good.
	minCovered = 5
	// maxCoverMembers bounds the candidates, maxConflictPairs the pairs that share
	// a group.
	maxCoverMembers  = 1 << 12
	maxConflictPairs = 1 << 20
)

// newCliqueCover covers the roots among the demands. It returns nil if they share
// too few groups for counting to help, or too many to count.
func newCliqueCover(e *encoding, demands []demand) *cliqueCover {
	if e.sat.options.noCount {
		return nil
	}
	c := &cliqueCover{encoding: e, place: map[int32]int{}}
	for _, d := range demands {
		if d.reason.Kind != KindRoot {
			continue
		}
		if choice, ok := e.state.roots()[d.reason.Rule].Formula.(*Choice); ok && !c.addRoot(d, choice) {
			return nil
		}
	}
	if len(c.roots) < minCovered || !c.findCliques() {
		return nil
	}
	c.matched, c.seen = make([]int, c.cliques), make([]bool, c.cliques)
	return c
}

// addRoot adds a root, unless it shares candidates with another root: one variable
// could satisfy both. It reports whether there are not too many candidates.
func (c *cliqueCover) addRoot(d demand, choice *Choice) bool {
	var candidates []int32
	shared := false
	eachSegment(choice, func(vars []Var) {
		if shared = shared || !c.proceed(len(vars)); shared {
			return
		}
		for _, v := range vars {
			i := c.vars.find(int32(v))
			if c.litOf(i) == 0 || len(c.members)+len(candidates) > maxCoverMembers {
				continue
			}
			if at, known := c.place[i]; !known {
				c.place[i] = len(c.members) + len(candidates)
				candidates = append(candidates, i)
			} else if at < len(c.members) {
				shared = true
			}
		}
	})
	if len(c.members)+len(candidates) > maxCoverMembers {
		return false
	}
	if shared {
		for _, i := range candidates {
			delete(c.place, i)
		}
		return true
	}
	for _, i := range candidates {
		c.members = append(c.members, coverMember{i, len(c.roots), -1})
	}
	c.roots = append(c.roots, coveredRoot{d, candidates})
	return true
}

// findCliques puts each candidate into a clique, greedily. Candidates of other
// roots join first, because only they make roots compete. It reports whether there
// is anything to count.
func (c *cliqueCover) findCliques() bool {
	c.conflicts = c.findConflicts()
	if c.conflicts == nil {
		return false
	}
	for x := range c.members {
		if c.members[x].clique >= 0 {
			continue
		}
		open := slices.Clone(c.conflicts[x]) // in conflict with all members of the clique
		roots := map[int]bool{c.members[x].root: true}
		c.members[x].clique = c.cliques
		for _, sameRoot := range []bool{false, true} {
			for y := open.next(0); y >= 0; y = open.next(y + 1) {
				m := &c.members[y]
				if m.clique >= 0 || roots[m.root] != sameRoot {
					continue
				}
				m.clique = c.cliques
				roots[m.root] = true
				open.intersect(c.conflicts[y])
			}
			if !c.proceed(len(open)) {
				return false
			}
		}
		c.cliques++
	}
	return true
}

// findConflicts returns, for each candidate, those that share a group with it. It
// returns nil if no group spans two roots, or if there are too many pairs.
func (c *cliqueCover) findConflicts() []bitset {
	groups := map[Group][]int{}
	across := false
	for x, m := range c.members {
		for _, g := range c.groupsOf(m.variable) {
			members := groups[g]
			across = across || len(members) > 0 && c.members[members[0]].root != m.root
			groups[g] = append(members, x)
		}
	}
	if !across {
		return nil
	}
	conflicts := make([]bitset, len(c.members))
	for x := range conflicts {
		conflicts[x] = newBitset(len(c.members))
	}
	pairs := 0
	for _, members := range groups {
		if pairs += len(members) * len(members); pairs > maxConflictPairs || !c.proceed(len(members)*len(members)) {
			return nil
		}
		for _, x := range members {
			for _, y := range members {
				if x != y {
					conflicts[x].add(y)
				}
			}
		}
	}
	return conflicts
}

// hallViolator returns roots that outnumber the cliques open to them, nil if there
// are none. Only candidates for which free holds count. Roots for which done holds
// need no clique.
func (c *cliqueCover) hallViolator(done func(root int) bool, free func(i int32) bool) []demand {
	for q := range c.matched {
		c.matched[q] = -1
	}
	for root := range c.roots {
		if done(root) {
			continue
		}
		clear(c.seen)
		if c.match(root, free) || c.err != nil {
			continue
		}
		// All visited cliques are matched with roots that have no other clique.
		violator := []demand{c.roots[root].demand}
		for q, seen := range c.seen {
			if seen {
				violator = append(violator, c.roots[c.matched[q]].demand)
			}
		}
		return violator
	}
	return nil
}

// match finds a clique for a root, rematching other roots if necessary (augmenting
// paths; Kuhn 1955).
func (c *cliqueCover) match(root int, free func(i int32) bool) bool {
	for _, i := range c.roots[root].candidates {
		q := c.members[c.place[i]].clique
		if !c.proceed(1) {
			return true
		}
		if c.seen[q] || !free(i) {
			continue
		}
		c.seen[q] = true
		if c.matched[q] < 0 || c.match(c.matched[q], free) {
			c.matched[q] = root
			return true
		}
	}
	return false
}

// countedCore returns demands that contradict each other by their number, and the
// cover that shows it; nil if counting shows no contradiction.
func (e *encoding) countedCore(demands []demand) ([]demand, *cliqueCover) {
	c := newCliqueCover(e, demands)
	if c == nil {
		return nil, nil
	}
	core := c.countedCore()
	if core == nil {
		return nil, nil
	}
	return core, c
}

// countedCore returns contradictory demands, if enough roots form a Hall violator:
// these roots, and the groups that make their cliques.
func (c *cliqueCover) countedCore() []demand {
	roots := c.hallViolator(func(int) bool { return false }, func(int32) bool { return true })
	if len(roots) < minCovered || c.err != nil {
		return nil
	}
	violators := map[int]bool{} // by index of root
	for _, d := range roots {
		violators[d.reason.Rule] = true
	}
	// The groups that two members of one clique share.
	type shared struct {
		group  Group
		clique int
	}
	members := map[shared]int{}
	limits := map[Group]bool{}
	for _, m := range c.members {
		if !violators[c.roots[m.root].demand.reason.Rule] {
			continue
		}
		groups := slices.Compact(slices.Sorted(slices.Values(c.groupsOf(m.variable))))
		for _, g := range groups {
			key := shared{g, m.clique}
			if members[key]++; members[key] > 1 {
				limits[g] = true
			}
		}
	}
	var demands []demand
	for _, d := range c.encoding.roots {
		if violators[d.reason.Rule] {
			demands = append(demands, d)
		}
	}
	for _, d := range c.encoding.groups {
		if limits[d.reason.Group] {
			demands = append(demands, d)
		}
	}
	return demands
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// next returns the first member that is at least i, -1 if there is none.
func (b bitset) next(i int) int {
	for w := i / 64; w < len(b); w++ {
		rest := b[w]
		if w == i/64 {
			rest &= ^uint64(0) << (i % 64)
		}
		if rest != 0 {
			return w*64 + bits.TrailingZeros64(rest)
		}
	}
	return -1
}

func (b bitset) intersect(other bitset) {
	for w := range b {
		b[w] &= other[w]
	}
}
