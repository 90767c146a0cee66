package solver

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/solver/internal/numbers"
)

// Components divides p into problems that share no clause, as if the further variables could be
// selected, too. It returns the number of the component of each given and further variable, and of
// each root. The errors are those of [Solve] except *Unsatisfiable.
func Components(ctx context.Context, p Problem, further ...Var) (vars map[Var]int32, roots []int32, err error) {
	defer recoverInto(&err)
	parts, err := readPartition(ctx, p, further)
	if err != nil {
		return nil, nil, err
	}
	vars = map[Var]int32{}
	for _, v := range slices.Concat(p.Given(), further) {
		vars[v] = parts.sets.Find(parts.vars.Find(int32(v)))
	}
	for i := range parts.roots {
		roots = append(roots, parts.sets.Find(parts.root(i)))
	}
	return vars, roots, nil
}

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
	*state
	universe []int32
	roots    int
	sets     numbers.Sets // of variables and roots
	// united has one member, or none, of each long segment whose members are already
	// united. Long segments are mostly shared.
	united map[segment]int32
	stuck  map[int32]bool // representatives of the components to encode
}

// readPartition reads p and splits it.
func readPartition(ctx context.Context, p Problem, further []Var) (*partition, error) {
	st := &state{}
	st.begin(ctx, p)
	universe, err := reach(st, further)
	if err != nil {
		return nil, err
	}
	return newPartition(st, universe), st.err
}

// newPartition connects variables and roots that share clauses: a variable or root with all
// variables in its formulas, and the members of a group with each other.
func newPartition(st *state, universe []int32) *partition {
	roots := st.roots()
	p := &partition{
		state: st, universe: universe, roots: len(roots),
		sets: numbers.NewSets(len(st.info) + len(roots)), united: map[segment]int32{}, stuck: map[int32]bool{},
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

// uniteMentioned unites node with all reachable variables in f.
func (p *partition) uniteMentioned(node int32, f Formula) {
	p.proceed(eachSegment(f, func(vars []Var) { p.segment(node, vars) }))
}

func (p *partition) segment(node int32, vars []Var) {
	if len(vars) < sharedMin {
		p.members(node, vars)
		return
	}
	key := segment{&vars[0], len(vars)}
	member, ok := p.united[key]
	if !ok {
		member = p.members(none, vars)
		p.united[key] = member
	}
	if member != none {
		p.sets.Union(node, member)
	}
}

// members unites the reachable variables among vars with node, or with each other
// if node is none. It returns the last of them.
func (p *partition) members(node int32, vars []Var) int32 {
	if !p.proceed(len(vars)) {
		return node
	}
	for _, v := range vars {
		i := p.vars.Find(int32(v))
		if i == none || p.info[i].flags&reachable == 0 {
			continue
		}
		if node != none {
			p.sets.Union(node, i)
		}
		node = i
	}
	return node
}
