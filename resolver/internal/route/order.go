package route

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// After returns, for each of the turns, which updates of other requests must come before it:
// else it is not possible, or one of those no longer is. It leaves out what must come before
// another one that it returns, or before an earlier turn of the same request.
func (j *Joint) After(turns []Turn) [][]result.Move {
	var parts, reverse [][]Turn
	for at, k := 0, 1; k <= len(turns); k++ {
		if k == len(turns) || turns[k].part != turns[at].part {
			parts, at = append(parts, turns[at:k]), k
		}
	}
	for _, part := range parts {
		reverse = slices.Insert(reverse, 0, part)
	}
	if len(parts) > 1 && !j.possible(j.world.In.Cluster, slices.Concat(reverse...)) {
		parts = [][]Turn{turns}
	}
	var after [][]result.Move
	from := j.world.In.Cluster
	for _, part := range parts {
		after = append(after, j.order(from, part)...)
		from = part[len(part)-1].After
	}
	return after
}

// order is [Joint.After] for turns that touch each other.
func (j *Joint) order(from *cluster.Index, turns []Turn) (after [][]result.Move) {
	needs := make([]map[int]bool, len(turns)) // with what these need
	for k, turn := range turns {
		early := func(set map[int]bool) bool {
			first, last := []Turn(nil), []Turn{turn}
			for i, earlier := range turns[:k] {
				if set[i] {
					first = append(first, earlier)
				} else {
					last = append(last, earlier)
				}
			}
			return len(last) == 1 || j.possible(from, slices.Concat(first, last))
		}
		required, set := map[int]bool{}, map[int]bool{}
		for i, earlier := range turns[:k] {
			if set[i] = true; shares(earlier, turn) {
				required[i] = true
				for n := range needs[i] {
					required[n] = true
				}
			}
		}
		needed := func(of int) bool {
			for i := of + 1; i < k; i++ {
				if set[i] && needs[i][of] {
					return true
				}
			}
			return false
		}
		if early(required) {
			set = required
		}
		for i := k - 1; i >= 0; i-- {
			if !set[i] || required[i] || needed(i) {
				continue
			}
			if delete(set, i); !early(set) {
				set[i] = true
			}
		}
		needs[k] = set
		var moves []result.Move
		for i := range k {
			if set[i] && !required[i] && !needed(i) {
				moves = append(moves, turns[i].Moves[0])
			}
		}
		after = append(after, moves)
	}
	return after
}

// shares reports whether two turns move one request.
func shares(a, b Turn) bool {
	return slices.ContainsFunc(a.Moves, func(m result.Move) bool {
		return slices.ContainsFunc(b.Moves, func(n result.Move) bool { return m.Request == n.Request })
	})
}

// possible reports whether turns can be taken in this order.
func (j *Joint) possible(from *cluster.Index, turns []Turn) bool {
	from = j.near(from, moving(turns)...).In.Cluster
	for _, turn := range turns {
		if turn.Channel != "" {
			from = world.InChannel(from, turn.Moves[0].Request, turn.Channel)
			continue
		}
		if j.Tries == 0 {
			return false
		}
		j.Tries--
		t := j.read(from)
		if t.Err != nil {
			return false
		}
		m, solution := take(t.Problem, staying(t.Problem), turn.Moves)
		if solution == nil {
			return false
		}
		from = step(from, answer.MovesOf(m, solution)...)
	}
	return true
}

// moving returns the requests that turns move.
func moving(turns []Turn) (keys []cluster.RequestKey) {
	for _, turn := range turns {
		for _, move := range turn.Moves {
			keys = append(keys, move.Request)
		}
	}
	return keys
}

// take solves a problem with updates, each to the first of its candidates that is possible. The
// solution is nil if there is none. m is the problem in which all else stays.
func take(all, m *world.Problem, moves []result.Move) (*world.Problem, *solver.Solution) {
	if len(moves) == 0 {
		solution, _ := solve(m)
		return m, solution
	}
	root := all.RootOf(moves[0].Request)
	if root < 0 {
		return nil, nil
	}
	p, r := all.Root(root)
	for _, v := range r.List.Candidates {
		if p.AsInstalled(v) != nil || p.NameOf(v) != moves[0].Bundle {
			continue
		}
		if of, solution := take(all, m.Only(map[int]solver.Var{root: v}), moves[1:]); solution != nil {
			return of, solution
		}
	}
	return nil, nil
}

// ByItself reports of each of the turns whether OLM takes it by itself: beginning with what is
// there, or with what the last turn before leaves that it does not take by itself. It may
// take further updates on the way.
func (j *Joint) ByItself(turns []Turn) []bool {
	automatic := make([]bool, len(turns))
	on, at := newCourse(j.near(j.world.In.Cluster, moving(turns)...)), map[cluster.RequestKey]int{}
	for k, turn := range turns {
		automatic[k] = turn.Channel == ""
		for _, move := range turn.Moves {
			n := at[move.Request]
			for now := InstalledFor(on.clusters[n], move.Request); on.leads(j.ctx, n) && InstalledFor(on.clusters[n], move.Request) == now; {
				n++
			}
			at[move.Request] = n
			automatic[k] = automatic[k] && InstalledFor(on.clusters[n], move.Request) == move.Bundle
		}
		if !automatic[k] && k+1 < len(turns) {
			on, at = newCourse(j.near(turn.After, moving(turns)...)), map[cluster.RequestKey]int{}
		}
	}
	return automatic
}

// Automatic returns the clusters that OLM leads to by itself, the one of the world first: it
// resolves again and again until nothing changes, or until it cannot.
func Automatic(ctx context.Context, w world.World) []*cluster.Index {
	on := newCourse(w)
	for n := 0; on.leads(ctx, n); {
		n++
	}
	return on.clusters
}

// course is where OLM leads a world by itself, as far as that was asked.
type course struct {
	world    world.World
	clusters []*cluster.Index
	ended    bool
}

func newCourse(w world.World) *course {
	return &course{w, []*cluster.Index{w.In.Cluster}, false}
}

// leads reports whether OLM leads on from the n-th cluster, and adds the next one.
func (c *course) leads(ctx context.Context, n int) bool {
	if n+1 < len(c.clusters) || c.ended {
		return n+1 < len(c.clusters)
	}
	c.ended = true
	if len(c.clusters) == mostAutomatic {
		return false
	}
	t := c.world.Satisfy(ctx)
	if t.Solution == nil {
		return false
	}
	moves := answer.MovesOf(t.Problem, t.Solution)
	if len(moves[0].Installs) == 0 {
		return false
	}
	after := step(c.world.In.Cluster, moves[0])
	c.world, c.clusters, c.ended = c.world.On(after), append(c.clusters, after), false
	return true
}

// InstalledFor returns the bundle that a request has installed by its object, empty if there
// is none, or if its ClusterServiceVersion is gone or does not count.
func InstalledFor(c *cluster.Index, key cluster.RequestKey) string {
	if s := c.Subscription(key); s != nil {
		if inventory.Counted(c.In(key.Namespace), s.InstalledCSV) == nil {
			return ""
		}
		return s.InstalledCSV
	}
	if e := c.Extension(key.Extension()); e != nil && e.Installed != nil {
		return e.Installed.Name
	}
	return ""
}
