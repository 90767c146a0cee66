package world

import (
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Try is what solving a World comes to: a Solution, the Core of what contradicts itself, or
// an error. It belongs to one goroutine.
type Try struct {
	World
	// Problem is nil if the world cannot be read, or if a limit or the context ended the try.
	Problem  *Problem
	Solution *solver.Solution
	Core     []solver.Reason
	Err      error
	// Refused is true if the Problem is read but not resolved, for the reason Err.
	Refused bool
	// Limited is true if solving ended before it came to anything.
	Limited bool
}

// Read reads the world, and does not solve it.
func (w World) Read(ctx context.Context) *Try {
	t := &Try{World: w}
	t.Problem, t.Err = w.engine.Read(ctx, w.In)
	t.end()
	t.Refused = t.Err != nil && t.Problem != nil
	return t
}

// ReadEmpty reads the only scope without requests and installed bundles, on the given
// catalogs.
func (w World) ReadEmpty(ctx context.Context, seen inventory.Visibility) (*Problem, error) {
	return w.engine.ReadEmpty(ctx, w.In, seen)
}

// Try reads and solves the world.
func (w World) Try(ctx context.Context) *Try {
	t := w.Read(ctx)
	if t.Err == nil {
		t.solve(t.Problem.Model)
	}
	return t
}

// Satisfy is [World.Try] without the core, which takes most of the time of a failure: without
// a solution there is an error.
func (w World) Satisfy(ctx context.Context) *Try {
	t := w.Read(ctx)
	if t.Err == nil {
		t.Solution, t.Err = t.Problem.Satisfy(t.Problem.Model)
		t.end()
	}
	return t
}

// Ask tries the world and calls use with what comes of it. It does not if the world cannot be
// read, or if a limit or the context ends the try. A panic becomes an *Internal that names
// doing.
func (w World) Ask(ctx context.Context, doing string, use func(*Try) error) (err error) {
	if ctx.Err() != nil { // the rest of many calls then costs nothing
		return &result.Incomplete{Phase: "reading requests", Err: ctx.Err()}
	}
	defer pace.Recover(&err, doing, w.In.Subject)
	t := w.Try(ctx)
	if t.Problem == nil {
		return t.Err
	}
	return use(t)
}

// Solve returns the try of a problem made of the rules of the world's.
func (t *Try) Solve(of solver.Problem) *Try {
	again := *t
	again.solve(of)
	return &again
}

func (t *Try) solve(of solver.Problem) {
	t.Solution, t.Core, t.Err = t.Problem.Solve(of)
	_, limited := errors.AsType[*solver.Incomplete](t.Err)
	t.end()
	t.Limited = limited || t.Problem == nil
}

// end takes the problem away once something ended the try.
func (t *Try) end() {
	if t.Problem == nil {
		return
	}
	if ended := t.Problem.Model.Pace.Ended(); ended != nil {
		*t = Try{World: t.World, Err: ended}
	}
}

// Selects reports whether the solution has a bundle.
func (t *Try) Selects(v solver.Var) bool {
	return slices.ContainsFunc(t.Solution.Selected, func(sel solver.Selection) bool { return sel.Var == v })
}

// Failed returns why there is no solution: Err, or a *solver.Unsatisfiable with the Core.
func (t *Try) Failed() error {
	if t.Core != nil {
		return &solver.Unsatisfiable{Core: t.Core}
	}
	return t.Err
}

// Ctx returns the context of a try that has a Problem.
func (t *Try) Ctx() context.Context { return t.Problem.Model.Pace.Ctx }
