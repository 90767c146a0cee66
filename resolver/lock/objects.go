package lock

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Objects returns the requests of a scope, pinned to their bundles: Subscriptions with startingCSV
// and manual approval, ClusterExtensions with the version and the catalog. What the lock does not
// say, such as spec.config, is that of the objects of the cluster, if these are known. Bundles
// that somebody requires get objects of their own.
func (s *Scope) Objects(known *cluster.Index) (o cluster.Objects) {
	for i := range s.Bundles {
		b := &s.Bundles[i]
		key := catalog.ParseKey(b.Catalog)
		names := []string{b.Request}
		for _, r := range s.Requests {
			if r.Package == b.Package && r.Name != b.Request {
				names = append(names, r.Name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			if s.Extension != "" {
				e := cluster.ClusterExtension{Name: name}
				if of := known.Extension(name); of != nil {
					e = *of
				} else if of := known.Extension(s.Extension); of != nil {
					e.Namespace = of.Namespace
				}
				e.Package, e.Version = b.Package, b.Version
				if key.Name != "" {
					e.Selector = &cluster.Selector{MatchLabels: map[string]string{cluster.LabelMetadataName: key.Name}}
				}
				o.ClusterExtensions = append(o.ClusterExtensions, e)
				continue
			}
			sub := cluster.Subscription{Namespace: s.Namespace, Name: name}
			if of := known.Subscription(sub.Key()); of != nil {
				sub = *of
			}
			sub.Package, sub.StartingCSV, sub.Manual = b.Package, b.Name, true
			if b.Channel != "" {
				sub.Channel = b.Channel
			}
			if key.Name != "" {
				sub.Catalog, sub.CatalogNamespace = key.Name, key.Namespace
			}
			o.Subscriptions = append(o.Subscriptions, sub)
		}
	}
	slices.SortFunc(o.Subscriptions, func(a, b cluster.Subscription) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(o.ClusterExtensions, func(a, b cluster.ClusterExtension) int { return cmp.Compare(a.Name, b.Name) })
	return o
}

// Apply returns the cluster with the objects of the scope.
func (s *Scope) Apply(known *cluster.Index) *cluster.Index {
	o := s.Objects(known)
	if s.Extension != "" {
		return known.WithObjects(func(all *cluster.Objects) {
			all.ClusterExtensions = slices.DeleteFunc(slices.Clone(all.ClusterExtensions), func(e cluster.ClusterExtension) bool {
				return slices.ContainsFunc(o.ClusterExtensions, func(pinned cluster.ClusterExtension) bool { return pinned.Name == e.Name })
			})
			all.ClusterExtensions = append(all.ClusterExtensions, o.ClusterExtensions...)
		})
	}
	return known.WithNamespace(s.Namespace, false, func(n *cluster.NamespaceObjects) {
		n.Subscriptions = slices.DeleteFunc(slices.Clone(n.Subscriptions), func(sub cluster.Subscription) bool {
			return slices.ContainsFunc(o.Subscriptions, func(pinned cluster.Subscription) bool { return pinned.Name == sub.Name })
		})
		n.Subscriptions = append(n.Subscriptions, o.Subscriptions...)
		slices.SortFunc(n.Subscriptions, func(a, b cluster.Subscription) int { return strings.Compare(a.Name, b.Name) })
	})
}
