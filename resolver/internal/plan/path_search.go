// Package plan answers questions that take several resolutions: the shortest path
// of updates, which requests can proceed without others, which bundles nobody can
// install, and what an answer depends on.
package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// pathSearch is an A* search over states of the namespace. What is left to go is
// estimated by the edges of the channels alone, as if nothing else prevented an
// update; that is never too much, so the first path that is found is a shortest one.
type pathSearch struct {
	ctx     context.Context
	in      encode.Inputs // of the first state
	memory  *encode.Memory
	resolve func(context.Context, encode.Inputs) (*result.Resolution, error)
	budget  int

	namespace, pkg, subscription string
	from, target                 string
	graph                        updateGraph
	// distance is the number of edges from a bundle to the target; bundles from
	// which no edges lead there are missing.
	distance map[string]int

	open    []pathState
	seen    map[string]bool
	reached []string
	blocked []result.BlockedUpdate
}

// pathState is the namespace after some steps.
type pathState struct {
	cluster *inventory.Cluster
	bundle  string
	steps   []result.PathStep
}

// FindPath implements Resolver.Path.
func FindPath(ctx context.Context, in encode.Inputs, pkg, to string, memory *encode.Memory,
	resolve func(context.Context, encode.Inputs) (*result.Resolution, error),
) (*result.Path, error) {
	s := &pathSearch{ctx: ctx, in: in, memory: memory, resolve: resolve, namespace: in.Namespaces[0], pkg: pkg, budget: in.Options.PathBudget}
	if s.budget <= 0 {
		s.budget = policy.DefaultPathBudget
	}
	if err := s.start(to); err != nil {
		return nil, err
	}
	return s.run()
}

// start finds the Subscription, what it has installed, and the target.
func (s *pathSearch) start(to string) error {
	invalid := func(err error) error { return &result.InvalidInput{Subject: "namespace " + s.namespace, Err: err} }
	state := s.in.Cluster.In(s.namespace)
	i := slices.IndexFunc(state.Subscriptions, func(sub cluster.Subscription) bool {
		return sub.Package == s.pkg && sub.InstalledCSV != ""
	})
	if i < 0 {
		return invalid(fmt.Errorf("no Subscription to package %s has anything installed", s.pkg))
	}
	s.subscription = state.Subscriptions[i].Name
	return s.read(s.in.Cluster, func(p *encode.Part, r *encode.Request) error {
		if r.Current < 0 {
			return invalid(fmt.Errorf("ClusterServiceVersion %s, which Subscription %s has installed, is not there", state.Subscriptions[i].InstalledCSV, s.subscription))
		}
		if r.Fault != nil {
			unsatisfied := explain.RequestReason(p, r)
			return invalid(errors.New(unsatisfied.Message()))
		}
		wish, current := r.Wish.(encode.Subscription), &p.Installed[r.Current]
		s.from = current.Name()
		if s.target = wish.Target(p, current, to); s.target == "" {
			return invalid(&result.UnknownBundle{Package: s.pkg, Bundle: to, Nearest: missing.Nearest(to, p.Stepping(p.BundleNames(s.pkg)))})
		}
		s.graph = updateGraph{}
		for name, version := range versionsOf(p, wish, current) {
			s.graph[name] = wish.UpdatesOf(p, name, version)
		}
		s.distance = s.graph.distances(s.target)
		return nil
	})
}

// read reads the namespace in a state and hands over the request.
func (s *pathSearch) read(state *inventory.Cluster, use func(*encode.Part, *encode.Request) error) error {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	in := s.in
	in.Cluster = state
	m, err := s.memory.NewModel(ctx, stop, in)
	if err != nil {
		return err
	}
	p := m.Parts[0]
	return use(p, &p.Requests[slices.IndexFunc(p.Requests, func(r encode.Request) bool { return r.Name() == s.subscription })])
}

// run expands the most promising states first, and each once, whatever the steps
// to it.
func (s *pathSearch) run() (*result.Path, error) {
	if _, ok := s.distance[s.from]; !ok {
		return nil, s.noPath(s.graph.reach(s.from))
	}
	s.reached = []string{s.from}
	s.seen = map[string]bool{s.fingerprint(s.in.Cluster): true}
	s.open = []pathState{{cluster: s.in.Cluster, bundle: s.from}}
	for len(s.open) > 0 {
		state := s.next()
		if state.bundle == s.target {
			return &result.Path{Namespace: s.namespace, Package: s.pkg, From: s.from, To: s.target, Steps: state.steps}, nil
		}
		if err := s.expand(state); err != nil {
			return nil, err
		}
	}
	return nil, s.noPath(s.reached)
}

// noPath is the error of a search that found no path.
func (s *pathSearch) noPath(reached []string) error {
	none := &result.NoPath{Namespace: s.namespace, Package: s.pkg, From: s.from, To: s.target, Reached: reached, Blocked: s.blocked}
	if err := s.read(s.in.Cluster, func(p *encode.Part, r *encode.Request) error {
		none.Blocked = append(none.Blocked, s.unusable(p, r, reached)...)
		return nil
	}); err != nil {
		return err
	}
	return none
}

// unusable lists the entries that would lead from what is reached towards the
// target, and are no candidates.
func (s *pathSearch) unusable(p *encode.Part, r *encode.Request, reached []string) []result.BlockedUpdate {
	wish := r.Wish.(encode.Subscription)
	versions := versionsOf(p, wish, &p.Installed[r.Current])
	unusable := map[string][]encode.UnusableUpdate{}
	all := updateGraph{} // as if these entries were candidates
	todo := slices.Collect(maps.Keys(versions))
	for i := 0; i < len(todo); i++ {
		name := todo[i]
		// An entry without bundle has no version.
		all[name], unusable[name] = wish.UpdatesOf(p, name, versions[name]), wish.UnusableUpdates(p, name, versions[name])
		for _, u := range unusable[name] {
			to := u.At().Name
			all[name] = append(all[name], to)
			if _, known := versions[to]; !known {
				versions[to] = semver.Version{}
				todo = append(todo, to)
			}
		}
	}
	distance := all.distances(s.target)
	var blocked []result.BlockedUpdate
	for _, from := range reached {
		updates := slices.Clone(s.graph[from])
		for _, u := range unusable[from] {
			to := u.At().Name
			if _, leads := distance[to]; leads && !slices.Contains(updates, to) {
				updates = append(updates, to)
				why := missing.Unusable(p, u).Detail.(result.Unusable).Why
				blocked = append(blocked, result.BlockedUpdate{From: from, To: to, Err: why})
			}
		}
	}
	return blocked
}

// next takes the state with the fewest steps in all, those taken and those to
// go; of these the one closest to the target, and of those the oldest.
func (s *pathSearch) next() pathState {
	best := 0
	for i := range s.open {
		if s.cost(i) < s.cost(best) || s.cost(i) == s.cost(best) && len(s.open[i].steps) > len(s.open[best].steps) {
			best = i
		}
	}
	state := s.open[best]
	s.open = slices.Delete(s.open, best, best+1)
	return state
}

func (s *pathSearch) cost(i int) int { return len(s.open[i].steps) + s.distance[s.open[i].bundle] }

// errBudget ends a search that takes too many resolutions.
var errBudget = errors.New("the budget of resolutions is used up")

// expand adds the states that one update leads to.
func (s *pathSearch) expand(state pathState) error {
	updates, err := s.updates(state.cluster)
	if err != nil {
		return err
	}
	for _, update := range updates {
		if err := s.ctx.Err(); err != nil {
			return &result.Incomplete{Phase: "searching a path", Err: err}
		}
		if s.budget--; s.budget < 0 {
			return &result.Incomplete{Phase: "searching a path", Err: errBudget}
		}
		resolution, err := s.step(state.cluster, update.v)
		if incomplete, ok := errors.AsType[*result.Incomplete](err); ok {
			return incomplete
		}
		if err == nil && len(resolution.LeftOut) > 0 {
			err = resolution.LeftOut[0].Err
		}
		if err != nil {
			s.blocked = append(s.blocked, result.BlockedUpdate{From: state.bundle, To: update.name, Err: err})
			continue
		}
		after := After(state.cluster, resolution)
		key := s.fingerprint(after)
		if s.seen[key] {
			continue
		}
		s.seen[key] = true
		if !slices.Contains(s.reached, update.name) {
			s.reached = append(s.reached, update.name)
		}
		s.open = append(s.open, pathState{after, update.name, append(slices.Clip(state.steps), result.PathStep{Bundle: update.name, Resolution: resolution})})
	}
	return nil
}

// pathUpdate is a candidate that takes the place of what is installed.
type pathUpdate struct {
	v    solver.Var
	name string
}

// updates lists the edges that lead towards the target, the closest to it first.
func (s *pathSearch) updates(state *inventory.Cluster) ([]pathUpdate, error) {
	var list []pathUpdate
	err := s.read(state, func(p *encode.Part, r *encode.Request) error {
		if current := &p.Installed[r.Current]; current.Held() != nil {
			s.blocked = append(s.blocked, result.BlockedUpdate{From: current.Name(), To: s.target, Err: current.Held()})
		}
		for _, v := range r.Candidates {
			name := p.NameOf(v)
			if _, ok := s.distance[name]; ok && p.AsInstalled(v) == nil {
				list = append(list, pathUpdate{v, name})
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b pathUpdate) int { return s.distance[a.name] - s.distance[b.name] })
	return list, err
}

// step resolves the namespace with the update as the only candidate of the
// Subscription.
func (s *pathSearch) step(state *inventory.Cluster, update solver.Var) (*result.Resolution, error) {
	in := s.in
	in.Cluster, in.Only = state, &encode.OnlyCandidate{Subscription: s.subscription, Candidate: update}
	return s.resolve(s.ctx, in)
}

// fingerprint identifies a state by what is installed for which Subscription.
func (s *pathSearch) fingerprint(state *inventory.Cluster) string {
	n := state.In(s.namespace)
	var b strings.Builder
	for i := range n.CSVs {
		fmt.Fprintf(&b, "%q ", n.CSVs[i].Name)
	}
	for i := range n.Subscriptions {
		fmt.Fprintf(&b, "%q %q ", n.Subscriptions[i].Name, n.Subscriptions[i].InstalledCSV)
	}
	return b.String()
}

// updateGraph leads from the bundles of a package, by name, to those that a
// Subscription may update them to, whatever else is installed.
type updateGraph map[string][]string

// versionsOf returns the version of each bundle of a package, by name, and of what
// is installed.
func versionsOf(p *encode.Part, s encode.Subscription, cur *encode.InstalledBundle) map[string]semver.Version {
	versions := map[string]semver.Version{cur.Name(): cur.Version}
	for _, c := range p.Catalogs {
		for b := range c.Bundles(s.PackageName()) {
			if _, known := versions[b.Name]; !known {
				versions[b.Name] = b.Version
			}
		}
	}
	return versions
}

// distances returns the least number of edges from each bundle to the target.
func (g updateGraph) distances(target string) map[string]int {
	reversed := updateGraph{}
	for from, list := range g {
		for _, to := range list {
			reversed[to] = append(reversed[to], from)
		}
	}
	distance := map[string]int{target: 0}
	for queue := []string{target}; len(queue) > 0; queue = queue[1:] {
		for _, next := range reversed[queue[0]] {
			if _, known := distance[next]; !known {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return distance
}

// reach lists what edges lead to from a bundle, by their number.
func (g updateGraph) reach(from string) []string {
	reached := []string{from}
	seen := map[string]bool{from: true}
	for i := 0; i < len(reached); i++ {
		for _, next := range g[reached[i]] {
			if !seen[next] {
				seen[next] = true
				reached = append(reached, next)
			}
		}
	}
	return reached
}
