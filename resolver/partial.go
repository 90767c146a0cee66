package resolver

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/resolvent/resolvent/solver"
)

// resolvePartial resolves the requests that can hold together, taking them in
// their order; one that is left out keeps its installed bundle. Where not even
// leaving out every request helps, the original failure stands.
func (p *problem) resolvePartial(ctx context.Context, original error) (*Resolution, error) {
	sorted, err := p.leaveOut(ctx, true)
	if err != nil {
		return nil, p.failure(err)
	}
	if !sorted.ok {
		return nil, original
	}
	leftOut := make([]LeftOut, 0, 1)
	for _, b := range sorted.blocked {
		leftOut = append(leftOut, LeftOut{
			Request: p.requests[b.request].served(),
			Err:     p.explain(p.fromHeld(b.core)),
		})
	}
	for i := range p.requests {
		p.roots[i].Formula = sorted.hold[i]
	}
	solution, err := solver.Solve(ctx, p, p.solverOptions())
	if err != nil {
		return nil, p.failure(err)
	}
	out := p.resolution(solution.Selected, nil)
	out.LeftOut = leftOut
	return out, nil
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
func (p *problem) leaveOut(ctx context.Context, cores bool) (partition, error) {
	session, err := solver.NewSession(ctx, p, p.solverOptions())
	if err != nil {
		return partition{}, err
	}
	// Every request is relaxed first: it may keep what is installed as well.
	assume := solver.Assume{WithoutRoots: make([]int, len(p.requests)), Hold: make([]solver.Formula, len(p.requests))}
	for i := range p.requests {
		assume.WithoutRoots[i] = i
		assume.Hold[i] = p.relaxed(i)
	}
	sorted := partition{hold: assume.Hold}
	if sorted.ok, err = session.Satisfiable(ctx, assume); err != nil || !sorted.ok {
		return sorted, err
	}
	for from := 0; ; {
		// Requests only add demands, so the first that cannot hold is found by
		// halving.
		blocked := from + sort.Search(len(p.requests)-from, func(n int) bool {
			if err != nil {
				return true
			}
			var ok bool
			ok, err = session.Satisfiable(ctx, p.upTo(assume, from, from+n))
			return !ok
		})
		if err != nil || blocked == len(p.requests) {
			copy(assume.Hold, p.upTo(assume, from, len(p.requests)-1).Hold)
			return sorted, err
		}
		copy(assume.Hold, p.upTo(assume, from, blocked).Hold)
		b := blockedRequest{request: blocked}
		if cores {
			if b.core, err = session.Core(ctx, assume); err != nil {
				return sorted, err
			}
		}
		sorted.blocked = append(sorted.blocked, b)
		assume.Hold[blocked] = p.kept(blocked)
		from = blocked + 1
	}
}

// upTo returns the assumptions with the requests from first to last demanded in
// full.
func (p *problem) upTo(a solver.Assume, first, last int) solver.Assume {
	a.Hold = slices.Clone(a.Hold)
	for i := first; i <= last; i++ {
		a.Hold[i] = p.roots[i].Formula
	}
	return a
}

// always holds in every selection.
var always = &solver.And{}

// kept is what remains of a request that is left out.
func (p *problem) kept(i int) solver.Formula {
	if cur := p.requests[i].current; cur >= 0 {
		return solver.OneOf(p.installedVar(cur))
	}
	return always
}

// relaxed is a request that has not been looked at yet: it may hold or be left
// out.
func (p *problem) relaxed(i int) solver.Formula {
	kept := p.kept(i)
	if kept == always {
		return always
	}
	return &solver.Or{Parts: []solver.Formula{p.roots[i].Formula, kept}}
}

// fromHeld turns formulas that a session was asked to hold back into the
// requests that they stand for. A request that may keep what is installed says
// no less than one that must, so its reason is the same.
func (p *problem) fromHeld(core []solver.Reason) []solver.Reason {
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
	var e *NotSatisfiable
	return errors.As(err, &e)
}
