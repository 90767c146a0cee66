package solver

import "slices"

// neighborhood grows the part of a problem that a search got stuck in. It begins with the
// demands for which nothing is possible. It adds the candidates of all that it has, and what
// the search read that they share a clause with. So it leaves the rest of the problem unread,
// where the same choices as before remain.
//
// An answer found with the SAT solver on such a part is the one that is sought: a choice is
// possible if the search ends, and what the solver rules out with a part of the clauses is
// impossible with all of them. If the search gets stuck outside, the part was too small.
type neighborhood struct {
	walker
	next  int       // in the universe, whose rules are to be followed
	read  []int32   // variables that the search read
	by    [][]int32 // of these, by number of group, without the groups that were added
	roots []bool
	// touching has, by long segment, whether it has a variable of the part.
	touching map[segment]bool
	// further is set if a choice has further candidates: which of them can be selected
	// depends on the whole problem.
	further bool
}

// nearby returns the part of a problem that a search got stuck in, and whether it is one that
// can be solved by itself.
func nearby(st *state, stuck []obligation) (scope, bool) {
	st.phase = phaseEncode
	defer func() { st.phase = phaseSearch }()
	n := neighborhood{
		walker: walker{state: st, walked: map[segment]bool{}}, read: make([]int32, 0, len(st.info)),
		roots: make([]bool, len(st.roots())), touching: map[segment]bool{},
	}
	for i := range int32(len(st.info)) {
		if st.info[i].flags&loaded != 0 {
			n.read = append(n.read, i)
		}
	}
	n.by = st.membersOf(&st.inverter, len(n.read), func(x int) int32 { return n.read[x] })
	for _, o := range stuck {
		if o.owner == none {
			n.roots[o.rule] = true
			n.include(st.roots()[o.rule].Formula)
		} else {
			n.add(o.owner)
		}
	}
	for range maxGrowths {
		grown := n.forward()
		if grown = n.backward() || grown; n.further || st.err != nil {
			return scope{}, false
		}
		if !grown {
			return n.scope(), true
		}
	}
	return scope{}, false
}

// scope returns the part, its variables in the order of reach: so a core is the same as that of
// the component.
func (n *neighborhood) scope() scope {
	var p scope
	given := slices.DeleteFunc(slices.Clone(n.problem.Given()), func(v Var) bool { return !n.has(v, reachable) })
	for _, i := range n.universe {
		n.info[i].flags &^= reachable
	}
	w := walker{state: n.state, walked: map[segment]bool{}}
	w.visit(given)
	for i, in := range n.roots {
		if in {
			p.roots = append(p.roots, i)
			w.visitCandidates(n.state.roots()[i].Formula)
		}
	}
	w.follow()
	p.vars = w.universe
	return p
}

func (n *neighborhood) add(i int32) {
	if n.info[i].flags&reachable == 0 {
		n.info[i].flags |= reachable
		n.universe = append(n.universe, i)
	}
}

// include adds the candidates of a formula, and what else in it the search read.
func (n *neighborhood) include(f Formula) {
	n.visitCandidates(f)
	n.proceed(eachSegment(f, func(vars []Var) {
		n.proceed(len(vars))
		for _, v := range vars {
			if i := n.vars.Find(int32(v)); i != none && n.info[i].flags&loaded != 0 {
				n.add(i)
			}
		}
	}))
}

// forward adds what the variables of the part require, exclude and share groups with. It
// reports whether there is any.
func (n *neighborhood) forward() bool {
	before := len(n.universe)
	for ; n.next < len(n.universe) && n.proceed(1); n.next++ {
		i := n.universe[n.next]
		for _, rule := range n.state.rules(i) {
			n.further = n.further || hasFurther(rule.Formula)
			n.include(rule.Formula)
		}
		for _, g := range n.groupsOf(i) {
			if int(g) < len(n.by) {
				for _, x := range n.by[g] {
					n.add(n.read[x])
				}
				n.by[g] = nil
			}
		}
	}
	return len(n.universe) > before
}

// backward adds the roots and variables read whose formulas have variables of the part. It
// reports whether there are any.
func (n *neighborhood) backward() (grown bool) {
	clear(n.touching)
	for i, root := range n.state.roots() {
		n.further = n.further || hasFurther(root.Formula)
		if !n.roots[i] && n.touches(root.Formula) {
			n.roots[i], grown = true, true
			n.include(root.Formula)
		}
	}
	for _, i := range n.read {
		rules := n.state.rules(i)
		n.further = n.further || slices.ContainsFunc(rules, func(r Rule) bool { return hasFurther(r.Formula) })
		if n.info[i].flags&reachable == 0 && slices.ContainsFunc(rules, func(r Rule) bool { return n.touches(r.Formula) }) {
			n.add(i)
			grown = true
		}
	}
	return grown
}

// touches reports whether a formula has a variable of the part.
func (n *neighborhood) touches(f Formula) (touches bool) {
	n.proceed(eachSegment(f, func(vars []Var) {
		if touches = touches || len(vars) < sharedMin && n.hasAny(vars, reachable); touches || len(vars) < sharedMin {
			return
		}
		key := segment{&vars[0], len(vars)}
		known, ok := n.touching[key]
		if !ok {
			known = n.hasAny(vars, reachable)
			n.touching[key] = known
		}
		touches = known
	}))
	return touches
}

// hasFurther reports whether a choice in f has further candidates.
func hasFurther(f Formula) bool {
	if choice, ok := f.(*Choice); ok {
		return len(choice.Also) > 0
	}
	parts, _ := partsOf(f)
	return slices.ContainsFunc(parts, hasFurther)
}
