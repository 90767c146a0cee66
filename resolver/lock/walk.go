package lock

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// maxSteps bounds the answers that are carried out for one scope.
const maxSteps = 200

// endState is where a scope ends once all answers have been carried out.
type endState struct {
	// bundles are by package.
	bundles map[string]*Bundle
	err     error
}

// walker carries out answers.
type walker struct {
	resolver *resolver.Resolver
	shared   *shared
}

// allow says which bundles of a package may be newly selected, by catalog and name. Without an
// entry for a package all are.
type allow map[string]func(b catalog.BundleKey) (bool, string)

// walk resolves a scope and carries its answers out until there is no new one. The error is one of
// the context or of the resolver itself.
func (w *walker) walk(ctx context.Context, p resolver.Problem, scope cluster.Scope, only allow) (*endState, error) {
	p.Options = w.options(p.Options, only)
	e := &endState{bundles: map[string]*Bundle{}}
	installed := map[string]*result.Install{}
	way := map[string][]string{} // by package, in order
	known := p.Cluster
	var last *result.Resolution
	for range maxSteps {
		answer, err := w.resolver.Resolve(ctx, p, scope)
		if result.Of(err).Ended() {
			return nil, err
		}
		if err != nil {
			if last == nil {
				return &endState{err: err}, nil
			}
			break // what was reached stays
		}
		last = answer
		more := false
		for i := range answer.Installs {
			in := &answer.Installs[i]
			if installed[in.Bundle.Name] == nil {
				installed[in.Bundle.Name], more = in, true
				way[in.Bundle.Package] = append(way[in.Bundle.Package], in.Bundle.Name)
			}
		}
		if !more {
			break
		}
		p = p.After(answer)
	}
	w.collect(e, p, known, scope, last, installed, way)
	return e, nil
}

// options returns the options of OLM with what may be selected.
func (w *walker) options(o policy.Options, only allow) policy.Options {
	o.NamedUpdates, o.BundleScope, o.NoFixes, o.Partial, o.Jointly = true, true, true, false, false
	caller := o.SystemConstraint
	o.SystemConstraint = func(ctx context.Context, c policy.Candidate) (bool, string) {
		if admits := only[c.Bundle.Package]; admits != nil {
			if ok, reason := admits(c.Bundle); !ok {
				return false, reason
			}
		}
		if caller != nil {
			return caller(ctx, c)
		}
		return true, ""
	}
	return o
}

// collect notes the bundles of the last answer.
func (w *walker) collect(e *endState, p resolver.Problem, known *cluster.Index, scope cluster.Scope, last *result.Resolution, installed map[string]*result.Install, way map[string][]string) {
	packages := map[string]string{} // of the answer's bundles, by name
	for i := range last.Installs {
		packages[last.Installs[i].Bundle.Name] = last.Installs[i].Bundle.Package
	}
	for i := range last.Kept {
		packages[last.Kept[i].Bundle.Name] = last.Kept[i].Bundle.Package
	}
	add := func(key catalog.BundleKey, version string, serves []result.Obligation) {
		b := &Bundle{Package: key.Package, Name: key.Name, Version: version}
		if in := installed[key.Name]; in != nil {
			key.Catalog, b.Channel = in.Bundle.Catalog, in.Channel
		}
		w.describe(b, key.Catalog, p, known, scope, serves, packages)
		if b.Request == "" {
			return // nobody asks for it
		}
		for _, name := range way[b.Package] {
			if name != b.Name {
				b.Way = append(b.Way, name)
			}
		}
		e.bundles[b.Package] = b
	}
	for i := range last.Kept {
		k := &last.Kept[i]
		add(k.Bundle, k.Version.String(), k.For)
	}
	for i := range last.Installs {
		in := &last.Installs[i]
		add(in.Bundle, in.Version.String(), in.For)
	}
}

// describe completes a bundle: whom it serves, and what its catalog says.
func (w *walker) describe(b *Bundle, key catalog.Key, p resolver.Problem, known *cluster.Index, scope cluster.Scope, serves []result.Obligation, packages map[string]string) {
	serving := map[string]bool{}
	for _, f := range serves {
		switch s := p.Cluster.Subscription(f.Request); {
		case f.Request == (cluster.RequestKey{}):
			if pkg := packages[f.Bundle]; pkg != "" && pkg != b.Package {
				serving["package "+pkg] = true
			}
		case s != nil:
			if !s.Generated {
				serving[f.Request.String()] = true
			}
			other := cluster.Subscription{Namespace: s.Namespace, Name: b.Request}
			if b.Request == "" || known.Subscription(other.Key()) == nil {
				b.Request = s.Name
			}
			if b.Channel == "" {
				b.Channel = s.Channel
			}
			if key.Name == "" {
				key = catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
			}
		default:
			serving[f.Request.String()], b.Request = true, f.Request.Name
		}
	}
	b.For = slices.Sorted(maps.Keys(serving))
	if scope.Alone() && b.Request == "" && len(serves) > 0 {
		b.Request = b.Package // OLM v1 brings no dependencies: somebody makes a ClusterExtension for it
	}
	c := p.Catalogs.Catalog(key)
	if c == nil || c.Snapshot == nil || c.Snapshot.Find(b.Package, b.Name) == nil {
		c = w.find(p.Catalogs, scope, b)
	}
	if c == nil {
		return
	}
	b.Catalog = c.Key.String()
	s := c.Snapshot
	b.Image = s.Find(b.Package, b.Name).Image
	pkg := s.Package(b.Package)
	channel := pkg.Channel(b.Channel)
	if channel == nil || channel.Entry(b.Name) == nil {
		channel = pkg.Channel(pkg.DefaultChannel)
	}
	for i := 0; i < len(pkg.Channels) && (channel == nil || channel.Entry(b.Name) == nil); i++ {
		channel = pkg.Channels[i]
	}
	if channel != nil && channel.Entry(b.Name) != nil {
		b.Channel, b.Replaces = channel.Name, channel.Entry(b.Name).Replaces
	}
}

// find returns the first catalog of the scope's kind that has an installed bundle.
func (w *walker) find(view *cache.View, scope cluster.Scope, b *Bundle) *cache.Catalog {
	for c := range view.Catalogs() {
		if (c.Key.Namespace == "") == scope.Alone() && c.Snapshot != nil && c.Snapshot.Find(b.Package, b.Name) != nil {
			return c
		}
	}
	return nil
}

// shared has what is derived from catalogs, for all clusters of a call.
type shared struct {
	mu    sync.Mutex
	below map[place]map[string]bool
	sums  map[place]string
}

// place is a package, or a bundle of it, in a snapshot.
type place struct {
	snapshot *catalog.Snapshot
	pkg      string
	bundle   string
}

// waysTo returns the bundles of the package from which updates lead to a bundle, and itself. They are
// not all if the context ends.
func (s *shared) waysTo(ctx context.Context, snapshot *catalog.Snapshot, pkg, bundle string) map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place{snapshot, pkg, bundle}
	if known := s.below[at]; known != nil {
		return known
	}
	found := joined(ctx, snapshot.Package(pkg), bundle, func(at, other *catalog.Entry) bool { return updates(snapshot, other, at) })
	if ctx.Err() == nil {
		s.below[at] = found
	}
	return found
}

// above returns the bundles to which updates lead from one, the highest version first. They are not
// all if the context ends.
func above(ctx context.Context, snapshot *catalog.Snapshot, pkg, bundle string) (list []*catalog.Bundle) {
	found := joined(ctx, snapshot.Package(pkg), bundle, func(at, other *catalog.Entry) bool { return updates(snapshot, at, other) })
	delete(found, bundle)
	for name := range found {
		if b := snapshot.Find(pkg, name); b != nil {
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b *catalog.Bundle) int {
		return cmp.Or(b.Version.Compare(a.Version), strings.Compare(a.Name, b.Name))
	})
	return list
}

// updates reports whether an entry of a channel is updated to another one.
func updates(snapshot *catalog.Snapshot, from, to *catalog.Entry) bool {
	var stated *semver.Version
	if from.Bundle != catalog.NoBundle {
		stated = &snapshot.Bundle(from.Bundle).Version
	}
	return to.Updates(from.Name, stated)
}

// joined returns the names of entries that steps lead to from one, and its own. A step leads from an
// entry to another one of its channel.
func joined(ctx context.Context, pkg *catalog.Package, name string, step func(at, other *catalog.Entry) bool) map[string]bool {
	found := map[string]bool{name: true}
	if pkg == nil {
		return found
	}
	for queue := []string{name}; len(queue) > 0 && ctx.Err() == nil; queue = queue[1:] {
		for _, c := range pkg.Channels {
			at := c.Entry(queue[0])
			for i := 0; at != nil && i < len(c.Entries); i++ {
				if other := &c.Entries[i]; !found[other.Name] && step(at, other) {
					found[other.Name] = true
					queue = append(queue, other.Name)
				}
			}
		}
	}
	return found
}

// digests returns the digests of a bundle's blob and of its package.
func (s *shared) digests(ctx context.Context, snapshot *catalog.Snapshot, pkg, bundle string) (own, all string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := snapshot.Package(pkg)
	for at, part := range map[place]*catalog.Package{{snapshot, pkg, ""}: of, {snapshot, pkg, bundle}: alone(snapshot, of, bundle)} {
		if s.sums[at] != "" {
			continue
		}
		text, err := cache.Render(ctx, snapshot, []*catalog.Package{part}, nil)
		if err != nil {
			return "", "", err
		}
		if at.bundle != "" {
			text = bundleBlob(text)
		}
		s.sums[at] = digest(text)
	}
	return s.sums[place{snapshot, pkg, bundle}], s.sums[place{snapshot, pkg, ""}], nil
}

// alone returns a package with one of its bundles.
func alone(snapshot *catalog.Snapshot, of *catalog.Package, bundle string) *catalog.Package {
	one := &catalog.Package{Name: of.Name}
	for _, id := range of.Bundles {
		if snapshot.Bundle(id).Name == bundle {
			one.Bundles = []catalog.ID{id}
		}
	}
	return one
}
