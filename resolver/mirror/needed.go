package mirror

import (
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// neededBundles has the needed bundles, by catalog, package and channel.
type neededBundles map[catalog.Key]map[string]map[string]map[string]bool

func (n neededBundles) add(k catalog.Key, pkg, channel, bundle string) {
	if n[k] == nil {
		n[k] = map[string]map[string]map[string]bool{}
	}
	if n[k][pkg] == nil {
		n[k][pkg] = map[string]map[string]bool{}
	}
	if n[k][pkg][channel] == nil {
		n[k][pkg][channel] = map[string]bool{}
	}
	n[k][pkg][channel][bundle] = true
}

// needed returns what the ways need: all bundles that they install and, for each request, the
// one that it keeps at the end or at least one of its channel.
func (f *followed) needed(ways []*walk) (neededBundles, error) {
	n := neededBundles{}
	for _, w := range ways {
		for _, i := range w.installs {
			if i.Channel == "" {
				return nil, &noRangeError{i.Bundle.Catalog, i.Bundle.Package, i.Bundle.Name}
			}
			n.add(i.Bundle.Catalog, i.Bundle.Package, i.Channel, i.Bundle.Name)
		}
	}
	for _, w := range ways {
		for _, o := range w.outcomes {
			if err := f.ctx.Err(); err != nil {
				return nil, &result.Incomplete{Phase: "following requests", Err: err}
			}
			if o.Err != nil {
				continue
			}
			if err := f.addRequested(n, w, &o); err != nil {
				return nil, err
			}
			f.addInstalled(n, &o)
		}
	}
	return n, nil
}

// addRequested adds what the requests of a scope keep or name. It passes over requests that
// are left out.
func (f *followed) addRequested(n neededBundles, w *walk, o *result.Outcome) error {
	kept := map[cluster.RequestKey]catalog.BundleKey{}
	for _, k := range w.kept[o.Scope] {
		for _, served := range k.For {
			kept[served.Request] = k.Bundle
		}
	}
	visible := f.problem.Visible(o.Scope)
	takes := func(takes func(catalog.Key) bool) []*cache.Catalog {
		return slices.DeleteFunc(slices.Clone(visible), func(c *cache.Catalog) bool { return !takes(c.Key) })
	}
	if e := f.problem.Cluster.Extension(o.Scope.Extension()); e != nil {
		// What it does not keep, it installs on the way.
		if keeps, found := kept[e.Key()]; found {
			catalogs := takes(func(k catalog.Key) bool { return k == keeps.Catalog })
			return n.keep(catalogs, named{pkg: e.Package, channels: e.Channels}, keeps.Name)
		}
	}
	for _, s := range f.problem.Cluster.In(o.Scope.Namespace()).Subscriptions {
		if slices.ContainsFunc(o.Resolution.LeftOut, func(l result.LeftOut) bool { return l.Request == s.Key() }) {
			continue
		}
		catalogs := takes(func(k catalog.Key) bool { return s.Catalog == "" || s.Names(k) })
		want := named{s.Package, nil, true}
		if s.Channel != "" {
			want.channels = []string{s.Channel}
		}
		if err := n.keep(catalogs, want, kept[s.Key()].Name); err != nil {
			return err
		}
		for _, to := range w.routes {
			for _, channel := range to.channels {
				if to.request == s.Key() {
					want.channels = []string{channel}
					if err := n.keep(catalogs, want, ""); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// addInstalled adds the installed bundles of a scope that a visible catalog lists: in the
// channel that a request names, else in the preferred one.
func (f *followed) addInstalled(n neededBundles, o *result.Outcome) {
	if !f.withInstalled {
		return
	}
	pkg, channels := "", words.Mapped(f.problem.Cluster.In(o.Scope.Namespace()).Subscriptions, func(s cluster.Subscription) string { return s.Channel })
	if e := f.problem.Cluster.Extension(o.Scope.Extension()); e != nil {
		pkg, channels = e.Package, e.Channels
	}
	visible := f.problem.Visible(o.Scope)
	for _, k := range o.Resolution.Kept {
		n.addListed(visible, k.Bundle.Name, pkg, channels)
	}
	for _, name := range o.Resolution.Replaced {
		n.addListed(visible, name, pkg, channels)
	}
}

// addListed adds a bundle from the first catalog that lists it, in one of the channels named
// if it can. An empty package stands for any.
func (n neededBundles) addListed(catalogs []*cache.Catalog, name, pkg string, channels []string) {
	for _, c := range catalogs {
		for _, id := range c.Snapshot.Named(name) {
			b := c.Snapshot.Bundle(id)
			listing := slices.DeleteFunc(slices.Clone(c.Snapshot.Package(b.Package).Preferred()), func(c *catalog.Channel) bool { return c.Entry(name) == nil })
			if len(listing) == 0 || pkg != "" && b.Package != pkg {
				continue
			}
			at := max(0, slices.IndexFunc(listing, func(c *catalog.Channel) bool { return slices.Contains(channels, c.Name) }))
			n.add(c.Key, b.Package, listing[at].Name, name)
			return
		}
	}
}

// named is what a request names.
type named struct {
	pkg string
	// channels are the names of channels that count; none means all.
	channels []string
	// ordered is true if only a channel with an order counts.
	ordered bool
}

// places returns the channels of a package that count, in order of preference.
func (w *named) places(p *catalog.Package) []*catalog.Channel {
	return slices.DeleteFunc(slices.Clone(p.Preferred()), func(c *catalog.Channel) bool {
		return len(w.channels) > 0 && !slices.Contains(w.channels, c.Name) || w.ordered && c.Fault != ""
	})
}

// keep adds the bundle that a request keeps, from the first of its catalogs that lists it. A
// request also needs its package and channel to exist: if nothing else of them is needed,
// keep adds the bundle closest to the head.
func (n neededBundles) keep(catalogs []*cache.Catalog, w named, kept string) error {
	var first func() // adds the bundle closest to the head
	there := false
	var missing error
	for _, c := range catalogs {
		p := c.Snapshot.Package(w.pkg)
		if p == nil {
			continue
		}
		for _, channel := range w.places(p) {
			if e := channel.Entry(kept); e != nil && e.Bundle != catalog.NoBundle {
				n.add(c.Key, w.pkg, channel.Name, kept)
				return nil
			}
			there = there || n[c.Key][w.pkg][channel.Name] != nil
			if bundle := top(channel); first == nil && bundle != "" {
				first = func() { n.add(c.Key, w.pkg, channel.Name, bundle) }
			}
		}
		missing = &noRangeError{Key: c.Key, Package: w.pkg}
		if !w.ordered && c.Snapshot.Find(w.pkg, kept) != nil {
			// A ClusterExtension keeps a bundle only if its catalog has it.
			return &noRangeError{c.Key, w.pkg, kept}
		}
	}
	switch {
	case there:
		return nil
	case first != nil:
		first()
		return nil
	}
	return missing
}

// top returns the bundle closest to the head of a channel, or any if the channel has no
// order; empty if there is none.
func top(channel *catalog.Channel) string {
	for at := range channel.Chain() {
		if e := at.At(); e.Bundle != catalog.NoBundle {
			return e.Name
		}
	}
	for i := range channel.Entries {
		if entry := &channel.Entries[i]; entry.Bundle != catalog.NoBundle {
			return entry.Name
		}
	}
	return ""
}

// installedBundles returns the bundles that requests have installed, now or on the way.
func installedBundles(o cluster.Objects, ways []*walk) map[catalog.BundleKey]bool {
	names := map[catalog.BundleKey]bool{}
	for _, s := range o.Subscriptions {
		names[catalog.BundleKey{Package: s.Package, Name: s.InstalledCSV}] = true
	}
	for _, e := range o.ClusterExtensions {
		if e.Installed != nil {
			names[catalog.BundleKey{Package: e.Package, Name: e.Installed.Name}] = true
		}
	}
	for _, w := range ways {
		for _, i := range w.installs {
			names[catalog.BundleKey{Package: i.Bundle.Package, Name: i.Bundle.Name}] = true
		}
	}
	return names
}
