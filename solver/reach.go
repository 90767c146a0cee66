package solver

// reach returns the universe of the problem: the numbers of the variables that can be selected
// at all. It flags them as reachable. They are the given variables, the candidates of roots,
// the further variables and, breadth first, the candidates of the rules of each. It must be
// called once per problem.
func reach(st *state, further []Var) ([]int32, error) {
	st.phase = phaseEncode
	defer func() { st.phase = phaseSearch }()
	w := walker{state: st, walked: map[segment]bool{}}
	w.visit(st.problem.Given())
	for _, root := range st.roots() {
		w.visitCandidates(root.Formula)
	}
	w.visit(further)
	w.follow()
	return w.universe, st.err
}

type walker struct {
	*state
	universe []int32
	walked   map[segment]bool // long segments, which are mostly shared
}

// follow visits the candidates of the rules of all that was visited.
func (w *walker) follow() {
	for n := 0; n < len(w.universe) && w.proceed(1); n++ {
		for _, rule := range w.rules(w.universe[n]) {
			w.visitCandidates(rule.Formula)
		}
	}
}

func (w *walker) visitCandidates(f Formula) {
	if choice, ok := f.(*Choice); ok {
		for _, vars := range choice.Candidates {
			w.visitSegment(vars)
		}
		return
	}
	parts, _ := partsOf(f)
	for _, part := range parts {
		w.visitCandidates(part)
	}
}

func (w *walker) visitSegment(vars []Var) {
	if len(vars) >= sharedMin {
		key := segment{&vars[0], len(vars)}
		if w.walked[key] {
			return
		}
		w.walked[key] = true
	}
	w.visit(vars)
}

func (w *walker) visit(vars []Var) {
	for _, v := range vars {
		if !w.proceed(1) {
			return
		}
		i := w.number(v)
		if i == none || w.info[i].flags&reachable != 0 {
			continue
		}
		w.info[i].flags |= reachable
		w.universe = append(w.universe, i)
	}
}
