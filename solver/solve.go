package solver

import (
	"context"
	"runtime/debug"
	"sync"
)

// Solve returns the answer to p that the package comment describes.
//
// Its errors are *[Unsatisfiable]; *[Incomplete] if ctx ended, which it notices
// within 50 ms; *[Invalid] and *[TooLarge] for problems that cannot be
// encoded; and *[Internal], also if a method of p panics.
//
// Any number of solves may run at a time.
func Solve(ctx context.Context, p Problem, o Options) (solution *Solution, err error) {
	defer recoverInto(&err)
	w := workspaces.Get().(*workspace)
	w.begin(ctx, p)
	solution, err = w.solve(o.withDefaults())
	// After a panic the workspace is left to the garbage collector.
	w.release()
	return solution, err
}

// workspace is the memory of one solve. It is kept for the next, as most
// solves touch little and end in microseconds.
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

// maxKept is the number of variables above which a workspace is not kept.
const maxKept = 1 << 16

func (w *workspace) release() {
	if len(w.met) > maxKept || cap(w.search.queue) > maxKept {
		return
	}
	w.search.reset()
	w.state.end()
	workspaces.Put(w)
}

// restart forgets a search, but not what the problem said.
func (w *workspace) restart() {
	w.state.restart()
	w.search.reset()
	w.refuter.reset()
}

func (w *workspace) solve(o Options) (*Solution, error) {
	if !o.satOnly {
		w.refuter.reset()
		solution, err := w.search.run(&w.refuter)
		if err != errDeadEnd {
			return solution, err
		}
	}
	stuck := w.search.stuck
	universe, err := reach(&w.state, nil)
	if err != nil {
		return nil, err
	}
	if o.satOnly {
		return w.decide(whole(&w.state, universe), o)
	}
	parts := newPartition(&w.state, universe)
	for parts.add(stuck) {
		solution, err := w.decide(parts.part(), o)
		if err != errDeadEnd {
			return solution, err
		}
		stuck = w.search.stuck
	}
	return nil, &Internal{Value: "nothing is possible for a demand that can be met"}
}

// decide searches for the answer with a SAT solver for the part p. The error is
// errDeadEnd if the search got stuck in the rest.
func (w *workspace) decide(p part, o Options) (*Solution, error) {
	w.restart()
	e, err := encode(&w.state, p, o, false)
	if err != nil {
		return nil, err
	}
	oracle, ok := newOracle(&w.refuter, e)
	switch {
	case w.err != nil:
		return nil, w.err
	case !ok && o.NoCore:
		return nil, &Unsatisfiable{}
	case !ok:
		return nil, w.explain(p, o)
	}
	return w.search.run(oracle)
}

// explain returns why the problem cannot be satisfied.
func (w *workspace) explain(p part, o Options) error {
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
