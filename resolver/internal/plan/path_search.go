// Package plan answers questions that take several resolutions: the shortest path
// of updates, which requests can proceed without others, which bundles nobody can
// install, and what an answer depends on.
package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// pathSearch is an A* search over states of the namespace. What is left to go
// is estimated by the edges of the channels alone, as if nothing else stood in
// the way; that is never too much, so the first path that is found is a
// shortest one.
type pathSearch struct {
	ctx context.Context
	// in are the inputs, whose cluster is that of the state that is looked at.
	in        encode.Inputs
	read      func(context.Context, context.CancelFunc, encode.Inputs) (*encode.Model, error)
	resolve   func(context.Context, encode.Inputs) (*result.Resolution, error)
	namespace string
	pkg       string
	budget    int

	subscription string
	from, target string
	graph        updateGraph
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
func FindPath(ctx context.Context, in encode.Inputs, pkg, to string,
	read func(context.Context, context.CancelFunc, encode.Inputs) (*encode.Model, error),
	resolve func(context.Context, encode.Inputs) (*result.Resolution, error),
) (*result.Path, error) {
	s := &pathSearch{ctx: ctx, in: in, read: read, resolve: resolve, namespace: in.Namespaces[0], pkg: pkg, budget: in.Options.PathBudget}
	if s.budget <= 0 {
		s.budget = policy.DefaultPathBudget
	}
	if err := s.start(in.Cluster, to); err != nil {
		return nil, err
	}
	return s.run(in.Cluster)
}

// start finds the Subscription, what it has installed, and the target.
func (s *pathSearch) start(known *inventory.Cluster, to string) error {
	invalid := func(format string, args ...any) error {
		return &result.InvalidInput{Subject: "namespace " + s.namespace, Err: fmt.Errorf(format, args...)}
	}
	state := known.In(s.namespace)
	i := slices.IndexFunc(state.Subscriptions, func(sub cluster.Subscription) bool {
		return sub.Package == s.pkg && sub.InstalledCSV != ""
	})
	if i < 0 {
		return invalid("no Subscription to package %s has anything installed", s.pkg)
	}
	s.subscription = state.Subscriptions[i].Name
	return s.look(known, func(p *encode.Part) error {
		r := requestOf(p, s.subscription)
		if r.Current < 0 {
			return invalid("ClusterServiceVersion %s, which Subscription %s has installed, is not there", state.Subscriptions[i].InstalledCSV, s.subscription)
		}
		if r.Fault != nil {
			unmet := explain.RequestReason(p, r)
			return invalid("%s", unmet.Message())
		}
		wish, cur := r.Wish.(encode.Subscription), &p.Installed[r.Current]
		s.from = cur.Name()
		if s.target = wish.Target(p, cur, to); s.target == "" {
			unknown := &result.UnknownBundle{Package: s.pkg, Bundle: to, Nearest: missing.Nearest(to, p.Stepping(p.BundleNames(s.pkg)))}
			return &result.InvalidInput{Subject: "namespace " + s.namespace, Err: unknown}
		}
		s.graph = readUpdateGraph(p, wish, cur)
		s.distance = s.graph.distances(s.target)
		return nil
	})
}

// look reads the problem of the namespace in a state and hands it over.
func (s *pathSearch) look(known *inventory.Cluster, use func(*encode.Part) error) error {
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	in := s.in
	in.Cluster = known
	m, err := s.read(ctx, stop, in)
	if err == nil {
		err = m.Ended()
	}
	if err != nil {
		return err
	}
	return use(m.Parts[0])
}

func requestOf(p *encode.Part, subscription string) *encode.Request {
	return &p.Requests[slices.IndexFunc(p.Requests, func(r encode.Request) bool { return r.Name() == subscription })]
}

// run looks at the most promising states first, and at each once, however it
// came about.
func (s *pathSearch) run(known *inventory.Cluster) (*result.Path, error) {
	if _, ok := s.distance[s.from]; !ok {
		return nil, s.noPath(s.graph.reach(s.from))
	}
	s.reached = []string{s.from}
	s.seen = map[string]bool{fingerprint(known.In(s.namespace)): true}
	s.open = []pathState{{cluster: known, bundle: s.from}}
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

func (s *pathSearch) noPath(reached []string) *result.NoPath {
	return &result.NoPath{Namespace: s.namespace, Package: s.pkg, From: s.from, To: s.target, Reached: reached, Blocked: s.blocked}
}

// next takes the state with the fewest steps in all, those taken and those to
// go; the one nearest to the target of these, and the oldest of those.
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
		key := fingerprint(after.In(s.namespace))
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

// updates lists the edges that lead towards the target, the nearest first.
func (s *pathSearch) updates(known *inventory.Cluster) ([]pathUpdate, error) {
	var list []pathUpdate
	err := s.look(known, func(p *encode.Part) error {
		r := requestOf(p, s.subscription)
		if cur := &p.Installed[r.Current]; cur.Held() != nil {
			s.blocked = append(s.blocked, result.BlockedUpdate{From: cur.Name(), To: s.target, Err: cur.Held()})
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

// step resolves the namespace with the given update as the only one that meets
// the Subscription.
func (s *pathSearch) step(known *inventory.Cluster, update solver.Var) (*result.Resolution, error) {
	in := s.in
	in.Cluster, in.Only = known, &encode.OnlyCandidate{Subscription: s.subscription, Candidate: update}
	return s.resolve(s.ctx, in)
}

// fingerprint tells states of a namespace apart by what is installed for whom.
func fingerprint(n *inventory.Namespace) string {
	var b strings.Builder
	for i := range n.CSVs {
		fmt.Fprintf(&b, "%q ", n.CSVs[i].Name)
	}
	for i := range n.Subscriptions {
		fmt.Fprintf(&b, "%q %q ", n.Subscriptions[i].Name, n.Subscriptions[i].InstalledCSV)
	}
	return b.String()
}
