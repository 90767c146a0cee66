package solver

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"sync"
)

// Solve returns the answer to p that the package comment defines.
//
// Its errors are [*Unsatisfiable]; [*Incomplete], within 50 ms after ctx ends; [*Invalid] and
// [*TooLarge] for problems that cannot be encoded; and [*Internal], also for a panic of a
// method of p.
//
// It is safe for concurrent use.
func Solve(ctx context.Context, p Problem, o Options) (solution *Solution, err error) {
	defer recoverInto(&err)
	w := workspaces.Get().(*workspace)
	w.begin(ctx, p)
	solution, err = w.solve(o.withDefaults())
	// After a panic the workspace is left to the garbage collector.
	w.release()
	return solution, err
}

// workspace is the memory of one solve. It is pooled, because most solves take microseconds.
type workspace struct {
	state
	search  search
	refuter refuter
}

var workspaces = sync.Pool{New: func() any {
	w := new(workspace)
	w.search.state = &w.state
	w.refuter.state = &w.state
	return w
}}

func (w *workspace) release() {
	if len(w.info) > maxKept || cap(w.search.queue) > maxKept {
		return
	}
	w.search.reset()
	w.state.end()
	workspaces.Put(w)
}

// restart clears the search but keeps the rules and groups of variables.
func (w *workspace) restart() {
	w.state.restart()
	w.search.reset()
	w.refuter.reset()
}

func (w *workspace) solve(o Options) (*Solution, error) {
	var stuck []obligation
	if !o.satOnly {
		w.refuter.reset()
		solution, err := w.search.run(&w.refuter)
		if err != errDeadEnd {
			return solution, err
		}
		stuck = w.search.stuck
		if solution, err = w.solveNearby(stuck, o); err != errDeadEnd {
			return solution, err
		}
		stuck = append(stuck, w.search.stuck...)
	}
	universe, err := reach(&w.state, nil)
	if err != nil {
		return nil, err
	}
	if o.satOnly {
		return w.solveWithSAT(fullScope(&w.state, universe), o)
	}
	components := newPartition(&w.state, universe)
	for components.add(stuck) {
		solution, err := w.solveWithSAT(components.scope(), o)
		if err != errDeadEnd {
			return solution, err
		}
		stuck = w.search.stuck
	}
	return nil, &Internal{Value: "nothing is possible for a demand that can be satisfied"}
}

// solveNearby tries the part of the problem that a search got stuck in. The error is errDeadEnd
// if that is not enough.
func (w *workspace) solveNearby(stuck []obligation, o Options) (*Solution, error) {
	w.search.stuck = nil
	if p, ok := nearby(&w.state, stuck); ok && len(p.roots) == 1 && len(p.vars) == 0 { // nothing satisfies it
		return nil, &Unsatisfiable{Core: []Reason{{Kind: KindRoot, Var: None, Rule: p.roots[0]}}}
	} else if ok {
		if solution, err := w.solveWithSAT(p, o); err != errDeadEnd {
			return solution, err
		}
	}
	for i := range w.info {
		w.info[i].flags &^= reachable
	}
	return nil, errDeadEnd
}

// solveWithSAT searches for the answer with a SAT solver for the scope p. The error is
// errDeadEnd if the search gets stuck outside of p.
func (w *workspace) solveWithSAT(p scope, o Options) (*Solution, error) {
	w.restart()
	if !o.satOnly && w.hopeless(p) {
		if o.NoCore {
			return nil, cmp.Or(w.err, error(&Unsatisfiable{}))
		}
		return nil, w.explain(p, o)
	}
	e, err := encode(&w.state, p, o, false)
	if err != nil {
		return nil, err
	}
	satTester, possible := newSATTester(&w.refuter, e)
	switch {
	case w.err != nil:
		return nil, w.err
	case !possible && o.NoCore:
		return nil, &Unsatisfiable{}
	case !possible:
		return nil, w.explain(p, o)
	}
	return w.search.run(satTester)
}

// hopeless reports whether the refuter alone shows that the given variables and the roots of p
// contradict each other. So most contradictions are encoded only once, for their core.
func (w *workspace) hopeless(p scope) bool {
	defer w.restart()
	r := &w.refuter
	for _, i := range p.roots {
		r.addCommitment(w.roots()[i].Formula, obligation{})
	}
	for _, v := range w.problem.Given() {
		i := w.number(v)
		if !w.proceed(1) || w.info[i].flags&reachable == 0 || w.info[i].flags&selected != 0 {
			continue // p has all that is reachable and shares clauses with it
		}
		if !r.canSelect(i, nil) {
			return w.err == nil
		}
		r.addSelected(i)
	}
	return slices.ContainsFunc(p.roots, func(i int) bool { return !r.canHold(w.roots()[i].Formula, obligation{}) }) && w.err == nil
}

// explain returns an *Unsatisfiable with its core.
func (w *workspace) explain(p scope, o Options) error {
	e, err := encode(&w.state, p, o, true)
	if err != nil {
		return err
	}
	core, err := e.core(e.demands())
	if err != nil {
		return err
	}
	if core == nil {
		return &Internal{Value: "the two encodings of a problem disagree"}
	}
	return &Unsatisfiable{Core: core}
}

// recoverInto turns a panic into an *Internal in err.
func recoverInto(err *error) {
	if r := recover(); r != nil {
		*err = &Internal{Value: r, Stack: debug.Stack()}
	}
}
