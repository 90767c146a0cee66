package resolver

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// questions are what Reach asks and follows.
type questions struct {
	resolve func(inputs)
	each    func(in inputs, namespaces []string)
	justify func(inputs)
}

// reach implements Resolver.Reach.
func reach(ctx context.Context, in inputs, asked Asked, q questions) (*Reached, error) {
	t := &tracer{seen: map[catalog.Key]map[string]bool{}, visited: map[place]bool{}, forbidden: map[Forbidden]bool{}}
	options := *in.options
	if judge := options.SystemConstraint; judge != nil {
		options.SystemConstraint = t.recording(judge)
	}
	in.options, in.trace = &options, t.remember
	switch {
	case asked.Jointly:
		in := in
		in.namespaces = slices.Compact(slices.Sorted(slices.Values(asked.Namespaces)))
		q.resolve(in)
	case options.SingleOwner || options.SameVersions:
		q.each(in, asked.Namespaces)
	}
	for i := range asked.Namespaces {
		in := in
		in.namespaces = asked.Namespaces[i : i+1]
		q.resolve(in) // failures reach, too
		q.justify(in)
	}
	for _, name := range asked.Extensions {
		in := in
		in.extension = name
		q.resolve(in)
		q.justify(in)
	}
	t.addAsked(in.cluster, in.view)
	for _, p := range t.problems {
		t.follow(ctx, p)
		if ctx.Err() != nil {
			return nil, &result.Incomplete{Phase: "following requests", Err: ctx.Err()}
		}
	}
	return t.reached(), nil
}

// place is a bundle of a problem.
type place struct {
	p *problem
	v solver.Var
}

// tracer remembers the problems that a Resolver made.
type tracer struct {
	seen    map[catalog.Key]map[string]bool
	visited map[place]bool

	mu        sync.Mutex
	problems  []*problem
	forbidden map[Forbidden]bool
}

func (t *tracer) remember(p *problem) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, p)
}

func (t *tracer) recording(judge SystemConstraint) SystemConstraint {
	return func(ctx context.Context, c Candidate) (bool, string) {
		allowed, reason := judge(ctx, c)
		if !allowed {
			t.mu.Lock()
			t.forbidden[Forbidden{c.Catalog, c.Package, c.Bundle, reason}] = true
			t.mu.Unlock()
		}
		return allowed, reason
	}
}

func (t *tracer) add(k catalog.Key, pkg string) {
	if t.seen[k] == nil {
		t.seen[k] = map[string]bool{}
	}
	t.seen[k][pkg] = true
}

// addAsked adds the packages that requests name, wherever they are.
func (t *tracer) addAsked(cluster *inventory, view *cache.View) {
	var names []string
	for _, s := range cluster.objects.Subscriptions {
		names = append(names, s.Package)
	}
	for _, e := range cluster.objects.ClusterExtensions {
		names = append(names, e.Package)
	}
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for _, name := range names {
			if c.Snapshot.Package(name) != nil || len(c.Snapshot.Quarantined(name)) > 0 {
				t.add(c.Key, name)
			}
		}
	}
}

// has reports whether a number is that of a bundle of the problem itself.
func (p *problem) has(v solver.Var) bool {
	return v >= p.base && int(v-p.base) < int(p.universe.size)+len(p.installed)
}

// follow adds all that a problem can reach.
func (t *tracer) follow(ctx context.Context, p *problem) {
	for k, packages := range p.notes {
		for pkg := range packages {
			t.add(k, pkg)
		}
	}
	todo := p.given(nil)
	for i := range p.requests {
		todo = append(todo, p.requests[i].candidates...)
	}
	for i := range p.installed {
		todo = append(todo, p.installedVar(i))
		for c := range p.universe.catalogs {
			catalog := &p.universe.catalogs[c]
			for _, id := range catalog.snapshot.Named(p.installed[i].name()) {
				t.add(catalog.key, catalog.snapshot.Bundle(id).Package)
			}
		}
	}
	t.followFrom(ctx, p, todo)
}

// followFrom adds all that some bundles can reach.
func (t *tracer) followFrom(ctx context.Context, p *problem, todo []solver.Var) {
	// The call that made the problem is over, and its context with it.
	p.restart(ctx)
	for len(todo) > 0 && p.err == nil {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.visited[place{p, v}] {
			continue
		}
		t.visited[place{p, v}] = true
		if !p.has(v) {
			for _, n := range p.neighbours {
				if n.has(v) {
					t.followFrom(ctx, n, []solver.Var{v})
				}
			}
			continue
		}
		if p.asInstalled(v) == nil {
			c, id := p.locate(v)
			t.add(p.universe.catalogs[c].key, p.universe.catalogs[c].snapshot.Bundle(id).Package)
		}
		for _, rule := range p.Rules(v) {
			todo = positive(rule.Formula, todo)
			todo = negative(rule.Formula, todo)
		}
	}
}

func (t *tracer) reached() *Reached {
	r := &Reached{Packages: map[catalog.Key][]string{}}
	for k, packages := range t.seen {
		r.Packages[k] = slices.Sorted(maps.Keys(packages))
	}
	for f := range t.forbidden {
		r.Forbidden = append(r.Forbidden, f)
	}
	slices.SortFunc(r.Forbidden, func(a, b Forbidden) int {
		return cmp.Or(a.Catalog.Compare(b.Catalog), cmp.Compare(a.Package, b.Package), cmp.Compare(a.Bundle, b.Bundle), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}
