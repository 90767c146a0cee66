package solver

import "github.com/resolvent/resolvent/solver/internal/numbers"

// scope is the part of a problem that an encoding covers. It shares no clause with the rest,
// so that neither affects what is possible in the other.
type scope struct {
	vars  []int32 // in the order in which they are reached
	roots []int   // the indices of roots, ascending
}

// fullScope returns the whole problem as a scope.
func fullScope(st *state, universe []int32) scope {
	p := scope{vars: universe, roots: make([]int, len(st.roots()))}
	for i := range p.roots {
		p.roots[i] = i
	}
	return p
}

// partition splits a problem into its connected components. If one component needs a SAT
// solver, the others do not, and most requests are in components of their own.
type partition struct {
	*disjointSets
	universe []int32
	roots    int
	stuck    map[int32]bool // representatives of the components to encode
}

// newPartition connects variables and roots that share clauses: a variable or root with all
// variables in its formulas, and the members of a group with each other.
func newPartition(st *state, universe []int32) *partition {
	roots := st.roots()
	p := &partition{
		disjointSets: &disjointSets{st, numbers.NewSets(len(st.info) + len(roots)), map[segment]int32{}},
		universe:     universe,
		roots:        len(roots),
		stuck:        map[int32]bool{},
	}
	for n, root := range roots {
		p.uniteMentioned(p.root(n), root.Formula)
	}
	first := make([]int32, len(st.holder)) // by number of group: its first member plus one
	for _, i := range universe {
		for _, rule := range st.rules(i) {
			p.uniteMentioned(i, rule.Formula)
		}
		for _, g := range st.groupsOf(i) {
			if first[g] > 0 {
				p.sets.Union(i, first[g]-1)
			} else {
				first[g] = i + 1
			}
		}
	}
	return p
}

// root returns the node of a root. The node of a variable is its number.
func (p *partition) root(index int) int32 { return int32(len(p.sets) - p.roots + index) }

// add records the components in which a search got stuck, and reports whether any is new.
func (p *partition) add(stuck []obligation) (isNew bool) {
	for _, o := range stuck {
		node := o.owner
		if node == none {
			node = p.root(int(o.rule))
		}
		if set := p.sets.Find(node); !p.stuck[set] {
			p.stuck[set] = true
			isNew = true
		}
	}
	return isNew
}

// scope returns all recorded components as one scope.
func (p *partition) scope() scope {
	var out scope
	for _, i := range p.universe {
		if p.stuck[p.sets.Find(i)] {
			out.vars = append(out.vars, i)
		}
	}
	for n := range p.roots {
		if p.stuck[p.sets.Find(p.root(n))] {
			out.roots = append(out.roots, n)
		}
	}
	return out
}

// disjointSets are sets of nodes.
type disjointSets struct {
	*state
	sets numbers.Sets
	// united has one member, or none, of each long segment whose members are already
	// united. Long segments are mostly shared.
	united map[segment]int32
}

// uniteMentioned unites node with all reachable variables in f.
func (l *disjointSets) uniteMentioned(node int32, f Formula) {
	l.proceed(eachSegment(f, func(vars []Var) { l.segment(node, vars) }))
}

func (l *disjointSets) segment(node int32, vars []Var) {
	if len(vars) < sharedMin {
		l.members(node, vars)
		return
	}
	key := segment{&vars[0], len(vars)}
	member, ok := l.united[key]
	if !ok {
		member = l.members(none, vars)
		l.united[key] = member
	}
	if member != none {
		l.sets.Union(node, member)
	}
}

// members unites the reachable variables among vars with node, or with each other
// if node is none. It returns the last of them.
func (l *disjointSets) members(node int32, vars []Var) int32 {
	if !l.proceed(len(vars)) {
		return node
	}
	for _, v := range vars {
		i := l.vars.Find(int32(v))
		if i == none || l.info[i].flags&reachable == 0 {
			continue
		}
		if node != none {
			l.sets.Union(node, i)
		}
		node = i
	}
	return node
}
