package resolver

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// resolvePartial resolves the requests that can hold together, taking them in
// their order; one that is left out keeps its installed bundle. Where not even
// leaving out every request helps, the original failure stands.
func resolvePartial(ctx context.Context, m *model, original error) ([]*result.Resolution, error) {
	sorted, err := leaveOut(ctx, m, true)
	if err != nil {
		return nil, failure(m, err)
	}
	if !sorted.ok {
		return nil, original
	}
	leftOut := make([][]result.LeftOut, len(m.parts))
	for _, b := range sorted.blocked {
		p, asked := m.root(b.request)
		leftOut[p.index] = append(leftOut[p.index], result.LeftOut{Request: asked.served(), Err: explain(m, fromHeld(b.core))})
	}
	left := withRoots{m, slices.Clone(m.roots)}
	for i := range left.roots {
		left.roots[i].Formula = sorted.hold[i]
	}
	solution, err := solver.Solve(ctx, left, solverOptions(m.options))
	if err != nil {
		return nil, failure(m, err)
	}
	resolutions := resolutionsOf(m, solution)
	for i := range resolutions {
		resolutions[i].LeftOut = leftOut[i]
	}
	return resolutions, nil
}

// partition says which requests have to be left out for the others.
type partition struct {
	// ok is false if leaving requests out does not help.
	ok      bool
	blocked []blockedRequest
	// hold is what remains to be asked for in place of each request.
	hold []solver.Formula
}

// blockedRequest is a request that cannot hold together with those before it,
// and the core that says why, if that was asked for.
type blockedRequest struct {
	request int
	core    []solver.Reason
}

// leaveOut takes the requests in their order and leaves out those that cannot
// hold together with the ones before.
func leaveOut(ctx context.Context, m *model, cores bool) (partition, error) {
	session, err := solver.NewSession(ctx, m, solverOptions(m.options), keepable(m)...)
	if err != nil {
		return partition{}, err
	}
	// Every request is relaxed first: it may keep what is installed as well.
	requests := len(m.roots)
	assume := solver.Assume{WithoutRoots: make([]int, requests), Hold: make([]solver.Formula, requests)}
	for i := range requests {
		assume.WithoutRoots[i] = i
		assume.Hold[i] = relaxed(m, i)
	}
	sorted := partition{hold: assume.Hold}
	if sorted.ok, err = session.Satisfiable(ctx, assume); err != nil || !sorted.ok {
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
		b := blockedRequest{request: blocked}
		if cores {
			if b.core, err = session.Core(ctx, assume); err != nil {
				return sorted, err
			}
		}
		sorted.blocked = append(sorted.blocked, b)
		assume.Hold[blocked] = kept(m, blocked)
		from = blocked + 1
	}
}

// upTo returns the assumptions with the requests from first to last demanded in
// full.
func upTo(m *model, a solver.Assume, first, last int) solver.Assume {
	a.Hold = slices.Clone(a.Hold)
	roots := m.roots
	for i := first; i <= last; i++ {
		a.Hold[i] = roots[i].Formula
	}
	return a
}

// always holds in every selection.
var always = &solver.And{}

// keepable lists what requests have installed. A request that cannot be met does
// not lead to it.
func keepable(m *model) []solver.Var {
	var list []solver.Var
	for i := range m.roots {
		list = positive(kept(m, i), list)
	}
	return list
}

// kept is what remains of a request that is left out.
func kept(m *model, i int) solver.Formula {
	if p, asked := m.root(i); asked.current >= 0 {
		return solver.OneOf(p.installedVar(asked.current))
	}
	return always
}

// relaxed is a request that has not been looked at yet: it may hold or be left
// out.
func relaxed(m *model, i int) solver.Formula {
	kept := kept(m, i)
	if kept == always {
		return always
	}
	return &solver.Or{Parts: []solver.Formula{m.roots[i].Formula, kept}}
}

// fromHeld turns formulas that a session was asked to hold back into the
// requests that they stand for. A request that may keep what is installed says
// no less than one that must, so its reason is the same.
func fromHeld(core []solver.Reason) []solver.Reason {
	for i, r := range core {
		if r.Kind == solver.KindHold {
			core[i] = solver.Reason{Kind: solver.KindRoot, Var: solver.None, Rule: r.Rule}
		}
	}
	return core
}

// unsatisfied reports whether a failure is one that leaving requests out may
// mend.
func unsatisfied(err error) bool {
	var e *result.NotSatisfiable
	return errors.As(err, &e)
}
