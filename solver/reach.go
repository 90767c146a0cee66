package solver

// reach returns the universe of the problem, the numbers of the variables that
// can be selected at all, and flags them as reachable: what is given, the
// candidates of roots, the further variables, and then, breadth first, the
// candidates of the rules of each. It must be called once for a problem.
func reach(st *state, further []Var) ([]int32, error) {
	st.phase = PhaseEncode
	defer func() { st.phase = PhaseSearch }()
	w := walker{state: st, walked: map[segment]bool{}}
	w.meet(st.problem.Given())
	for _, root := range st.roots() {
		w.meetCandidates(root.Formula)
	}
	w.meet(further)
	for n := 0; n < len(w.universe) && st.spend(1); n++ {
		for _, rule := range st.rules(w.universe[n]) {
			w.meetCandidates(rule.Formula)
		}
	}
	return w.universe, st.err
}

type walker struct {
	*state
	universe []int32
	walked   map[segment]bool // long segments, which are mostly shared
}

func (w *walker) meetCandidates(f Formula) {
	if choice, ok := f.(*Choice); ok {
		for _, vars := range choice.Candidates {
			w.meetShared(vars)
		}
		return
	}
	parts, _ := partsOf(f)
	for _, part := range parts {
		w.meetCandidates(part)
	}
}

func (w *walker) meetShared(vars []Var) {
	if len(vars) >= sharedMin {
		key := segment{&vars[0], len(vars)}
		if w.walked[key] {
			return
		}
		w.walked[key] = true
	}
	w.meet(vars)
}

func (w *walker) meet(vars []Var) {
	for _, v := range vars {
		if !w.spend(1) {
			return
		}
		i := w.number(v)
		if i == none || w.met[i].flags&reachable != 0 {
			continue
		}
		w.met[i].flags |= reachable
		w.universe = append(w.universe, i)
	}
}
