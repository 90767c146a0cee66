package lock

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Cluster is a cluster of the fleet. Its name is empty if it is the only one.
type Cluster struct {
	Name    string
	Problem resolver.Problem
}

// Options are the options of a call. The zero value works.
type Options struct {
	// Resolver is the one to ask; nil means a new one.
	Resolver *resolver.Resolver
	// Before is the lock whose bundles stay where they can; its waves are kept. [Lock.Update] and
	// [Lock.Check] set it.
	Before *Lock
	// MinAge takes no new bundle that is younger. Its age counts from the day on which a lock first
	// saw it, or on which it says that it was made, if that is older. 0 takes all.
	MinAge time.Duration
	// Date is today as YYYY-MM-DD, which MinAge needs.
	Date string
	// Wave moves only the clusters of one wave, to what those of the waves before it run.
	Wave string
}

// Result is a new lock and what it moves.
type Result struct {
	Lock *Lock
	// Moves are sorted by scope and package.
	Moves []Move
	// Unresolved are the scopes without an answer. The lock keeps their old blocks.
	Unresolved []Outcome
}

// Outcome is why a scope of a cluster has no answer.
type Outcome struct {
	Cluster string
	Scope   cluster.Scope
	Err     error
}

// String returns the scope and why it has no answer, in one line.
func (o Outcome) String() string { return title(o.Cluster, o.Scope) + ": " + o.Err.Error() }

// Make locks the requests of the clusters. With Options.Before, bundles that are locked stay, and
// only what is new is added. The error is that of the context or of the options.
func Make(ctx context.Context, clusters []Cluster, o Options) (*Result, error) {
	return run(ctx, clusters, o, func(string) bool { return false })
}

// Update moves packages as far as the policies let them, and nothing else that need not move. No
// packages means all. Clusters that are not given keep their blocks.
func (l *Lock) Update(ctx context.Context, clusters []Cluster, packages []string, o Options) (*Result, error) {
	o.Before = l
	for _, pkg := range packages {
		if !slices.ContainsFunc(l.Scopes, func(s Scope) bool { return s.Bundle(pkg) != nil }) {
			return nil, fmt.Errorf("package %s: it is not locked", pkg)
		}
	}
	return run(ctx, clusters, o, func(pkg string) bool { return len(packages) == 0 || slices.Contains(packages, pkg) })
}

// maker is one call.
type maker struct {
	walker
	o       Options
	today   time.Time
	before  *Lock
	movable func(pkg string) bool
	// got are the bundles of the waves before Options.Wave, by package; nil without a wave.
	got map[string]map[string]bool
}

func newMaker(o Options, movable func(string) bool) (*maker, error) {
	m := &maker{o: o, before: o.Before, movable: movable}
	m.shared = &shared{below: map[place]map[string]bool{}, sums: map[place]string{}}
	if m.resolver = o.Resolver; m.resolver == nil {
		m.resolver = resolver.New()
	}
	if m.before == nil {
		m.before = &Lock{}
	}
	var err error
	if o.MinAge > 0 {
		if m.today, err = day(o.Date); err != nil {
			return nil, fmt.Errorf("a minimum age needs the date of today: %w", err)
		}
	}
	return m, nil
}

func run(ctx context.Context, clusters []Cluster, o Options, movable func(string) bool) (*Result, error) {
	m, err := newMaker(o, movable)
	if err != nil {
		return nil, err
	}
	if clusters, err = m.inWave(known(clusters)); err != nil {
		return nil, err
	}
	made, err := each(ctx, clusters, func(c Cluster) (*Result, error) { return m.cluster(ctx, c) })
	if err != nil {
		return nil, err
	}
	all := &Result{Lock: &Lock{APIVersion: apiVersion, Kind: kind, Waves: m.before.Waves, Policies: m.before.Policies}}
	for i, c := range clusters {
		if i == 0 {
			all.Lock.Policies = policies(&c.Problem.Options)
		}
		all.Lock.Scopes = append(all.Lock.Scopes, made[i].Lock.Scopes...)
		all.Unresolved = append(all.Unresolved, made[i].Unresolved...)
		all.Moves = append(all.Moves, made[i].Moves...)
	}
	for _, s := range m.before.Scopes {
		if !slices.ContainsFunc(clusters, func(c Cluster) bool { return c.Name == s.Cluster }) {
			all.Lock.Scopes = append(all.Lock.Scopes, s)
		}
	}
	all.Lock.sort()
	because := map[string]Move{}
	for _, move := range all.Moves {
		because[title(move.Cluster, move.Scope)+" "+move.Package] = move
	}
	all.Moves = Moves(m.before, all.Lock)
	for i := range all.Moves {
		move := &all.Moves[i]
		told := because[title(move.Cluster, move.Scope)+" "+move.Package]
		move.Because, move.Notes = told.Because, told.Notes
	}
	return all, nil
}

// known returns the clusters, those without an index with an empty one.
func known(clusters []Cluster) []Cluster {
	list := slices.Clone(clusters)
	for i := range list {
		list[i].Problem.Cluster = cmp.Or(list[i].Problem.Cluster, cluster.NewIndex(cluster.Objects{}))
	}
	return list
}

// each asks about the clusters on all processors, and returns the answers in their order.
func each[T any](ctx context.Context, clusters []Cluster, ask func(Cluster) (T, error)) ([]T, error) {
	answers, errs := make([]T, len(clusters)), make([]error, len(clusters))
	var running sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(clusters)) {
		running.Go(func() {
			for i := range next {
				if errs[i] = context.Cause(ctx); errs[i] == nil {
					answers[i], errs[i] = ask(clusters[i])
					errs[i] = cmp.Or(errs[i], context.Cause(ctx)) // what was cut off is no answer
				}
			}
		})
	}
	for i := range clusters {
		next <- i
	}
	close(next)
	running.Wait()
	return answers, cmp.Or(errs...)
}

// policies identifies the policies of the options.
func policies(o *policy.Options) (list []Policy) {
	for _, p := range o.Policies {
		list = append(list, Policy{p.Name, digest([]byte(p.Source))})
	}
	return list
}

// cluster locks the scopes of a cluster.
func (m *maker) cluster(ctx context.Context, c Cluster) (*Result, error) {
	r := &Result{Lock: &Lock{}}
	for _, scope := range c.Problem.Cluster.Scopes() {
		before := m.before.Find(c.Name, scope)
		s := chooser{m, ctx, c, scope, cmp.Or(before, &Scope{})}
		made, because, err := s.run()
		if err != nil {
			return nil, err
		}
		var block *Scope
		failed := result.Outcome{Scope: scope}
		if made.err != nil {
			failed = s.explained(made.err)
		} else if block, err = s.block(made); err != nil {
			if failed.Err = err; failed.Result() != result.ResultInvalidInput {
				return nil, err
			}
		}
		if failed.Err != nil {
			r.Unresolved = append(r.Unresolved, Outcome{c.Name, failed.Scope, failed.Err})
			if before != nil {
				r.Lock.Scopes = append(r.Lock.Scopes, *before)
			}
			continue
		}
		r.Lock.Scopes = append(r.Lock.Scopes, *block)
		old := &Lock{}
		if before != nil {
			old.Scopes = []Scope{*before}
		}
		for _, move := range Moves(old, &Lock{Scopes: []Scope{*block}}) {
			move.Because, move.Notes = because[move.Package], s.notes(move)
			r.Moves = append(r.Moves, move)
		}
	}
	return r, nil
}

// chooser finds the bundles of one scope.
type chooser struct {
	*maker
	ctx    context.Context
	c      Cluster
	scope  cluster.Scope
	before *Scope // empty if the scope is not locked
}

// explained returns the failure with the fixes that the caller's options ask for.
func (s *chooser) explained(err error) result.Outcome {
	p := s.c.Problem
	noFixes := p.Options.NoFixes
	p.Options = s.options(p.Options, s.admitted(nil, nil))
	p.Options.NoFixes = noFixes
	if _, again := s.resolver.Resolve(s.ctx, p, s.scope); again != nil && !noFixes {
		err = again
	}
	return result.Outcome{Scope: s.scope, Err: err}
}

// snapshot returns the catalog of a bundle, nil if it is not given.
func (s *chooser) snapshot(key catalog.Key) *catalog.Snapshot {
	if c := s.c.Problem.Catalogs.Catalog(key); c != nil {
		return c.Snapshot
	}
	return nil
}

// exact reports whether nothing of a package is installed, so that the cluster gets the locked
// bundle itself and no other on the way.
func (s *chooser) exact(pkg string) bool {
	if e := s.c.Problem.Cluster.Extension(s.scope.Extension()); e != nil {
		return e.Package != pkg || e.Installed == nil
	}
	for _, sub := range s.c.Problem.Cluster.In(s.scope.Name).Subscriptions {
		if sub.Package == pkg && sub.InstalledCSV != "" {
			return false
		}
	}
	return true
}

// only admits a bundle and what leads to it.
func (s *chooser) only(b catalog.BundleKey) func(catalog.BundleKey) (bool, string) {
	ways := map[string]bool{b.Name: true}
	if snapshot := s.snapshot(b.Catalog); snapshot != nil && !s.exact(b.Package) {
		ways = s.shared.waysTo(s.ctx, snapshot, b.Package, b.Name)
	}
	return func(key catalog.BundleKey) (bool, string) {
		if ways[key.Name] && (b.Catalog.Name == "" || key.Catalog == b.Catalog) {
			return true, ""
		}
		return false, "the lock holds " + b.Package + " at " + b.Name
	}
}

// admitted returns what may be selected: of pinned packages the locked bundle, of those with a
// target that, of others what startingCSV, minimum age and wave leave.
func (s *chooser) admitted(pinned map[string]bool, targets map[string]catalog.BundleKey) allow {
	a := allow{}
	for _, sub := range s.c.Problem.Cluster.In(s.scope.Namespace()).Subscriptions {
		if !s.scope.Alone() && sub.StartingCSV != "" && s.exact(sub.Package) {
			start := sub.StartingCSV
			a[sub.Package] = func(key catalog.BundleKey) (bool, string) {
				return key.Name == start, "startingCSV names " + start
			}
		}
	}
	for i := range s.before.Bundles {
		if b := &s.before.Bundles[i]; pinned[b.Package] {
			a[b.Package] = s.only(b.key())
		}
	}
	for pkg, key := range targets {
		a[pkg] = s.only(key)
	}
	if s.o.MinAge > 0 || s.got != nil {
		return s.restricted(a)
	}
	return a
}

// run returns where the scope ends, and why packages move that nobody asked to move.
func (s *chooser) run() (*endState, map[string]string, error) {
	pinned := map[string]bool{}
	moving := []string{}
	for _, locked := range s.before.Bundles {
		if s.movable(locked.Package) {
			moving = append(moving, locked.Package)
		} else {
			pinned[locked.Package] = true
		}
	}
	made, err := s.attempt(pinned, nil)
	if err != nil || len(pinned) == 0 {
		return made, nil, err
	}
	held := made.err == nil
	if !held {
		if made, err = s.attempt(nil, nil); err != nil || made.err != nil {
			return made, nil, err
		}
	}
	targets := map[string]catalog.BundleKey{}
	for _, pkg := range moving {
		now := made.bundles[pkg]
		if now == nil {
			continue
		}
		targets[pkg] = now.key()
		if further, err := s.further(now, targets); err != nil {
			return nil, nil, err
		} else if further != nil {
			made, held = further, false
			targets[pkg] = made.bundles[pkg].key()
		}
	}
	if held {
		return made, nil, nil
	}
	return s.least(made, pinned, targets)
}

// further tries to take a package further than it gets while all others stay.
func (s *chooser) further(now *Bundle, targets map[string]catalog.BundleKey) (*endState, error) {
	snapshot := s.snapshot(catalog.ParseKey(now.Catalog))
	if snapshot == nil {
		return nil, nil
	}
	for _, b := range above(s.ctx, snapshot, now.Package, now.Name) {
		targets[now.Package] = b.Key(catalog.ParseKey(now.Catalog))
		made, err := s.attempt(nil, targets)
		if err != nil || made.err == nil {
			return made, err
		}
	}
	targets[now.Package] = now.key()
	return nil, nil
}

// least pins back what need not move with the targets.
func (s *chooser) least(made *endState, pinned map[string]bool, targets map[string]catalog.BundleKey) (*endState, map[string]string, error) {
	stay, because := map[string]bool{}, map[string]string{}
	var others []string
	for pkg := range pinned {
		if b := made.bundles[pkg]; b != nil && b.key() == s.before.Bundle(pkg).key() {
			stay[pkg] = true
		} else {
			others = append(others, pkg)
		}
	}
	slices.Sort(others)
	if again, err := s.attempt(stay, targets); err != nil {
		return nil, nil, err
	} else if again.err == nil {
		made = again
	} else {
		others = slices.Sorted(maps.Keys(pinned))
		clear(stay)
	}
	for _, pkg := range others {
		stay[pkg] = true
		again, err := s.attempt(stay, targets)
		if err != nil {
			return nil, nil, err
		}
		if again.err == nil {
			made = again
			continue
		}
		delete(stay, pkg)
		because[pkg] = s.why(pkg, targets, again.err)
	}
	return made, because, nil
}

// why says why a package moves along: with what is locked, a target is out of reach.
func (s *chooser) why(pkg string, targets map[string]catalog.BundleKey, err error) string {
	if len(targets) == 0 {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	var names []string
	for _, target := range slices.Sorted(maps.Keys(targets)) {
		if s.before.Bundle(target).Name != targets[target].Name {
			names = append(names, target+" does not get to "+targets[target].Name)
		}
	}
	return "with " + s.before.Bundle(pkg).Name + ", " + strings.Join(names, " and ")
}

// attempt returns where the scope ends if some packages stay and some reach their targets. It is
// an error of the end if one of them ends elsewhere.
func (s *chooser) attempt(pinned map[string]bool, targets map[string]catalog.BundleKey) (*endState, error) {
	made, err := s.walk(s.ctx, s.c.Problem, s.scope, s.admitted(pinned, targets))
	if err != nil || made.err != nil {
		return made, err
	}
	for pkg, key := range targets {
		if b := made.bundles[pkg]; b == nil || b.Name != key.Name {
			return &endState{err: fmt.Errorf("updates do not lead package %s to %s", pkg, key.Name)}, nil
		}
	}
	for _, locked := range s.before.Bundles {
		if b := made.bundles[locked.Package]; pinned[locked.Package] && b != nil && b.Name != locked.Name {
			return &endState{err: fmt.Errorf("package %s ends at %s and does not get to %s", locked.Package, b.Name, locked.Name)}, nil
		}
	}
	return made, nil
}
