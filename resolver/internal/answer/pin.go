package answer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// Pinned returns the requests pinned to their answers. It implements Problem.Pinned.
func Pinned(in model.Inputs, outcomes []result.Outcome) cluster.Objects {
	known := in.Cluster
	var pinned cluster.Objects
	found := map[string]bool{} // packages that have a ClusterExtension
	for _, e := range known.Extensions() {
		found[e.Package] = true
	}
	for _, o := range outcomes {
		switch object := known.Extension(o.Scope.Extension()); {
		case o.Err != nil:
		case object != nil:
			e := pinnedExtension(object, o.Resolution)
			pinned.ClusterExtensions = append(append(pinned.ClusterExtensions, dependencies(known, &e, o.Resolution, found)...), e)
		default:
			pinned.Subscriptions = append(pinned.Subscriptions, pinnedSubscriptions(known.In(o.Scope.Name).Subscriptions, o.Scope.Name, o.Resolution, inventory.Visible(o.Scope.Name, known, in.View, in.Options))...)
		}
	}
	return pinned
}

// pinnedSubscriptions returns the pinned Subscriptions of a namespace, then new ones for its
// dependencies.
func pinnedSubscriptions(all []cluster.Subscription, namespace string, r *result.Resolution, seen inventory.Visibility) []cluster.Subscription {
	var list []cluster.Subscription
	taken := map[string]bool{}
	for _, s := range all {
		taken[s.Name] = true
		serves := func(f result.Obligation) bool { return f.Request == s.Key() }
		installed := slices.IndexFunc(r.Installs, func(i result.Install) bool { return slices.ContainsFunc(i.For, serves) })
		kept := slices.IndexFunc(r.Kept, func(k result.Kept) bool { return slices.ContainsFunc(k.For, serves) })
		switch {
		case installed >= 0:
			pinTo(&s, &r.Installs[installed])
		case kept >= 0 && (s.InstalledCSV == r.Kept[kept].Bundle.Name || lists(seen, &s, r.Kept[kept].Bundle.Name)):
			s.StartingCSV = r.Kept[kept].Bundle.Name
		case kept < 0:
			continue // the answer leaves the request out
		}
		s.InstalledCSV, s.Observed, s.Manual = "", cluster.Observed{}, true
		s.Labels, s.Annotations = nil, nil
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b cluster.Subscription) int { return cmp.Compare(a.Name, b.Name) })
	for i := range r.Installs {
		in := &r.Installs[i]
		if slices.ContainsFunc(in.For, func(f result.Obligation) bool { return f.Request.Name != "" }) {
			continue
		}
		s := world.GeneratedSubscription(in, namespace)
		for s.InstalledCSV, s.Manual = "", true; taken[s.Name]; {
			s.Name = words.Subdomain(s.Name + "-dependency")
		}
		taken[s.Name] = true
		list = append(list, s)
	}
	return list
}

// pinTo pins a Subscription to the bundle that is installed for it. It changes channel and
// catalog only if the bundle was chosen for this Subscription first: another one may have found
// it in another channel. What updates the installed bundle may be of a catalog that the
// Subscription does not name.
func pinTo(s *cluster.Subscription, i *result.Install) {
	s.StartingCSV = i.Bundle.Name
	if i.For[0].Request != s.Key() {
		return
	}
	if s.Channel == "" || s.Catalog != "" && !s.Names(i.Bundle.Catalog) {
		s.Channel = i.Channel
	}
	s.Catalog, s.CatalogNamespace = i.Bundle.Catalog.Name, i.Bundle.Catalog.Namespace
}

// lists reports whether a catalog of the Subscription that its namespace sees has a bundle in
// its channel. If not, a startingCSV of that name would fail.
func lists(seen inventory.Visibility, s *cluster.Subscription, bundle string) bool {
	for _, c := range seen.Catalogs {
		if s.Catalog != "" && !s.Names(c.Key) || c.Snapshot.Package(s.Package) == nil {
			continue
		}
		for _, channel := range c.Snapshot.Package(s.Package).Channels {
			if entry := channel.Entry(bundle); entry != nil && entry.Bundle != catalog.NoBundle && (s.Channel == "" || s.Channel == channel.Name) {
				return true
			}
		}
	}
	return false
}

// pinnedExtension returns the ClusterExtension pinned to its answer.
func pinnedExtension(of *cluster.ClusterExtension, r *result.Resolution) cluster.ClusterExtension {
	e := *of
	serves := func(f result.Obligation) bool { return f.Request == e.Key() }
	for _, i := range r.Installs {
		if slices.ContainsFunc(i.For, serves) {
			e.Version, e.Selector = i.Version.String(), inCatalog(e.Selector, i.Bundle.Catalog.Name)
		}
	}
	for _, k := range r.Kept {
		if slices.ContainsFunc(k.For, serves) {
			e.Version = k.Version.String()
			if k.Bundle.Catalog.Name != "" {
				e.Selector = inCatalog(e.Selector, k.Bundle.Catalog.Name)
			}
		}
	}
	e.Installed, e.Labels, e.Annotations = nil, nil, nil
	return e
}

// dependencies returns new ClusterExtensions for the dependencies of one, as OLM v1 resolves
// none. A package that has a ClusterExtension is left to that: no two can own the same APIs.
func dependencies(known *cluster.Index, extension *cluster.ClusterExtension, r *result.Resolution, found map[string]bool) []cluster.ClusterExtension {
	var list []cluster.ClusterExtension
	for i := range r.Installs {
		in := &r.Installs[i]
		if found[in.Bundle.Package] {
			continue
		}
		found[in.Bundle.Package] = true
		e := cluster.ClusterExtension{
			Name: words.Subdomain(in.Bundle.Package), Namespace: extension.Namespace, Package: in.Bundle.Package,
			Version: in.Version.String(), Selector: inCatalog(nil, in.Bundle.Catalog.Name),
		}
		for known.Extension(e.Name) != nil {
			e.Name = words.Subdomain(e.Name + "-dependency")
		}
		list = append(list, e)
	}
	return list
}

// inCatalog narrows a selector to one catalog. A version alone is no pin: other catalogs
// may have it, too.
func inCatalog(s *cluster.Selector, name string) *cluster.Selector {
	narrowed, labels := cluster.Selector{}, map[string]string{}
	if s != nil {
		narrowed = *s
		maps.Copy(labels, s.MatchLabels)
	}
	labels[cluster.LabelMetadataName] = name
	narrowed.MatchLabels = labels
	return &narrowed
}
