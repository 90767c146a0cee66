package solver

import (
	"math/bits"
	"slices"
)

// crowd finds roots that contradict each other by their number alone: if all
// their candidates lie in sets of which at most one can be selected, and there
// are fewer such sets than roots, then one root goes empty (Hall 1935). Without
// counting, a SAT solver takes a time for this that is exponential in the number
// of roots (Haken 1985).
type crowd struct {
	*encoding
	roots []crowdedRoot
	// place is where a variable stands in members, by number, or -1.
	place   map[int32]int
	members []crowdMember
	cliques int
	rivals  []bitset // by member: those that share a group with it
	// matched is the root that each clique is given to, or -1; seen marks those
	// that were looked at for a root. They are memory.
	matched []int
	seen    []bool
}

// crowdedRoot is a demand for one of some variables, which are in no other one.
type crowdedRoot struct {
	demand     demand
	candidates []int32
}

// crowdMember is a candidate of a root. Of those of one clique, any two share a
// group.
type crowdMember struct {
	variable int32
	root     int
	clique   int
}

const (
	// leastCrowd is the number of roots from which on counting is worth while.
	// Fewer are easy for a SAT solver, and its cores are as good.
	leastCrowd = 5
	// maxCrowd bounds the candidates, and crowdPairs the pairs of them that
	// share groups.
	maxCrowd   = 1 << 12
	crowdPairs = 1 << 20
)

// newCrowd collects the roots among the demands that can be counted. It returns
// nil if too little or too much is shared.
func newCrowd(e *encoding, demands []demand) *crowd {
	if e.sat.options.noCount {
		return nil
	}
	c := &crowd{encoding: e, place: map[int32]int{}}
	for _, d := range demands {
		if d.reason.Kind != KindRoot {
			continue
		}
		if choice, ok := e.state.roots()[d.reason.Rule].Formula.(*Choice); ok && !c.addRoot(d, choice) {
			return nil
		}
	}
	if len(c.roots) < leastCrowd || !c.findCliques() {
		return nil
	}
	c.matched, c.seen = make([]int, c.cliques), make([]bool, c.cliques)
	return c
}

// addRoot adds a root, unless it shares candidates with another one: one
// variable could meet both. It reports whether there are not too many.
func (c *crowd) addRoot(d demand, choice *Choice) bool {
	var candidates []int32
	shared := false
	eachSegment(choice, func(vars []Var) {
		if shared = shared || !c.spend(len(vars)); shared {
			return
		}
		for _, v := range vars {
			i := c.vars.find(int32(v))
			if c.litOf(i) == 0 || len(c.members)+len(candidates) > maxCrowd {
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
	if len(c.members)+len(candidates) > maxCrowd {
		return false
	}
	if shared {
		for _, i := range candidates {
			delete(c.place, i)
		}
		return true
	}
	for _, i := range candidates {
		c.members = append(c.members, crowdMember{i, len(c.roots), -1})
	}
	c.roots = append(c.roots, crowdedRoot{d, candidates})
	return true
}

// findCliques puts each candidate into a clique, greedily: first with candidates
// of other roots, since it is these that crowd each other out. It reports whether
// there is anything to count.
func (c *crowd) findCliques() bool {
	c.rivals = c.findRivals()
	rivals := c.rivals
	if rivals == nil {
		return false
	}
	for x := range c.members {
		if c.members[x].clique >= 0 {
			continue
		}
		open := slices.Clone(rivals[x]) // rivals of all in the clique
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
				open.intersect(rivals[y])
			}
			if !c.spend(len(open)) {
				return false
			}
		}
		c.cliques++
	}
	return true
}

// findRivals returns, for each candidate, those that share a group with it; nil
// if no two roots have any, or there are too many pairs.
func (c *crowd) findRivals() []bitset {
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
	rivals := make([]bitset, len(c.members))
	for x := range rivals {
		rivals[x] = newBitset(len(c.members))
	}
	pairs := 0
	for _, members := range groups {
		if pairs += len(members) * len(members); pairs > crowdPairs || !c.spend(len(members)*len(members)) {
			return nil
		}
		for _, x := range members {
			for _, y := range members {
				if x != y {
					rivals[x].add(y)
				}
			}
		}
	}
	return rivals
}

// overcrowded returns roots that need more cliques than there are for them, if
// only candidates are left that free allows. Roots that need nothing are left
// out by done.
func (c *crowd) overcrowded(done func(root int) bool, free func(i int32) bool) []demand {
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
		// All cliques that were looked at are taken, by roots that have no others.
		crowded := []demand{c.roots[root].demand}
		for q, seen := range c.seen {
			if seen {
				crowded = append(crowded, c.roots[c.matched[q]].demand)
			}
		}
		return crowded
	}
	return nil
}

// match gives a root a clique, if need be by giving others another one (Kuhn
// 1955).
func (c *crowd) match(root int, free func(i int32) bool) bool {
	for _, i := range c.roots[root].candidates {
		q := c.members[c.place[i]].clique
		if !c.spend(1) {
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

// crowded returns those of the demands that cannot be met together because their
// number shows it, and what counted them; nil if it does not.
func (e *encoding) crowded(demands []demand) ([]demand, *crowd) {
	c := newCrowd(e, demands)
	if c == nil {
		return nil, nil
	}
	crowded := c.contradiction()
	if crowded == nil {
		return nil, nil
	}
	return crowded, c
}

// contradiction returns demands that cannot be met together, if enough roots
// crowd each other out: these, and the groups that set their limits.
func (c *crowd) contradiction() []demand {
	roots := c.overcrowded(func(int) bool { return false }, func(int32) bool { return true })
	if len(roots) < leastCrowd || c.err != nil {
		return nil
	}
	among := map[int]bool{}
	for _, d := range roots {
		among[d.reason.Rule] = true
	}
	// Of each clique, the groups that two of its members share.
	type shared struct {
		group  Group
		clique int
	}
	members := map[shared]int{}
	limits := map[Group]bool{}
	for _, m := range c.members {
		if !among[c.roots[m.root].demand.reason.Rule] {
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
		if among[d.reason.Rule] {
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
