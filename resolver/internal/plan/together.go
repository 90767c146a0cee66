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
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// maxTogether bounds the members of a group: each further one multiplies the tries.
const maxTogether = 4

// groups are the groups of one hop.
type groups struct {
	// tries is the number of resolutions that are left for all of them.
	tries int
	// failed has, by row, the last group that was tried for it in vain.
	failed map[int]failed
}

// failed is a group for which no updates were found.
type failed struct {
	// rows are those of the group and those in its way; installed are their bundles then.
	rows      []int
	installed []string
	// cutOff is true if not everything was tried.
	cutOff bool
	until  string
}

// note notes in a row whether its search was cut off, and what the row waits for.
func (f *failed) note(target *updates.TargetStatus, none *updates.NoPath) {
	none.CutOff, target.Until = f.cutOff, cmp.Or(target.Until, f.until)
}

// group is a search for the fewest updates of some rows of a namespace, its members. After
// them the first member may run within the limits, and each other one still may if it could
// before. Channels stay as they are. Updates are made at once only if they cannot be made
// one after another.
type group struct {
	*hop
	// tries is the number of resolutions that are left.
	tries int
	// members are indices of rows; more are those of others that were in the way.
	members, more []int
	// atOnce is the largest number of members that one move updates.
	atOnce int
	// until is what a row in the way waits for, if it cannot move.
	until string
}

// stage is the namespace after some moves.
type stage struct {
	cluster *cluster.Index
	moves   []move
	updates int
	// installed are the installed bundles of the members.
	installed [maxTogether]string
}

// move updates one or several rows at once. to has the new bundle of each; row is the one
// that shows the step.
type move struct {
	row  int
	to   map[int]string
	step updates.Step
}

// choice is a candidate of a member that replaces its installed bundle.
type choice struct {
	member int
	v      solver.Var
}

// moveTogether moves the blocked rows that only need others to be updated before or with
// them, and reports whether there were any.
func (h *hop) moveTogether(ctx context.Context, of *groups) (done bool, err error) {
	var now *engine.Problem
	for i := range h.rows {
		target := h.rows[i].Target
		none, ok := errors.AsType[*updates.NoPath](target.Err)
		if !ok || len(none.Blocked) == 0 || target.Blocks != h.name() {
			continue
		}
		if now == nil {
			t := h.in.Read(ctx)
			if t.Err != nil {
				return done, nil // moveEach noted the error in the rows
			}
			now = t.Problem
		}
		if before, again := of.failed[i]; again && slices.Equal(before.installed, installedBy(now, h.rows, before.rows)) {
			before.note(target, none)
			continue
		}
		g := &group{hop: h, members: []int{i}, tries: min(of.tries, route.Budget(h.in.In.Options))}
		of.tries -= g.tries
		found := g.together(ctx, now)
		if ctx.Err() != nil {
			return done, &result.Incomplete{Phase: "searching a path", Err: ctx.Err()}
		}
		of.tries += g.tries
		if found == nil {
			near := append(g.members, g.more...)
			f := failed{near, installedBy(now, h.rows, near), g.tries == 0 || len(g.more) > 0, g.until}
			f.note(target, none)
			of.failed[i] = f
			continue
		}
		for k := range found.moves {
			m := &found.moves[k]
			m.step.Hop, m.step.Refusal, m.step.After = h.openShift, target.Refusal, g.after(ctx, found.moves, k)
			h.rows[m.row].Target.Updates = append(h.rows[m.row].Target.Updates, m.step)
		}
		h.in.In.Cluster, now, done = found.cluster, nil, true
		target.Blocks, target.Until, target.Err = "", "", nil
	}
	return done, nil
}

// installedBy returns the installed bundles of some rows, empty for a row without one.
func installedBy(m *engine.Problem, rows []updates.Status, of []int) (names []string) {
	for _, k := range of {
		name := ""
		if p, r := m.Root(rootOf(m, rows[k].Request)); r.Current >= 0 {
			name = p.Installed[r.Current].Name()
		}
		names = append(names, name)
	}
	return names
}

// together finds the updates that let the first member move, nil if there are none among the
// few that are tried. Rows in the way join the group while there is room.
func (g *group) together(ctx context.Context, now *engine.Problem) *stage {
	for {
		g.more = nil
		for g.atOnce = 1; g.atOnce <= len(g.members); g.atOnce++ {
			if found := g.search(ctx, now); found != nil {
				return found
			}
		}
		room := min(maxTogether-len(g.members), len(g.more))
		if room == 0 {
			return nil
		}
		g.members = append(g.members, g.more[:room]...)
	}
}

// search expands the stages by their number of updates.
func (g *group) search(ctx context.Context, now *engine.Problem) *stage {
	begin := stage{cluster: g.in.In.Cluster}
	copy(begin.installed[:], installedBy(now, g.rows, g.members))
	open, least := []stage{begin}, map[[maxTogether]string]int{}
	var first []bool
	for len(open) > 0 && g.tries > 0 && ctx.Err() == nil {
		next := 0
		for k := range open {
			if open[k].updates < open[next].updates {
				next = k
			}
		}
		at := open[next]
		open = slices.Delete(open, next, next+1)
		if at.updates > least[at.installed] {
			continue // there is a shorter way to it
		}
		stages, refused := g.follow(ctx, now, at, least)
		if first == nil {
			first = refused
		}
		if refused != nil && !refused[0] && !lost(first, refused) {
			return &at
		}
		open = append(open, stages...)
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

// read reads the problem of a cluster.
func (g *group) read(ctx context.Context, c *cluster.Index) (*engine.Problem, error) {
	in := *g.in
	in.In.Cluster = c
	t := in.Read(ctx)
	return t.Problem, t.Err
}

// staying returns the problem in which each request keeps its installed bundle if it can.
func staying(m *engine.Problem) *engine.Problem {
	installed := map[int]solver.Var{}
	for root := range m.Scopes[0].Requests {
		p, r := m.Root(root)
		if r.Current >= 0 && slices.Contains(r.List.Candidates, p.InstalledVar(r.Current)) {
			installed[root] = p.InstalledVar(r.Current)
		} // else it fails, or cannot stay
	}
	return m.Only(installed)
}

// follow returns the stages after one, without those that are known to be reached with fewer
// updates, and which members are refused at it. Both are nil if the stage cannot be read. m
// is the problem of the first stage.
func (g *group) follow(ctx context.Context, m *engine.Problem, at stage, least map[[maxTogether]string]int) (next []stage, refused []bool) {
	if len(at.moves) > 0 {
		var err error
		if m, err = g.read(ctx, at.cluster); err != nil {
			return nil, nil
		}
	}
	p, stays := m.Scopes[0].Part, staying(m)
	roots, newer := make([]int, len(g.members)), make([][]solver.Var, len(g.members))
	for k, row := range g.members {
		roots[k] = rootOf(m, g.rows[row].Request)
		r := &m.Scopes[0].Requests[roots[k]]
		refused = append(refused, g.refusal(p, r) != nil)
		newer[k] = slices.DeleteFunc(slices.Clone(r.List.Candidates), func(v solver.Var) bool { return p.AsInstalled(v) != nil })
	}
	var possible [][]choice
	try := func(chosen []choice) bool {
		if g.tries == 0 || ctx.Err() != nil {
			return false
		}
		needless := func(part []choice) bool {
			return !slices.ContainsFunc(part, func(c choice) bool { return !slices.Contains(chosen, c) })
		}
		after := stage{updates: at.updates + len(chosen), installed: at.installed}
		moves, to := map[int]solver.Var{}, map[int]string{}
		for _, c := range chosen {
			after.installed[c.member] = p.NameOf(c.v)
			moves[roots[c.member]], to[g.members[c.member]] = c.v, p.NameOf(c.v)
		}
		if updates, known := least[after.installed]; known && updates <= after.updates || slices.ContainsFunc(possible, needless) {
			return true
		}
		g.tries--
		resolution := g.solve(stays.Only(moves))
		if resolution == nil {
			return true
		}
		possible, least[after.installed] = append(possible, slices.Clone(chosen)), after.updates
		after.cluster = route.After(at.cluster, resolution)
		inventory.Share(g.in.In.Cluster, after.cluster)
		lead := chosen[max(0, slices.IndexFunc(chosen, func(c choice) bool { return refused[c.member] }))]
		after.moves = append(slices.Clone(at.moves), move{g.members[lead.member], to, updates.Step{Bundle: p.NameOf(lead.v), Resolution: resolution}})
		next = append(next, after)
		return true
	}
	for size := range g.atOnce {
		if !choose(newer, nil, size+1, try) {
			break
		}
	}
	return next, refused
}

// choose calls use with all choices of candidates for size members, until use returns false.
func choose(newer [][]solver.Var, chosen []choice, size int, use func([]choice) bool) bool {
	if size == 0 {
		return use(chosen)
	}
	first := 0
	if n := len(chosen); n > 0 {
		first = chosen[n-1].member + 1
	}
	for member := first; member < len(newer); member++ {
		for _, v := range newer[member] {
			if !choose(newer, append(chosen, choice{member, v}), size-1, use) {
				return false
			}
		}
	}
	return true
}

// solve returns the answer of a problem, nil if there is none. It notes the rows in the way.
func (g *group) solve(m *engine.Problem) *result.Resolution {
	solution, core, _ := m.Solve(m.Model)
	if solution != nil {
		return answer.ResolutionsOf(m, solution)[0]
	}
	for _, reason := range core {
		pkg := ""
		if reason.Kind == solver.KindRoot {
			pkg = m.Scopes[0].Requests[reason.Rule].PackageName()
		} else if reason.Kind == solver.KindRule {
			pkg = m.Scopes[0].Part.Ref(reason.Var).Bundle.Package
		}
		for k := range g.rows {
			if g.rows[k].Package == pkg && !slices.Contains(g.members, k) && !slices.Contains(g.more, k) {
				g.meet(m, k)
			}
		}
	}
	return nil
}

// meet notes a row that is in the way: it may join the group, or waits for something.
func (g *group) meet(m *engine.Problem, k int) {
	p, r := m.Root(rootOf(m, g.rows[k].Request))
	switch {
	case waitsFor(&g.rows[k]) != "":
		g.until = cmp.Or(g.until, waitsFor(&g.rows[k]))
	case r.Current >= 0 && p.Installed[r.Current].Held() != nil:
		g.until = cmp.Or(g.until, allowed(p, r))
	case r.Current >= 0:
		g.more = append(g.more, k)
	}
}

// after returns the updates of other rows that must come before a move: without any one of
// them the move, or one that leads to it, is not possible. It leaves out those that an
// update which it returns needs itself.
func (g *group) after(ctx context.Context, moves []move, of int) (needed []updates.Move) {
	before := slices.Clone(moves[:of])
	for k := of - 1; k >= 0; k-- {
		without := append(slices.Delete(slices.Clone(before), k, k+1), moves[of])
		if before[k].row != moves[of].row && g.possible(ctx, without) {
			before = slices.Delete(before, k, k+1)
		}
	}
	for k, m := range before {
		update := updates.Move{Request: g.rows[m.row].Request, Bundle: m.step.Bundle}
		if m.row != moves[of].row && !slices.ContainsFunc(before[k+1:], func(later move) bool {
			return later.row == m.row || slices.Contains(later.step.After, update)
		}) {
			needed = append(needed, update)
		}
	}
	return needed
}

// possible reports whether the moves can be made in turn.
func (g *group) possible(ctx context.Context, moves []move) bool {
	at := g.in.In.Cluster
	for _, to := range moves {
		m, err := g.read(ctx, at)
		if err != nil {
			return false
		}
		chosen := map[int]solver.Var{}
		for row, name := range to.to {
			root := rootOf(m, g.rows[row].Request)
			p, r := m.Root(root)
			if k := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool { return p.AsInstalled(v) == nil && p.NameOf(v) == name }); k >= 0 {
				chosen[root] = r.List.Candidates[k]
			}
		}
		resolution := (*result.Resolution)(nil)
		if len(chosen) == len(to.to) {
			resolution = g.solve(staying(m).Only(chosen))
		}
		if resolution == nil {
			return false
		}
		at = route.After(at, resolution)
	}
	return true
}

// rootOf returns the index of a request in the only scope of a problem.
func rootOf(m *engine.Problem, key cluster.RequestKey) int {
	return slices.IndexFunc(m.Scopes[0].Requests, func(r request.Request) bool { return r.Key() == key })
}
