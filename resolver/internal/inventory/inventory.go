// Package inventory derives what is installed from the objects of a cluster. It finds
// which ClusterServiceVersions count and what they state, which APIs an OperatorGroup
// provides and to which namespaces, who owns a kind, and which catalogs a namespace sees.
// It knows no candidates and no rules.
package inventory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// derived is what other namespaces and ClusterExtensions see of what is installed. It is
// immutable. Copies of a cluster.Index that differ in one namespace may share it: about
// its own namespace a resolution reads there only the targets of the OperatorGroup.
type derived struct {
	// installed lists the bundles of a namespace that count, by name.
	installed lists[string, Installed]
	providers Providers
	groups    groupIndex
}

// Installed is an installed bundle as other namespaces see it.
type Installed struct {
	CSV        *cluster.ClusterServiceVersion
	Properties *properties.Set
}

// Derive finds what follows from the objects of all namespaces, unless the index has it
// already. For a changed index it reads only the namespaces that differ from its base. The
// functions of this package that take an index panic until Derive has succeeded once. The
// error is an *Incomplete.
func Derive(ctx context.Context, c *cluster.Index, reader *Reader) error {
	if _, err := derive(ctx, c, reader); err != nil {
		return &result.Incomplete{Phase: "reading what is installed", Err: err}
	}
	return nil
}

func derive(ctx context.Context, c *cluster.Index, reader *Reader) (*derived, error) {
	found, err := c.Derived(ctx, func(base *cluster.Index, changed []string) (any, error) {
		var below *derived
		if base != nil {
			var err error
			if below, err = derive(ctx, base, reader); err != nil {
				return nil, err
			}
			if below.groups.selects && len(base.ClusterScoped().Namespaces) != len(c.ClusterScoped().Namespaces) {
				below, changed = nil, c.Namespaces() // a selector may now choose other namespaces
			}
		}
		now, moved := make(map[string][]Installed, len(changed)), map[bundle]bool{}
		for _, namespace := range changed {
			var err error
			if now[namespace], err = readInstalled(ctx, c.In(namespace), reader); err != nil {
				return nil, err
			}
			if below != nil {
				addMoved(moved, namespace, below.installed.Of(namespace), now[namespace])
			}
		}
		x := &derived{}
		if below != nil {
			x = below.without(changed, moved)
		}
		for _, namespace := range changed {
			err := x.add(ctx, namespace, c, now[namespace], func(name string) bool { return below == nil || moved[bundle{namespace, name}] })
			if err != nil {
				return nil, err
			}
		}
		x.providers.sort(func(a, b KindProvider) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Bundle, b.Bundle))
		})
		x.groups.providers.sort(compareGroups)
		return x, nil
	})
	x, _ := found.(*derived)
	return x, err
}

type bundle struct{ namespace, name string }

// addMoved adds the bundles of a namespace that only one of two lists by name has, or that provide
// other APIs in the other one. Most of many bundles stay when a request of theirs moves.
func addMoved(moved map[bundle]bool, namespace string, old, now []Installed) {
	for len(old)+len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].CSV.Name < now[0].CSV.Name:
			moved[bundle{namespace, old[0].CSV.Name}] = true
			old = old[1:]
		case len(old) == 0 || now[0].CSV.Name < old[0].CSV.Name:
			moved[bundle{namespace, now[0].CSV.Name}] = true
			now = now[1:]
		default:
			if old[0].Properties != now[0].Properties && !slices.Equal(old[0].Properties.GVKs(), now[0].Properties.GVKs()) {
				moved[bundle{namespace, now[0].CSV.Name}] = true
			}
			old, now = old[1:], now[1:]
		}
	}
}

// without returns a layer above x that leaves out what some namespaces have installed and their
// OperatorGroups, and as providers the bundles that have moved.
func (x *derived) without(namespaces []string, moved map[bundle]bool) *derived {
	gone := make(map[string]bool, len(namespaces))
	for _, namespace := range namespaces {
		gone[namespace] = true
	}
	ofGone := func(g *Group) bool { return gone[g.OperatorGroup.Namespace] }
	rest := &derived{
		installed: lists[string, Installed]{below: &x.installed, gone: func(Installed) bool { return true }},
		providers: Providers{lists[properties.GVK, KindProvider]{below: &x.providers.lists, gone: func(p KindProvider) bool { return moved[bundle{p.Namespace, p.Bundle}] }}},
		groups: groupIndex{
			selects:   x.groups.selects,
			in:        lists[string, *Group]{below: &x.groups.in, gone: ofGone},
			at:        lists[string, *Group]{below: &x.groups.at, gone: ofGone},
			providers: lists[properties.GVK, *Group]{below: &x.groups.providers, gone: ofGone},
		},
	}
	for _, namespace := range namespaces {
		rest.installed.detach(namespace)
		for _, b := range x.installed.Of(namespace) {
			if !moved[bundle{namespace, b.CSV.Name}] {
				continue
			}
			for kind := range VersionsOf(b.Properties.GVKs()) {
				rest.providers.detach(kind)
			}
		}
		rest.groups.in.detach(namespace)
		for _, group := range x.groups.in.Of(namespace) {
			for watched := range group.At() {
				rest.groups.at.detach(watched)
			}
			for _, apis := range []map[properties.GVK]bool{group.stated, group.installed} {
				for api := range apis {
					rest.groups.providers.detach(api)
				}
			}
		}
	}
	return rest
}

func derivedOf(c *cluster.Index) *derived {
	x, _ := c.Derived(context.Background(), nil)
	return x.(*derived)
}

// Share gives other what was derived from c, if anything was.
func Share(c, other *cluster.Index) {
	if x, _ := c.Derived(context.Background(), nil); x != nil {
		_, _ = other.Derived(context.Background(), func(*cluster.Index, []string) (any, error) { return x, nil })
	}
}

// InstalledIn lists the installed bundles of a namespace that count, by name.
func InstalledIn(c *cluster.Index, namespace string) []Installed {
	return derivedOf(c).installed.Of(namespace)
}

// ProvidersIn returns the installed providers of each kind, by namespace and name.
func ProvidersIn(c *cluster.Index) *Providers { return &derivedOf(c).providers }

// readInstalled reads the installed bundles of a namespace. One whose properties cannot be read provides
// the APIs that its object lists: it fails its own namespace, not its neighbors.
func readInstalled(ctx context.Context, state *cluster.NamespaceObjects, reader *Reader) (list []Installed, err error) {
	for _, csv := range Counting(state) {
		stated, err := reader.Read(ctx, state, csv)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		set := stated.Properties
		if set == nil {
			set, _ = properties.Decode(inferProperties(state, csv, csv.Version), nil)
		}
		list = append(list, Installed{csv, set})
	}
	return list, nil
}

// add adds the installed bundles and the OperatorGroups of a namespace, and those bundles that
// are not yet there as providers. The caller adds namespaces by name.
func (x *derived) add(ctx context.Context, namespace string, c *cluster.Index, list []Installed, provides func(name string) bool) error {
	state := c.In(namespace)
	for _, b := range list {
		x.installed.add(namespace, b)
		if provides(b.CSV.Name) {
			x.providers.Add(namespace, b.CSV.Name, b.Properties)
		}
	}
	if len(state.Groups) == 0 {
		return nil
	}
	apis, first := map[properties.GVK]bool{}, true
	for _, b := range x.installed.Of(namespace) {
		for _, api := range b.Properties.GVKs() {
			apis[api] = true
		}
	}
	for i := range state.Groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		group := newGroup(&state.Groups[i], c.ClusterScoped().Namespaces)
		if group.OperatorGroup.StaticProvidedAPIs {
			x.groups.add(group, false)
			continue
		}
		group.installed = apis
		x.groups.add(group, first)
		first = false
	}
	return ctx.Err()
}

// LabelsOf returns the labels of a v1 catalog. The labels given with its content win over
// those of its object.
func LabelsOf(c *cluster.Index, from *cache.Catalog) map[string]string {
	labels := map[string]string{cluster.LabelMetadataName: from.Key.Name}
	if declared := c.ClusterCatalog(from.Key.Name); declared != nil {
		maps.Copy(labels, declared.Labels)
	}
	maps.Copy(labels, from.Labels)
	return labels
}

// CSV returns the ClusterServiceVersion of that name in a namespace, nil if there is none.
func CSV(n *cluster.NamespaceObjects, name string) *cluster.ClusterServiceVersion {
	return Named(n.CSVs, name, func(v *cluster.ClusterServiceVersion) string { return v.Name })
}

// Named returns the object of that name in a list sorted by name, nil if there is none.
func Named[T any](list []T, name string, of func(*T) string) *T {
	i, ok := sort.Find(len(list), func(i int) int { return strings.Compare(name, of(&list[i])) })
	if !ok {
		return nil
	}
	return &list[i]
}

// Manual reports whether somebody has to approve the InstallPlans of a namespace.
func Manual(n *cluster.NamespaceObjects) bool {
	return slices.ContainsFunc(n.Subscriptions, func(s cluster.Subscription) bool { return s.Manual })
}
