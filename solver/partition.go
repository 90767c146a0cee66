package solver

// part is what an encoding covers of a problem. It shares no clause with what
// it leaves out, so that neither bears on what is possible in the other.
type part struct {
	vars  []int32 // in the order in which they are reached
	roots []int   // the indices of roots, ascending
	// only, if not nil, holds the demands that matter.
	only map[Reason]bool
}

// wants reports whether the demand matters.
func (p part) wants(r Reason) bool { return p.only == nil || p.only[r] }

// whole returns the part that leaves nothing out.
func whole(st *state, universe []int32) part {
	p := part{vars: universe, roots: make([]int, len(st.roots()))}
	for i := range p.roots {
		p.roots[i] = i
	}
	return p
}

// partition splits a problem into parts as small as they can be. Most requests
// have little to do with each other, and where one of them needs a SAT solver,
// the others need none.
type partition struct {
	*linker
	universe []int32
	roots    int
	stuck    map[int32]bool // representatives of the parts to encode
}

// newPartition links what shares clauses: a variable or a root with all that
// its formulas mention, and the members of a group.
func newPartition(st *state, universe []int32) *partition {
	roots := st.roots()
	p := &partition{
		linker:   newLinker(st, len(st.met)+len(roots)),
		universe: universe,
		roots:    len(roots),
		stuck:    map[int32]bool{},
	}
	for n, root := range roots {
		p.mention(p.root(n), root.Formula)
	}
	first := map[Group]int32{}
	for _, i := range universe {
		for _, rule := range st.rules(i) {
			p.mention(i, rule.Formula)
		}
		for _, g := range st.groupsOf(i) {
			if member, ok := first[g]; ok {
				p.link(i, member)
			} else {
				first[g] = i
			}
		}
	}
	return p
}

// root is the node of a root; variables are their own.
func (p *partition) root(index int) int32 { return int32(len(p.above) - p.roots + index) }

// add notes the parts in which a search found nothing possible, and reports
// whether one of them is new.
func (p *partition) add(stuck []obligation) (isNew bool) {
	for _, o := range stuck {
		node := o.owner
		if node == none {
			node = p.root(int(o.rule))
		}
		if top := p.top(node); !p.stuck[top] {
			p.stuck[top] = true
			isNew = true
		}
	}
	return isNew
}

// part returns all parts that were noted, as one.
func (p *partition) part() part {
	var out part
	for _, i := range p.universe {
		if p.stuck[p.top(i)] {
			out.vars = append(out.vars, i)
		}
	}
	for n := range p.roots {
		if p.stuck[p.top(p.root(n))] {
			out.roots = append(out.roots, n)
		}
	}
	return out
}

// linker is a forest of sets that are united step by step (Galler and Fischer
// 1964).
type linker struct {
	*state
	above []int32 // by node: one of its set, itself at the top
	// linked has a member of each long segment whose members are linked already,
	// or none: such segments are mostly shared.
	linked map[segment]int32
}

func newLinker(st *state, nodes int) *linker {
	l := &linker{state: st, above: make([]int32, nodes), linked: map[segment]int32{}}
	for i := range l.above {
		l.above[i] = int32(i)
	}
	return l
}

func (l *linker) top(i int32) int32 {
	for l.above[i] != i {
		l.above[i] = l.above[l.above[i]]
		i = l.above[i]
	}
	return i
}

func (l *linker) link(i, j int32) { l.above[l.top(i)] = l.top(j) }

// mention links node with all reachable variables that f mentions.
func (l *linker) mention(node int32, f Formula) {
	l.spend(eachSegment(f, func(vars []Var) { l.segment(node, vars) }))
}

func (l *linker) segment(node int32, vars []Var) {
	if len(vars) < sharedMin {
		l.members(node, vars)
		return
	}
	key := segment{&vars[0], len(vars)}
	member, ok := l.linked[key]
	if !ok {
		member = l.members(none, vars)
		l.linked[key] = member
	}
	if member != none {
		l.link(node, member)
	}
}

// members links the reachable variables among vars with node, or if that is
// none with each other, and returns the last of them.
func (l *linker) members(node int32, vars []Var) int32 {
	if !l.spend(len(vars)) {
		return node
	}
	for _, v := range vars {
		i := l.vars.find(int32(v))
		if i == none || l.met[i].flags&reachable == 0 {
			continue
		}
		if node != none {
			l.link(node, i)
		}
		node = i
	}
	return node
}
