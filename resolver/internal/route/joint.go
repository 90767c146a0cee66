package route

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Destination is where requests may end.
type Destination interface {
	// Refuses reports whether a request must not end at what it has installed.
	Refuses(p *model.Part, r *request.Request) bool
	// Fitting returns the bundles of its package that a request may end at.
	Fitting(p *model.Part, r *request.Request) []string
	// Stays reports whether a request cannot be updated, whatever the catalogs offer.
	Stays(key cluster.RequestKey) bool
}

// Turn is a change of channel, or updates that are made at once.
type Turn struct {
	// For is the request that must move, and needs this turn.
	For cluster.RequestKey
	// Moves are the updates, first that of a request that must move, if any of them must. For
	// a change of channel it is one, with the bundle that stays installed.
	Moves   []result.Move
	Channel string
	// Resolution is the answer that makes the updates, nil for a change of channel.
	Resolution *result.Resolution
	// After is the cluster after the turn.
	After *cluster.Index
	// part numbers what was searched together.
	part int
	// problem and solution are what Resolution is made of, once the turn is found to be needed.
	problem  *world.Problem
	solution *solver.Solution
}

// Joint searches the fewest changes of channel, then the fewest updates, after which requests
// of one namespace may end where they are. Nothing else moves but what must move with them,
// or before them. Requests that do not touch each other are searched apart.
type Joint struct {
	ctx   context.Context
	world world.World
	to    Destination
	// ties are those of the world. restless are bundles that move although nothing must.
	ties     *world.Ties
	restless []string
	// Tries is the number of resolutions that are left, atOnce the number of those that one
	// group may take.
	Tries, atOnce int
}

// NewJoint returns a search from a world that has been read. Its context ends it.
func NewJoint(t *world.Try, to Destination) *Joint {
	w := t.With(func(o *policy.Options) { o.Partial = false }) // OLM leaves out nothing
	j := &Joint{ctx: t.Ctx(), world: w, to: to, Tries: 5 * w.In.Options.Budget(), atOnce: w.In.Options.Budget()}
	// What stays as it is, and is tied to nothing that moves, need not be read again.
	if m, solution := take(nil, staying(t.Problem), nil); solution != nil {
		j.ties = t.Problem.Ties()
		moved := answer.MovesOf(m, solution)[0]
		j.restless = moved.Replaced
		for i := range moved.Installs {
			j.restless = append(j.restless, moved.Installs[i].Bundle.Name)
		}
	}
	return j
}

// near returns a world of what may have a bearing on some requests.
func (j *Joint) near(c *cluster.Index, requests ...cluster.RequestKey) world.World {
	bundles := slices.Clone(j.restless)
	for _, key := range requests {
		if name := InstalledFor(c, key); name != "" {
			bundles = append(bundles, name)
		}
	}
	return j.world.On(c).Near(j.ties, bundles)
}

// Missed is a request for which a search found no updates.
type Missed struct {
	Request cluster.RequestKey
	// CutOff is true if a limit ended the search. Near are the requests in the way that
	// could not join.
	CutOff bool
	Near   []cluster.RequestKey
}

// group are requests that are searched together: those that must move, and others that must
// move with them or before them.
type group struct {
	must, others []cluster.RequestKey
	found        *stage
	// near are the requests in the way that are of another group, or cannot move. cutOff is
	// true if the search ended at a limit, exact if no plan is better, whatever else moves.
	near          []cluster.RequestKey
	cutOff, exact bool
	// postponed is true once the group was put behind another one.
	postponed bool
}

func (g *group) members() []cluster.RequestKey { return slices.Concat(g.must, g.others) }

// Run returns the turns that lead the requests, in the order in which they can be taken, and
// the requests that they do not lead.
func (j *Joint) Run(must []cluster.RequestKey) (turns []Turn, missed []Missed) {
	queue := words.Mapped(must, func(key cluster.RequestKey) *group { return &group{must: []cluster.RequestKey{key}} })
	var done []*group
	for len(queue) > 0 && j.ctx.Err() == nil {
		g := queue[0]
		queue = queue[1:]
		j.search(g, start(j.world.In.Cluster, done), slices.Concat(done, queue))
		switch {
		case g.exact || !slices.ContainsFunc(slices.Concat(done, queue), g.meets):
		case !g.postponed && slices.ContainsFunc(queue, g.meets):
			g.postponed = true
			queue = append(queue, g)
			continue
		default:
			if before, union, rest := j.unite(g, done, queue); union != nil {
				done, queue = before, slices.Insert(rest, 0, union) // more may be in its way
				continue
			}
		}
		done = append(done, g)
	}
	for part, g := range done {
		if g.found != nil {
			for _, turn := range g.found.turns {
				turn.part = part
				turns = append(turns, turn)
			}
			continue
		}
		for _, key := range g.must {
			missed = append(missed, Missed{key, g.cutOff, g.near})
		}
	}
	return turns, missed
}

// unite searches for better turns of a group together with those in its way, and those in the
// way of all these. It returns the groups that stay before it, the union, and those that are
// searched after it; or no union, if the groups are as good apart.
func (j *Joint) unite(g *group, done, queue []*group) (before []*group, union *group, rest []*group) {
	with := []*group{g}
	union = g
	for {
		others := slices.DeleteFunc(slices.Concat(done, queue), func(other *group) bool { return slices.Contains(with, other) || !union.meets(other) })
		if with = append(with, others...); len(others) == 0 {
			return nil, nil, nil
		}
		at, parts := slices.IndexFunc(done, func(g *group) bool { return slices.Contains(with, g) }), cost{}
		if at < 0 {
			at = len(done)
		}
		union, rest = &group{postponed: true}, slices.DeleteFunc(slices.Concat(done[at:], queue), func(g *group) bool { return slices.Contains(with, g) })
		all := true // are found
		for _, part := range with {
			union.must, union.others = append(union.must, part.must...), append(union.others, part.others...)
			parts, all = parts.plus(part.found), all && part.found != nil
		}
		if len(union.members()) > mostMembers {
			g.cutOff = g.found == nil
			return nil, nil, nil
		}
		before = done[:at:at]
		if j.search(union, start(j.world.In.Cluster, before), slices.Concat(before, rest)); union.found != nil && (!all || union.found.cost.less(parts)) {
			return before, union, rest
		}
		if g.cutOff = g.cutOff || g.found == nil && union.cutOff; union.cutOff || union.exact {
			return nil, nil, nil
		}
	}
}

// meets reports whether a request of another group is in the way of the group.
func (g *group) meets(other *group) bool {
	return slices.ContainsFunc(other.members(), func(key cluster.RequestKey) bool { return slices.Contains(g.near, key) })
}

// start returns the cluster after the groups.
func start(c *cluster.Index, done []*group) *cluster.Index {
	for _, g := range done {
		if g.found != nil {
			c = g.found.cluster
		}
	}
	return c
}

// cost is what turns take.
type cost struct{ changes, updates int }

func (c cost) plus(s *stage) cost {
	if s != nil {
		c.changes, c.updates = c.changes+s.cost.changes, c.updates+s.cost.updates
	}
	return c
}

func (c cost) less(than cost) bool {
	return cmp.Or(c.changes-than.changes, c.updates-than.updates) < 0
}

// search finds the best turns of a group. Requests in its way join it, unless they are of
// another group, or cannot move. First no channel changes.
func (j *Joint) search(g *group, from *cluster.Index, groups []*group) {
	s := &together{Joint: j, group: g, from: j.near(from, g.members()...).In.Cluster, tries: min(j.Tries, j.atOnce)}
	j.Tries -= s.tries
	g.found, g.near, g.cutOff, g.exact = nil, nil, false, false
	for _, s.change = range []bool{false, true} {
		for more := true; more && g.found == nil || more && !g.exact; {
			found := s.shortest()
			if found != nil && (g.found == nil || found.cost.less(g.found.cost)) {
				g.found = found
			}
			// With nobody in the way nothing is better.
			g.exact = found != nil && (len(s.near) == 0 || found.cost == cost{updates: s.least})
			more = false
			for _, key := range s.near {
				member := func(other *group) bool { return slices.Contains(other.members(), key) }
				switch {
				case slices.Contains(g.near, key):
				case j.to.Stays(key) || slices.ContainsFunc(groups, member):
					g.near = append(g.near, key)
				case len(g.members()) == mostMembers:
					g.cutOff = true
				default:
					g.others, more = append(g.others, key), s.tries > 0
				}
			}
		}
		if g.found != nil {
			break
		}
	}
	g.cutOff = g.found == nil && (g.cutOff || s.tries == 0)
	j.Tries += s.tries
	if g.found == nil {
		return
	}
	for i := range g.found.turns {
		turn := &g.found.turns[i]
		if turn.solution == nil {
			from = world.InChannel(from, turn.For, turn.Channel)
		} else {
			whole := *answer.ResolutionsOf(turn.problem, turn.solution)[0] // of only what is near
			whole.Approval, whole.ManualFor = answer.Approval(from.In(j.world.In.Scopes[0].Namespace()))
			turn.Resolution = &whole
			from = step(from, turn.Resolution)
		}
		turn.After, turn.problem, turn.solution = from, nil, nil
	}
	g.found.cluster = from
}

// together is a search for the turns of a group: an A* search over states of the namespace.
type together struct {
	*Joint
	group *group
	from  *cluster.Index
	// tries is the number of resolutions that are left; change is whether channels may change.
	tries  int
	change bool
	// least is the number of updates that is needed at least, near are the requests in the way.
	least int
	near  []cluster.RequestKey
	// far has, by member, the number of edges from each bundle to one where the member may end.
	// It is nil for one that may end anywhere, as it is refused and need not move.
	far []map[string]int
	// refused are the members that are refused at first.
	refused []bool
	// cheapest has the least known cost of what is installed for the members, in channels.
	cheapest map[string]cost
}

// stage is the namespace after some turns.
type stage struct {
	cluster *cluster.Index
	turns   []Turn
	cost    cost
	// rest is the number of updates that are at least to come.
	rest int
}

// choice is a candidate of a member that replaces its installed bundle, or is installed anew.
type choice struct {
	member int
	v      solver.Var
}

// shortest returns the first stage at which all members may end, nil if there is none.
func (s *together) shortest() *stage {
	s.near, s.far, s.refused, s.least, s.cheapest = nil, nil, nil, 0, map[string]cost{}
	open, seen := []*stage{{cluster: s.from}}, map[string]bool{}
	for len(open) > 0 && s.ctx.Err() == nil {
		at := slices.MinFunc(open, func(a, b *stage) int {
			return cmp.Or(a.cost.changes-b.cost.changes, a.cost.updates+a.rest-b.cost.updates-b.rest)
		})
		open = slices.DeleteFunc(open, func(s *stage) bool { return s == at })
		key := fingerprint(at.cluster, s.world.In.Scopes[0])
		if seen[key] {
			continue
		}
		seen[key] = true
		t := s.read(at.cluster)
		if t.Err != nil {
			continue
		}
		if s.far == nil && !s.measure(t.Problem) {
			return nil
		}
		if s.ends(t.Problem) {
			return at
		}
		if s.tries == 0 {
			return nil
		}
		open = append(open, s.follow(t.Problem, at)...)
	}
	return nil
}

// read reads the namespace of a cluster.
func (j *Joint) read(c *cluster.Index) *world.Try {
	return j.world.On(c).Read(j.ctx)
}

// measure reads the members at the first stage. It reports whether edges lead each one that
// must move to where it may end.
func (s *together) measure(m *world.Problem) bool {
	for _, key := range s.group.members() {
		root := m.RootOf(key)
		if root < 0 { // it comes on the way
			s.far, s.refused = append(s.far, nil), append(s.refused, false)
			continue
		}
		p, r := m.Root(root)
		refused, must := s.to.Refuses(p, r), slices.Contains(s.group.must, key)
		var far map[string]int
		if must || !refused {
			fitting, current := s.to.Fitting(p, r), ""
			if r.Current >= 0 {
				if current = p.Installed[r.Current].Name(); !refused {
					fitting = append(fitting, current)
				}
			}
			far = newUpdateGraph(p, r).distances(fitting)
			edges, leads := far[current]
			if must && !leads {
				return false
			}
			s.least += edges
		}
		s.far, s.refused = append(s.far, far), append(s.refused, refused)
	}
	return true
}

// ends reports whether all that must move may end where they are, and all others that might
// at first.
func (s *together) ends(m *world.Problem) bool {
	for k, key := range s.group.members() {
		root := m.RootOf(key)
		if root < 0 {
			continue
		}
		if p, r := m.Root(root); (k < len(s.group.must) || !s.refused[k]) && s.to.Refuses(p, r) {
			return false
		}
	}
	return true
}

// leads reports whether a member may move to a bundle.
func (s *together) leads(member int, name string) bool {
	_, leads := s.far[member][name]
	return leads || s.far[member] == nil
}

// follow returns the stages after one. As few members as possible are updated at once: what
// contradicts an update says which others must be updated with it.
func (s *together) follow(m *world.Problem, at *stage) (next []*stage) {
	p, stays, members := m.Scopes[0].Part, staying(m), s.group.members()
	roots, newer, now := make([]int, len(members)), make([][]solver.Var, len(members)), make([]string, len(members))
	for k, key := range members {
		if roots[k] = m.RootOf(key); roots[k] < 0 {
			continue
		}
		_, r := m.Root(roots[k])
		for _, v := range r.List.Candidates {
			if p.AsInstalled(v) == nil && s.leads(k, p.NameOf(v)) {
				newer[k] = append(newer[k], v)
			}
		}
		if r.Current >= 0 {
			now[k] = p.Installed[r.Current].Name()
			next = append(next, s.inChannels(p, r, k, at)...)
		}
	}
	var todo, possible [][]choice
	for k := range members {
		for _, v := range newer[k] {
			todo = append(todo, []choice{{k, v}})
		}
	}
	tried := map[string]bool{}
	for ; len(todo) > 0 && s.tries > 0 && s.ctx.Err() == nil; todo = todo[1:] { // the smaller ones first
		chosen, choices := todo[0], map[int]solver.Var{}
		key := fmt.Sprint(chosen)
		if tried[key] || slices.ContainsFunc(possible, func(part []choice) bool {
			return !slices.ContainsFunc(part, func(c choice) bool {
				return !slices.ContainsFunc(chosen, func(d choice) bool { return c.member == d.member && p.NameOf(c.v) == p.NameOf(d.v) })
			})
		}) {
			continue // one after another, or OLM prefers the same bundle of another catalog
		}
		tried[key] = true
		if s.known(at, chosen, now, p) {
			possible = append(possible, chosen)
			continue
		}
		s.tries--
		for _, c := range chosen {
			choices[roots[c.member]] = c.v
		}
		only := stays.Only(choices)
		solution, core := solve(only)
		if solution != nil {
			possible = append(possible, chosen)
			next = append(next, s.after(only, at, chosen, now, solution))
			continue
		}
		for _, root := range core {
			k := slices.Index(roots, root)
			_, r := m.Root(root)
			if k < 0 && !slices.Contains(s.near, r.Key()) {
				s.near = append(s.near, r.Key())
			}
			if k < 0 || slices.ContainsFunc(chosen, func(c choice) bool { return c.member == k }) || r.Current < 0 {
				continue
			}
			for _, v := range newer[k] {
				with := append(slices.Clone(chosen), choice{k, v})
				slices.SortFunc(with, func(a, b choice) int { return a.member - b.member })
				todo = append(todo, with)
			}
		}
	}
	return next
}

// known reports whether it is known how to get where updates lead, with no more of them.
func (s *together) known(at *stage, chosen []choice, now []string, p *model.Part) bool {
	then := slices.Clone(now)
	for _, c := range chosen {
		then[c.member] = p.NameOf(c.v)
	}
	known, ok := s.cheapest[s.state(at.cluster, then)]
	return ok && !(cost{at.cost.changes, at.cost.updates + len(chosen)}).less(known)
}

// state identifies what is installed for the members, and the channels that they name.
func (s *together) state(c *cluster.Index, installed []string) string {
	key := append([]string{}, installed...)
	if e := c.Extension(s.world.In.Scopes[0].Extension()); e != nil {
		key = append(key, e.Channels...)
	}
	for _, sub := range c.In(s.world.In.Scopes[0].Namespace()).Subscriptions {
		if slices.Contains(s.group.members(), sub.Key()) {
			key = append(key, sub.Channel)
		}
	}
	return fmt.Sprintf("%q", key)
}

// after returns the stage after updates, which the members now installed take at once.
func (s *together) after(m *world.Problem, at *stage, chosen []choice, now []string, solution *solver.Solution) *stage {
	p := m.Scopes[0].Part
	after := &stage{step(at.cluster, answer.MovesOf(m, solution)...), nil, cost{at.cost.changes, at.cost.updates + len(chosen)}, 0}
	turn := Turn{For: s.group.must[0], After: after.cluster, problem: m, solution: solution}
	now = slices.Clone(now)
	for _, c := range chosen {
		key := s.group.members()[c.member]
		if c.member < len(s.group.must) && s.far[c.member][now[c.member]] > 0 && len(turn.Moves) == 0 {
			turn.For = key
		}
		turn.Moves = append(turn.Moves, result.Move{Request: key, Bundle: p.NameOf(c.v)})
		now[c.member] = p.NameOf(c.v)
	}
	for k, name := range now {
		after.rest += s.far[k][name]
		now[k] = InstalledFor(after.cluster, s.group.members()[k])
	}
	s.cheapest[s.state(after.cluster, now)] = after.cost
	after.turns = append(slices.Clip(at.turns), turn)
	return after
}

// inChannels returns the stages after a change of a member's channel that leads to further
// updates.
func (s *together) inChannels(p *model.Part, r *request.Request, member int, at *stage) (next []*stage) {
	if !s.change || s.far[member] == nil {
		return nil
	}
	for _, channel := range furtherChannels(p, r, func(name string) bool { return s.leads(member, name) }) {
		after := world.InChannel(at.cluster, r.Key(), channel)
		turn := Turn{For: r.Key(), Moves: []result.Move{{Request: r.Key(), Bundle: p.Installed[r.Current].Name()}}, Channel: channel, After: after}
		next = append(next, &stage{after, append(slices.Clip(at.turns), turn), cost{at.cost.changes + 1, at.cost.updates}, at.rest})
	}
	return next
}

// staying returns the problem in which each request keeps its installed bundle if it can.
func staying(m *world.Problem) *world.Problem {
	installed := map[int]solver.Var{}
	for root := range m.Scopes[0].Requests {
		p, r := m.Root(root)
		if r.Current >= 0 && slices.Contains(r.List.Candidates, p.InstalledVar(r.Current)) {
			installed[root] = p.InstalledVar(r.Current)
		} // else it fails, or cannot stay
	}
	return m.Only(installed)
}

// solve returns the solution of a problem, or the requests of which some must move, or fail.
func solve(m *world.Problem) (solution *solver.Solution, core []int) {
	solution, reasons, _ := m.Solve(m.Model)
	if solution != nil {
		return solution, nil
	}
	for _, r := range reasons {
		if r.Kind == solver.KindRoot {
			core = append(core, r.Rule)
		}
	}
	return nil, core
}

// Turns returns the steps of a path as turns, with the updates of others that come along.
func Turns(from *cluster.Index, path *result.Path) (turns []Turn) {
	for _, step := range path.Steps {
		own := result.Move{Request: path.Request, Bundle: step.Bundle}
		turn := Turn{For: path.Request, Moves: []result.Move{own}, Channel: step.Channel, Resolution: step.Resolution}
		if step.Resolution == nil {
			turn.After = world.InChannel(from, path.Request, step.Channel)
		} else {
			turn.After = world.After(from, step.Resolution)
		}
		for _, s := range from.In(path.Request.Namespace).Subscriptions {
			if now := InstalledFor(turn.After, s.Key()); s.Key() != path.Request && s.InstalledCSV != "" && now != s.InstalledCSV {
				turn.Moves = append(turn.Moves, result.Move{Request: s.Key(), Bundle: now})
			}
		}
		turns, from = append(turns, turn), turn.After
	}
	return turns
}
