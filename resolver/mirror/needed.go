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
	those := func(takes func(catalog.Key) bool) []*cache.Catalog {
		return slices.DeleteFunc(slices.Clone(visible), func(c *cache.Catalog) bool { return !takes(c.Key) })
	}
	if e := f.problem.Cluster.Extension(o.Scope.Extension()); e != nil {
		// What it does not keep, it installs on the way.
		if keeps, found := kept[e.Key()]; found {
			catalogs := those(func(k catalog.Key) bool { return k == keeps.Catalog })
			switch {
			case n.addListed(catalogs, keeps.Name, e.Package, e.Channels):
			case len(catalogs) > 0 && catalogs[0].Snapshot.Find(e.Package, keeps.Name) != nil:
				return &noRangeError{keeps.Catalog, e.Package, keeps.Name}
			default: // its catalog has the version under another name
				return n.keep(catalogs, e.Package, e.Channels, "")
			}
		}
	}
	for _, s := range f.problem.Cluster.In(o.Scope.Namespace()).Subscriptions {
		if slices.ContainsFunc(o.Resolution.LeftOut, func(l result.LeftOut) bool { return l.Request == s.Key() }) {
			continue
		}
		catalogs := those(func(k catalog.Key) bool { return s.Catalog == "" || s.Names(k) })
		var named []string
		if s.Channel != "" {
			named = []string{s.Channel}
		}
		if err := n.keep(catalogs, s.Package, named, kept[s.Key()].Name); err != nil {
			return err
		}
		for _, to := range w.routes {
			for _, channel := range to.channels {
				if to.request == s.Key() {
					if err := n.keep(catalogs, s.Package, []string{channel}, ""); err != nil {
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
// if it can, and reports whether there is one. An empty package stands for any.
func (n neededBundles) addListed(catalogs []*cache.Catalog, name, pkg string, channels []string) bool {
	for _, c := range catalogs {
		for _, id := range c.Snapshot.Named(name) {
			b := c.Snapshot.Bundle(id)
			listing := slices.DeleteFunc(slices.Clone(c.Snapshot.Package(b.Package).Preferred()), func(c *catalog.Channel) bool { return c.Entry(name) == nil })
			if len(listing) == 0 || pkg != "" && b.Package != pkg {
				continue
			}
			at := max(0, slices.IndexFunc(listing, func(c *catalog.Channel) bool { return slices.Contains(channels, c.Name) }))
			n.add(c.Key, b.Package, listing[at].Name, name)
			return true
		}
	}
	return false
}

// keep adds the bundle that a request keeps, from the first of its catalogs that lists it. A request
// also needs its package and a channel with an order to exist, one of those that it names if it
// names any: if nothing else of them is needed, keep adds the bundle closest to the head.
func (n neededBundles) keep(catalogs []*cache.Catalog, pkg string, channels []string, kept string) error {
	var first func() // adds the bundle closest to the head
	there := false
	var missing error
	for _, c := range catalogs {
		p := c.Snapshot.Package(pkg)
		if p == nil {
			continue
		}
		missing = &noRangeError{Key: c.Key, Package: pkg}
		for _, channel := range p.Preferred() {
			if channel.Fault != "" || len(channels) > 0 && !slices.Contains(channels, channel.Name) {
				continue
			}
			if e := channel.Entry(kept); e != nil && e.Bundle != catalog.NoBundle {
				n.add(c.Key, pkg, channel.Name, kept)
				return nil
			}
			there = there || n[c.Key][pkg][channel.Name] != nil
			for at := range channel.Chain() {
				if e := at.At(); first == nil && e.Bundle != catalog.NoBundle {
					first = func() { n.add(c.Key, pkg, channel.Name, e.Name) }
				}
			}
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
