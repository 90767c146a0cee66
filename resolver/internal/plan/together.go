package plan

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// togetherTries bounds how many updates a search tries.
const togetherTries = 300

// maxTogether bounds how many requests a group has: each more multiplies what there is to try.
const maxTogether = 4

// group is a search for the fewest updates of some rows of a namespace after which the first
// may run within limits, and no other has lost that. Updates go through the channels as they
// are, and only those are made at once that cannot be made one after another.
type group struct {
	engine *engine.Engine
	in     model.Inputs
	rows   []updates.Status
	limits *model.ClusterLimits
	hop    string
	budget int
	// members are indexes of rows, and more those of others that were in the way.
	members, more []int
}

// stage is the namespace after some moves.
type stage struct {
	cluster *cluster.Index
	moves   []move
	updates int
}

// move is an update of a row, and of those that are updated at once.
type move struct {
	row  int
	step updates.Step
}

// choice is a candidate of a member that takes the place of what is installed.
type choice struct {
	member int
	v      solver.Var
}

// moveTogether moves the first row that only needs others to be updated before or with it, and
// reports whether there was one.
func moveTogether(ctx context.Context, e *engine.Engine, in *model.Inputs, rows []updates.Status, limits *model.ClusterLimits, hop string) (bool, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var now *engine.Problem
	for i := range rows {
		target := rows[i].Target
		none, ok := errors.AsType[*updates.NoPath](target.Err)
		if !ok || len(none.Blocked) == 0 || target.Blocks != cmp.Or(hop, "target") {
			continue
		}
		if now == nil {
			var err error
			if now, err = e.Read(ctx, stop, *in); err != nil {
				return false, nil // it was told of the rows
			}
		}
		found := together(ctx, now, &group{engine: e, in: *in, rows: rows, limits: limits, hop: hop, members: []int{i}, budget: min(togetherTries, route.Budget(in.Options))})
		if ctx.Err() != nil {
			return false, &result.Incomplete{Phase: "searching a path", Err: ctx.Err()}
		}
		if found == nil {
			continue
		}
		var moved []cluster.RequestKey
		for _, m := range found.moves {
			request := rows[m.row].Request
			m.step.Hop, m.step.Refusal = hop, target.Refusal
			m.step.After = slices.DeleteFunc(slices.Clone(moved), func(earlier cluster.RequestKey) bool { return earlier == request })
			if !slices.Contains(moved, request) {
				moved = append(moved, request)
			}
			rows[m.row].Target.Updates = append(rows[m.row].Target.Updates, m.step)
		}
		in.Cluster = found.cluster
		target.Blocks, target.Until, target.Err = "", "", nil
		return true, nil
	}
	return false, nil
}

// together finds the updates that let a row move which cannot by itself; nil if there are none
// among the few that are tried. What is in the way of a group joins it.
func together(ctx context.Context, now *engine.Problem, g *group) *stage {
	for len(g.members) <= maxTogether {
		if found := g.search(ctx, now); found != nil || len(g.more) == 0 {
			return found
		}
		g.members, g.more = append(g.members, g.more...), nil
	}
	return nil
}

// search takes the stages in the order of their updates.
func (g *group) search(ctx context.Context, now *engine.Problem) *stage {
	open, seen := []stage{{cluster: g.in.Cluster}}, map[[maxTogether]string]bool{}
	var first []bool
	for len(open) > 0 && g.budget > 0 && ctx.Err() == nil {
		least := 0
		for k := range open {
			if open[k].updates < open[least].updates {
				least = k
			}
		}
		at := open[least]
		open = slices.Delete(open, least, least+1)
		next, refused := g.follow(ctx, now, at, seen)
		if first == nil {
			first = refused
		}
		if refused != nil && !refused[0] && !lost(first, refused) {
			return &at
		}
		open = append(open, next...)
	}
	return nil
}

// lost reports whether a member is refused that was not at first.
func lost(first, now []bool) bool {
	for k := range now {
		if now[k] && !first[k] {
			return true
		}
	}
	return false
}

// follow returns the stages after one, and which members are refused at it; nil if it was seen.
func (g *group) follow(ctx context.Context, m *engine.Problem, at stage, seen map[[maxTogether]string]bool) (next []stage, refused []bool) {
	if len(at.moves) > 0 {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		in := g.in
		in.Cluster = at.cluster
		var err error
		if m, err = g.engine.Read(ctx, stop, in); err != nil {
			return nil, nil
		}
	}
	p := m.Scopes[0].Part
	installed := map[int]solver.Var{}
	for root := range m.Scopes[0].Requests {
		if r := &m.Scopes[0].Requests[root]; r.Current >= 0 && slices.Contains(r.List.Candidates, p.InstalledVar(r.Current)) {
			installed[root] = p.InstalledVar(r.Current)
		} // else it fails, or cannot stay
	}
	var key [maxTogether]string
	roots, newer := make([]int, len(g.members)), make([][]solver.Var, len(g.members))
	for k, row := range g.members {
		roots[k] = rootOf(m, g.rows[row].Request)
		r := &m.Scopes[0].Requests[roots[k]]
		key[k] = p.Installed[r.Current].Name()
		refused = append(refused, refusal(p, r, g.limits, g.hop) != nil)
		newer[k] = slices.DeleteFunc(slices.Clone(r.List.Candidates), func(v solver.Var) bool { return p.AsInstalled(v) != nil })
	}
	if seen[key] {
		return nil, nil
	}
	seen[key] = true
	stays := m.Only(installed)
	var possible [][]choice
	for size := range roots {
		choose(newer, nil, size+1, func(chosen []choice) {
			needless := func(part []choice) bool {
				return !slices.ContainsFunc(part, func(c choice) bool { return !slices.Contains(chosen, c) })
			}
			if g.budget--; g.budget < 0 || slices.ContainsFunc(possible, needless) {
				return
			}
			moves := map[int]solver.Var{}
			for _, c := range chosen {
				moves[roots[c.member]] = c.v
			}
			resolution := g.solve(ctx, stays.Only(moves))
			if resolution == nil {
				return
			}
			possible = append(possible, slices.Clone(chosen))
			after := stage{route.After(at.cluster, resolution), slices.Clone(at.moves), at.updates + len(chosen)}
			inventory.Share(g.in.Cluster, after.cluster)
			lead := chosen[max(0, slices.IndexFunc(chosen, func(c choice) bool { return refused[c.member] }))]
			after.moves = append(after.moves, move{g.members[lead.member], updates.Step{Bundle: p.NameOf(lead.v), Resolution: resolution}})
			next = append(next, after)
		})
	}
	return next, refused
}

// choose hands over all choices of candidates for as many members as size.
func choose(newer [][]solver.Var, chosen []choice, size int, use func([]choice)) {
	if size == 0 {
		use(chosen)
		return
	}
	first := 0
	if n := len(chosen); n > 0 {
		first = chosen[n-1].member + 1
	}
	for member := first; member < len(newer); member++ {
		for _, v := range newer[member] {
			choose(newer, append(chosen, choice{member, v}), size-1, use)
		}
	}
}

// solve returns nil where the members cannot move so. Rows in the way of that are noted.
func (g *group) solve(ctx context.Context, m *engine.Problem) *result.Resolution {
	solution, err := m.Solve(ctx)
	if err == nil {
		return answer.ResolutionsOf(m, solution)[0]
	}
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		for _, reason := range unsatisfiable.Core {
			pkg := ""
			if reason.Kind == solver.KindRoot {
				pkg = m.Scopes[0].Requests[reason.Rule].PackageName()
			} else if reason.Kind == solver.KindRule {
				pkg = m.Scopes[0].Part.Ref(reason.Var).Bundle.Package
			}
			for k := range g.rows {
				if g.rows[k].Package == pkg && g.rows[k].Installed != "" && g.rows[k].State != updates.PendingApproval && !slices.Contains(g.members, k) && !slices.Contains(g.more, k) {
					g.more = append(g.more, k)
				}
			}
		}
	}
	return nil
}

// rootOf is the index of a request in the only scope of a problem.
func rootOf(m *engine.Problem, key cluster.RequestKey) int {
	return slices.IndexFunc(m.Scopes[0].Requests, func(r request.Request) bool { return r.Key() == key })
}
