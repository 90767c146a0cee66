// Package route searches for updates, and resolves the whole scope anew at each step. A Search
// finds the shortest sequence that leads one request to a bundle. A Joint search finds the
// fewest with which several requests of a namespace get to where they may end, in an order in
// which they can be taken.
package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Search is an A* search over states of one scope. It estimates the rest of the way by the
// update edges of all channels, as if nothing else prevented an update. That is never too
// much, so the first path found is a shortest one among those with the fewest changes of
// channel. A Search runs once and belongs to one goroutine.
type Search struct {
	ctx context.Context
	in  world.World // the first state
	// Budget is the number of resolutions that are left.
	Budget int
	// Bare leaves out why updates are blocked.
	Bare bool
	// Awaiting allows steps that wait for updates of others, which OLM makes by itself.
	Awaiting bool
	// First is the problem of the inputs, if the caller has read it.
	First *world.Problem
	// Cores are the cores of the blocked updates.
	Cores []Core
	// Reached are the bundles that updates lead to, the installed one first. It is empty
	// if no edges lead to a target.
	Reached []string

	request   cluster.RequestKey
	pkg, from string
	// targets are the bundles to reach. to is the one that the caller named, if any.
	targets []string
	to      string
	graph   *updateGraph
	// distance has the number of edges from a bundle to the closest target. It has no
	// entry for a bundle from which none can be reached.
	distance map[string]int

	open    []*state
	blocked []result.BlockedUpdate
}

// state is the cluster after some steps.
type state struct {
	cluster *cluster.Index
	bundle  string
	way     *way // nil before the first step
	// steps is the number of steps, and changes of those that change the channel.
	steps, changes int
}

// way is a last step with those before it, which it shares with other ways.
type way struct {
	step   result.PathStep
	before *way
}

func (w *way) all() iter.Seq[result.PathStep] {
	return func(yield func(result.PathStep) bool) {
		for ; w != nil && yield(w.step); w = w.before {
		}
	}
}

// Core is why an update is blocked in a state on the way.
type Core struct {
	Problem *world.Problem
	Reasons []solver.Reason
}

// New returns a search for updates of a request. ctx ends it.
func New(ctx context.Context, in world.World, key cluster.RequestKey) *Search {
	in = in.With(func(o *policy.Options) { o.Partial = false }) // a step must not leave out another request
	return &Search{ctx: ctx, in: in, request: key, Budget: in.In.Options.Budget()}
}

// Find finds a path to a bundle by its name or version, or to the head of the request if the
// name is empty. The error is that of [Search.Run].
func (s *Search) Find(name string) (*result.Path, error) {
	return s.Run(func(p *model.Part, r *request.Request) ([]string, error) {
		target := r.Target(p, r, name)
		switch {
		case target != "":
			s.to = target
			return []string{target}, nil
		case r.Fault != nil:
			unsatisfied := explain.RequestReason(p, r)
			return nil, errors.New(unsatisfied.Message())
		}
		return nil, &result.UnknownBundle{Package: s.pkg, Bundle: name, Nearest: explain.Nearest(name, p.Pace.Stepping(p.BundleNames(s.pkg)))}
	})
}

func (s *Search) invalid(err error) error {
	return &result.InvalidInput{Subject: s.in.In.Subject(), Err: err}
}

// start finds the installed bundle, the targets and the update graph of the request.
func (s *Search) start(destination func(*model.Part, *request.Request) ([]string, error)) error {
	return s.read(s.in.In.Cluster, func(m *world.Problem, root int) (err error) {
		p, r := m.Root(root)
		s.pkg = r.PackageName()
		if r.Current < 0 {
			return s.invalid(notInstalled(r))
		}
		if s.targets, err = destination(p, r); err != nil {
			return s.invalid(err)
		}
		current := &p.Installed[r.Current]
		s.from = current.Name()
		s.graph = newUpdateGraph(p, r)
		s.distance = s.graph.distances(s.targets)
		return nil
	})
}

// notInstalled returns the error of a request without an installed bundle.
func notInstalled(r *request.Request) error {
	if name := r.HasInstalled(); name != "" {
		return words.NotThere(name, r.Key().String())
	}
	return errors.New("nothing is installed")
}

// read reads the inputs in a state and calls use with the problem and the index of the
// request.
func (s *Search) read(state *cluster.Index, use func(m *world.Problem, root int) error) error {
	m := s.First
	if state != s.in.In.Cluster {
		t := s.in.On(state).Read(s.ctx)
		if t.Err != nil {
			return t.Err
		}
		m = t.Problem
	}
	requests := m.Scopes[0].Requests
	for i := range requests {
		if requests[i].Key() == s.request {
			return use(m, i)
		}
	}
	return s.invalid(words.NoRequest(s.request.String()))
}

// Run finds a path to one of the bundles that destination returns. It expands the most
// promising state first, and each state once. The error is an *result.NoPath, an
// *InvalidInput or an *Incomplete.
func (s *Search) Run(destination func(*model.Part, *request.Request) ([]string, error)) (*result.Path, error) {
	if s.First == nil {
		t := s.in.Read(s.ctx)
		if t.Err != nil {
			return nil, t.Err
		}
		s.First = t.Problem
	}
	if err := s.start(destination); err != nil {
		return nil, err
	}
	if _, ok := s.distance[s.from]; !ok {
		return nil, s.noPath(s.graph.reach(s.from))
	}
	s.Reached = []string{s.from}
	s.open = []*state{{cluster: s.in.In.Cluster, bundle: s.from}}
	seen := map[string]bool{}
	for len(s.open) > 0 {
		if err := s.ctx.Err(); err != nil {
			return nil, &result.Incomplete{Phase: "searching a path", Err: err}
		}
		state := s.next()
		key := fingerprint(state.cluster, s.request.Scope())
		if seen[key] {
			continue
		}
		seen[key] = true
		if slices.Contains(s.targets, state.bundle) {
			steps := slices.Collect(state.way.all())
			slices.Reverse(steps)
			return &result.Path{
				Request: s.request, Package: s.pkg, From: s.from, To: state.bundle, Steps: steps,
			}, nil
		}
		if err := s.expand(state); err != nil {
			return nil, err
		}
	}
	return nil, s.noPath(s.Reached)
}

// noPath returns the *result.NoPath of a search that found none.
func (s *Search) noPath(reached []string) error {
	none := &result.NoPath{
		Request: s.request, Package: s.pkg, From: s.from, To: s.to, Reached: reached, Blocked: s.blocked,
	}
	if s.Bare || !request.KindOf(s.request.Scope()).Span.ByChannel {
		return none
	}
	if err := s.read(s.in.In.Cluster, func(m *world.Problem, root int) error {
		p, r := m.Root(root)
		none.Blocked = append(none.Blocked, s.unusable(p, r, reached)...)
		return nil
	}); err != nil {
		return err
	}
	return none
}

// unusable returns the entries that would lead from reached bundles towards a target, but
// are no candidates.
func (s *Search) unusable(p *model.Part, r *request.Request, reached []string) []result.BlockedUpdate {
	versions := maps.Clone(s.graph.versions)
	all := newReversed() // as if these entries were candidates
	todo := slices.Collect(maps.Keys(versions))
	for i := 0; i < len(todo); i++ {
		name := todo[i]
		// An entry without a bundle has the zero version.
		for _, to := range p.NamesOf(r.UpdatesOf(p, name, versions[name])) {
			all.add(name, to)
		}
		for _, u := range r.UnusableUpdates(p, name, versions[name]) {
			successor := u.Place.At().Name
			all.add(name, successor)
			if _, known := versions[successor]; !known {
				versions[successor] = semver.Version{}
				todo = append(todo, successor)
			}
		}
	}
	distance := all.distances(s.targets)
	var blocked []result.BlockedUpdate
	for _, from := range reached {
		known := map[string]bool{}
		for _, to := range s.graph.from(from) {
			known[to] = true
		}
		for _, u := range r.UnusableUpdates(p, from, versions[from]) {
			following := u.Place.At().Name
			if _, leads := distance[following]; leads && !known[following] {
				known[following] = true
				why := explain.Unusable(p, u)
				blocked = append(blocked, result.BlockedUpdate{From: from, To: following, Err: why.Args().Err})
			}
		}
	}
	return blocked
}

// next removes the best open state: the one with the fewest changes of channel, then the
// fewest steps in all (taken and to go), then the closest to a target, then the oldest.
func (s *Search) next() *state {
	best := slices.MinFunc(s.open, func(a, b *state) int {
		return cmp.Or(a.changes-b.changes, s.cost(a)-s.cost(b), b.steps-a.steps)
	})
	s.open = slices.DeleteFunc(s.open, func(open *state) bool { return open == best })
	return best
}

func (s *Search) cost(state *state) int { return state.steps + s.distance[state.bundle] }

// words.ErrBudget is the error of a search without budget left.
// expand adds the states that one update leads to.
func (s *Search) expand(state *state) error {
	return s.read(state.cluster, func(m *world.Problem, root int) error {
		list, channels := s.updates(m, root)
		for _, v := range list {
			name := m.Model.Of(v).NameOf(v)
			if err := s.ctx.Err(); err != nil {
				return &result.Incomplete{Phase: "searching a path", Err: err}
			}
			if s.Budget--; s.Budget < 0 {
				return &result.Incomplete{Phase: "searching a path", Err: words.ErrBudget}
			}
			resolution, err := s.step(m.Only(map[int]solver.Var{root: v}))
			if incomplete, ok := errors.AsType[*result.Incomplete](err); ok {
				return incomplete
			}
			if err != nil {
				blocked := result.BlockedUpdate{From: state.bundle, To: name, Channel: channelOf(state.way), Err: err}
				again := func(known result.BlockedUpdate) bool {
					return known.From == blocked.From && known.To == blocked.To && known.Channel == blocked.Channel
				}
				// An update of what is installed now is stated as things are, not again as they are
				// where updates lead back to it.
				if state.bundle != s.from || !slices.ContainsFunc(s.blocked, again) {
					s.blocked = append(s.blocked, blocked)
				}
				continue
			}
			if !slices.Contains(s.Reached, name) {
				s.Reached = append(s.Reached, name)
			}
			s.push(state, step(state.cluster, resolution), result.PathStep{Bundle: name, Resolution: resolution})
			if s.distance[name] == 0 {
				return nil // no open state is better than this one was, and so than its target
			}
		}
		if s.Awaiting {
			if s.Budget--; s.Budget < 0 {
				return &result.Incomplete{Phase: "searching a path", Err: words.ErrBudget}
			}
			if err := s.await(m, state); err != nil {
				return err
			}
		}
		for _, channel := range channels {
			s.push(state, world.InChannel(state.cluster, s.request, channel), result.PathStep{Channel: channel, Bundle: state.bundle})
		}
		return nil
	})
}

// await adds the state that OLM leads to by itself, if that updates others and not the request.
func (s *Search) await(m *world.Problem, state *state) (err error) {
	defer pace.Recover(&err, words.SearchingPath, s.in.In.Subject)
	solution, _, _ := m.Solve(m.Model)
	if err := m.Model.Pace.Ended(); err != nil {
		return err
	}
	if solution == nil {
		return nil
	}
	resolution := answer.ResolutionsOf(m, solution)[0]
	if resolution.Manual() || len(resolution.Installs) == 0 {
		return nil
	}
	waits := result.PathStep{Bundle: state.bundle, Resolution: resolution}
	after := step(state.cluster, resolution)
	if InstalledFor(after, s.request) != state.bundle {
		return nil
	}
	for _, sub := range after.In(s.request.Namespace).Subscriptions {
		if InstalledFor(state.cluster, sub.Key()) != sub.InstalledCSV {
			waits.Awaits = append(waits.Awaits, result.Move{Request: sub.Key(), Bundle: sub.InstalledCSV})
		}
	}
	s.push(state, after, waits)
	return nil
}

// channelOf returns the channel that a way ends in, empty if none of its steps changes it.
func channelOf(w *way) string {
	for step := range w.all() {
		if step.Channel != "" {
			return step.Channel
		}
	}
	return ""
}

// push adds the state after a step.
func (s *Search) push(from *state, after *cluster.Index, step result.PathStep) {
	reached := &state{after, step.Bundle, &way{step, from.way}, from.steps + 1, from.changes}
	if step.Channel != "" {
		reached.changes++
	}
	s.open = append(s.open, reached)
}

// step is [world.After] for a search, in which only one scope changes: what is derived from all of the
// cluster stays as it is.
func step(c *cluster.Index, answers ...*result.Resolution) *cluster.Index {
	after := world.After(c, answers...)
	inventory.Share(c, after)
	return after
}

// updates returns the updates that lead towards a target, the closest first, and the
// channels that have further ones.
func (s *Search) updates(m *world.Problem, root int) (list []solver.Var, channels []string) {
	p, r := m.Root(root)
	current := &p.Installed[r.Current]
	if current.Held() != nil {
		s.block(m, solver.Reason{Kind: solver.KindRoot, Var: solver.None, Rule: root})
		s.blocked = append(s.blocked, result.BlockedUpdate{From: current.Name(), To: s.to, Err: current.Held()})
	}
	leads := func(name string) bool {
		_, leads := s.distance[name]
		return leads
	}
	for _, v := range r.List.Candidates {
		if leads(p.NameOf(v)) && p.AsInstalled(v) == nil {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b solver.Var) int { return s.distance[p.NameOf(a)] - s.distance[p.NameOf(b)] })
	return list, furtherChannels(p, r, leads)
}

// furtherChannels returns the channels with updates of what a request has installed that lead on
// and are no candidates now.
func furtherChannels(p *model.Part, r *request.Request, leads func(name string) bool) []string {
	current := &p.Installed[r.Current]
	if current.Held() != nil {
		return nil
	}
	return slices.DeleteFunc(r.Channels(p), func(channel string) bool {
		return !slices.ContainsFunc(r.InChannel(channel).UpdatesOf(p, current.Name(), current.Version), func(v solver.Var) bool {
			return leads(p.NameOf(v)) && !slices.Contains(r.List.Candidates, v)
		})
	})
}

// step resolves a state in which the request has one candidate.
func (s *Search) step(m *world.Problem) (resolution *result.Resolution, err error) {
	defer pace.Recover(&err, words.SearchingPath, s.in.In.Subject)
	t := (&world.Try{World: s.in, Problem: m}).Solve(m.Model)
	if t.Problem == nil {
		return nil, t.Err
	}
	if t.Solution != nil {
		return answer.ResolutionsOf(m, t.Solution)[0], nil
	}
	if t.Core != nil {
		s.block(m, t.Core...)
		if s.Bare {
			return nil, t.Failed()
		}
	}
	_, err = explain.Causes(m, t.Failed())
	return nil, err
}

// block notes why an update is blocked.
func (s *Search) block(m *world.Problem, core ...solver.Reason) {
	m.Model.Pace.Restart() // whoever reads the core later does so after this call
	s.Cores = append(s.Cores, Core{m, core})
}

// fingerprint identifies a state of a scope by what is installed for each request, and by the
// channels that they name.
func fingerprint(state *cluster.Index, scope cluster.Scope) string {
	if e := state.Extension(scope.Extension()); e != nil && e.Installed != nil {
		return fmt.Sprintf("%q %q", e.Installed.Name, e.Channels)
	}
	n := state.In(scope.Namespace())
	var b strings.Builder
	write := func(name string) {
		b.WriteString(strconv.Itoa(len(name)))
		b.WriteByte(' ')
		b.WriteString(name)
	}
	for i := range n.CSVs {
		write(n.CSVs[i].Name)
	}
	for i := range n.Subscriptions {
		sub := &n.Subscriptions[i]
		write(sub.Name)
		write(sub.InstalledCSV)
		write(sub.Channel)
	}
	return b.String()
}
