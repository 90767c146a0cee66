package outcome

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Footprint is the part of the catalogs that answers and explanations depend on.
type Footprint struct {
	// Packages are the names of packages, sorted, by catalog.
	Packages map[catalog.Key][]string
	// Forbidden has the reason for which Options.SystemConstraint forbids a bundle; of
	// several reasons the first in the order of strings.
	Forbidden map[catalog.BundleKey]string
}

// FootprintOf resolves the scopes and returns the packages that their resolution can reach, or that an
// explanation of the outcome mentions. No other package changes an answer. The error is an
// *Incomplete or an *Internal.
func FootprintOf(ctx context.Context, w world.World, scopes []cluster.Scope) (_ *Footprint, err error) {
	defer pace.Recover(&err, "following requests")
	t := &tracer{packages: map[catalog.Key]map[string]bool{}, visited: map[bundleOf]bool{}, forbidden: map[catalog.BundleKey]string{}}
	w = w.With(func(o *policy.Options) {
		if judge := o.SystemConstraint; judge != nil {
			o.SystemConstraint = t.recording(judge)
		}
	})
	w.In.Reads = &model.Reads{}
	if o := w.In.Options; o.Jointly || o.SingleOwner || o.SameVersions {
		All(ctx, w, scopes) // here scopes depend on each other
	}
	turns := TurnsOf(ctx, w, scopes...)
	for i := range scopes {
		of := turns.At(w, scopes[i])
		_, _ = Resolve(ctx, of) // a failure reads packages, too
		_, _ = Justify(ctx, of)
		if ctx.Err() != nil { // Parts may be half read
			return nil, &result.Incomplete{Phase: "following requests", Err: ctx.Err()}
		}
	}
	t.addRequested(w.In.Cluster, w.In.View)
	parts, packages := w.In.Reads.All()
	for k := range packages {
		t.add(k.Catalog, k.Package)
	}
	for _, p := range parts {
		t.follow(p)
		if ctx.Err() != nil {
			return nil, &result.Incomplete{Phase: "following requests", Err: ctx.Err()}
		}
	}
	return t.footprint(), nil
}

// bundleOf is a bundle of a Part.
type bundleOf struct {
	p *model.Part
	v solver.Var
}

// tracer collects the packages that Parts can reach.
type tracer struct {
	packages map[catalog.Key]map[string]bool
	visited  map[bundleOf]bool

	mu        sync.Mutex
	forbidden map[catalog.BundleKey]string
}

// judging is the type of policy.Options.SystemConstraint.
type judging = func(ctx context.Context, c policy.Candidate) (allowed bool, reason string)

// recording returns judge, which also notes the bundles that it forbids.
func (t *tracer) recording(judge judging) judging {
	return func(ctx context.Context, c policy.Candidate) (bool, string) {
		allowed, reason := judge(ctx, c)
		if !allowed {
			t.mu.Lock()
			if known, ok := t.forbidden[c.Bundle]; !ok || reason < known {
				t.forbidden[c.Bundle] = reason
			}
			t.mu.Unlock()
		}
		return allowed, reason
	}
}

func (t *tracer) add(k catalog.Key, pkg string) {
	if t.packages[k] == nil {
		t.packages[k] = map[string]bool{}
	}
	t.packages[k][pkg] = true
}

// addRequested adds the packages that requests name, in every catalog that has them.
func (t *tracer) addRequested(known *cluster.Index, view *cache.View) {
	var names []string
	for _, s := range known.Objects().Subscriptions {
		names = append(names, s.Package)
	}
	for _, e := range known.Objects().ClusterExtensions {
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

// has reports whether a number belongs to a bundle of the Part.
func has(p *model.Part, v solver.Var) bool {
	return v >= p.Base && int(v-p.Base) < int(p.Universe.Size)+len(p.Installed)
}

// follow adds the packages that a Part can reach.
func (t *tracer) follow(p *model.Part) {
	todo := p.Given(nil)
	for _, demand := range p.Model.Demands {
		todo = model.Positive(demand.Formula, todo)
	}
	for i := range p.Installed {
		todo = append(todo, p.InstalledVar(i))
		for _, c := range p.Catalogs {
			for _, id := range c.Snapshot.Named(p.Installed[i].Name()) {
				t.add(c.Key, c.Snapshot.Bundle(id).Package)
			}
		}
	}
	t.followFrom(p, todo)
}

// followFrom adds the packages that bundles of a Part can reach.
func (t *tracer) followFrom(p *model.Part, todo []solver.Var) {
	p.Pace.Restart() // the call that made the Part has returned
	p.Pace.Doing = "following requests"
	for len(todo) > 0 && p.Pace.Err == nil {
		p.Pace.Step(1)
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.visited[bundleOf{p, v}] {
			continue
		}
		t.visited[bundleOf{p, v}] = true
		if !has(p, v) {
			for _, n := range p.Neighbors {
				if has(n, v) {
					t.followFrom(n, []solver.Var{v})
				}
			}
			continue
		}
		if p.AsInstalled(v) == nil {
			c, id := p.Locate(v)
			t.add(p.Catalogs[c].Key, p.Catalogs[c].Snapshot.Bundle(id).Package)
		}
		for _, rule := range p.Rules(v) {
			todo = model.Positive(rule.Formula, todo)
			todo = model.Negative(rule.Formula, todo)
		}
	}
}

func (t *tracer) footprint() *Footprint {
	r := &Footprint{Packages: map[catalog.Key][]string{}, Forbidden: t.forbidden}
	for k, packages := range t.packages {
		r.Packages[k] = slices.Sorted(maps.Keys(packages))
	}
	return r
}
