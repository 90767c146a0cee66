package outcome

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// partially resolves the requests that can hold together, taking them in
// their order; one that is left out keeps its installed bundle. Where not even
// leaving out every request helps, the original failure stands.
func partially(ctx context.Context, m *engine.Problem, original error) ([]*result.Resolution, error) {
	sorted, err := leaveOut(ctx, m, true)
	if err != nil {
		return nil, explain.Failure(m, err)
	}
	if !sorted.OK {
		return nil, original
	}
	leftOut := make([][]result.LeftOut, len(m.Model.Parts))
	for _, b := range sorted.Blocked {
		p, request := m.Root(b.Request)
		leftOut[p.Index] = append(leftOut[p.Index], result.LeftOut{Request: request.Key(), Err: explain.Explain(m, fromHeld(b.core))})
	}
	left := model.WithRoots{Model: m.Model, Demands: slices.Clone(m.Model.Demands)}
	for i := range left.Demands {
		left.Demands[i].Formula = sorted.hold[i]
	}
	solution, err := solver.Solve(ctx, left, engine.SolverOptions(m.Model.In.Options))
	if err != nil {
		return nil, explain.Failure(m, err)
	}
	resolutions := answer.ResolutionsOf(m, solution)
	for i := range resolutions {
		resolutions[i].LeftOut = leftOut[i]
	}
	return resolutions, nil
}

// partition divides requests into those that hold together and the others.
type partition struct {
	// OK is false if leaving requests out does not help.
	OK      bool
	Blocked []blockedRequest
	// hold is what remains demanded in place of each request.
	hold []solver.Formula
}

// blockedRequest is a request that cannot hold together with those before it,
// and the core that says why, where cores are wanted.
type blockedRequest struct {
	Request int
	core    []solver.Reason
}

// leaveOut takes the requests in their order and leaves out those that cannot
// hold together with the ones before.
func leaveOut(ctx context.Context, m *engine.Problem, cores bool) (partition, error) {
	session, err := solver.NewSession(ctx, m.Model, engine.SolverOptions(m.Model.In.Options), keepable(m)...)
	if err != nil {
		return partition{}, err
	}
	// Every request is relaxed first: it may keep what is installed as well.
	requests := len(m.Model.Demands)
	assume := solver.Assume{WithoutRoots: make([]int, requests), Hold: make([]solver.Formula, requests)}
	for i := range requests {
		assume.WithoutRoots[i] = i
		assume.Hold[i] = relaxed(m, i)
	}
	sorted := partition{hold: assume.Hold}
	if sorted.OK, err = session.Satisfiable(ctx, assume); err != nil || !sorted.OK {
		return sorted, err
	}
	for from := 0; ; {
		// Requests only add demands, so the first that cannot hold is found by
		// halving. Where one is blocked the next often is, and so what is halved
		// is found by doubling.
		fails := func(n int) bool {
			if err != nil {
				return true
			}
			var ok bool
			ok, err = session.Satisfiable(ctx, upTo(m, assume, from, from+n))
			return !ok
		}
		low, high := 0, 1
		for from+high <= requests && !fails(high-1) {
			low, high = high, 2*high
		}
		high = min(high-1, requests-from)
		blocked := from + low + sort.Search(high-low, func(n int) bool { return fails(low + n) })
		if err != nil || blocked == requests {
			copy(assume.Hold, upTo(m, assume, from, requests-1).Hold)
			return sorted, err
		}
		copy(assume.Hold, upTo(m, assume, from, blocked).Hold)
		b := blockedRequest{Request: blocked}
		if cores {
			if b.core, err = session.Core(ctx, assume); err != nil {
				return sorted, err
			}
		}
		sorted.Blocked = append(sorted.Blocked, b)
		assume.Hold[blocked] = kept(m, blocked)
		from = blocked + 1
	}
}

// upTo returns the assumptions with the requests from first to last demanded in
// full.
func upTo(m *engine.Problem, a solver.Assume, first, last int) solver.Assume {
	a.Hold = slices.Clone(a.Hold)
	for i := first; i <= last; i++ {
		a.Hold[i] = m.Model.Demands[i].Formula
	}
	return a
}

// always holds in every selection.
var always = &solver.And{}

// keepable lists what requests have installed. A request without a solution does not
// lead to it.
func keepable(m *engine.Problem) []solver.Var {
	var list []solver.Var
	for i := range m.Model.Demands {
		list = candidate.Positive(kept(m, i), list)
	}
	return list
}

// kept is what remains of a request that is left out.
func kept(m *engine.Problem, i int) solver.Formula {
	if p, request := m.Root(i); request.Current >= 0 {
		return solver.OneOf(p.InstalledVar(request.Current))
	}
	return always
}

// relaxed is a request of which it is open yet whether it holds or is left out.
func relaxed(m *engine.Problem, i int) solver.Formula {
	kept := kept(m, i)
	if kept == always {
		return always
	}
	return &solver.Or{Parts: []solver.Formula{m.Model.Demands[i].Formula, kept}}
}

// fromHeld replaces formulas that a session held by the requests that they stand
// for. A request that may keep what is installed says
// no less than one that must, so its reason is the same.
func fromHeld(core []solver.Reason) []solver.Reason {
	for i, r := range core {
		if r.Kind == solver.KindHold {
			core[i] = solver.Reason{Kind: solver.KindRoot, Var: solver.None, Rule: r.Rule}
		}
	}
	return core
}

// Unsatisfied reports whether leaving requests out may correct a failure.
func Unsatisfied(err error) bool {
	_, ok := errors.AsType[*result.NotSatisfiable](err)
	return ok
}
