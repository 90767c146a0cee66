// Package inventory derives what is installed from the objects of a cluster: which
// ClusterServiceVersions count, what they state, which APIs OperatorGroups
// provide and to whom, who owns a kind, and which catalogs a namespace sees. It
// knows no candidates and no rules.
package inventory

import (
	"cmp"
	"context"
	"maps"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// derived is what other namespaces and the requests of the whole cluster see of what
// is installed. It is immutable. Copies of a cluster.Index that differ in one namespace
// share it: of its own namespace a resolution reads nothing there, but what its
// OperatorGroup targets.
type derived struct {
	// installed are the bundles that count of each namespace, by name.
	installed lists[string, Installed]
	providers Providers
	groups    groupIndex
}

// Installed is an installed bundle as other namespaces see it.
type Installed struct {
	CSV        *cluster.ClusterServiceVersion
	Properties *properties.Set
}

// Derive finds what follows from the objects of all namespaces, unless that was done
// before. Functions that read it panic before. The error is an *Incomplete. Of a changed
// cluster only the namespaces are read that differ from it as it was made.
func Derive(ctx context.Context, c *cluster.Index, reader *Reader) error {
	if _, err := derive(ctx, c, reader); err != nil {
		return &result.Incomplete{Phase: "reading what is installed", Err: err}
	}
	return nil
}

func derive(ctx context.Context, c *cluster.Index, reader *Reader) (*derived, error) {
	found, err := c.Derived(ctx, func(base *cluster.Index, changed []string) (any, error) {
		x := &derived{}
		if base != nil {
			below, err := derive(ctx, base, reader)
			if err != nil {
				return nil, err
			}
			if below.groups.selects && len(base.ClusterScoped().Namespaces) != len(c.ClusterScoped().Namespaces) {
				changed = c.Namespaces() // groups may watch others
			} else {
				x = below.without(changed)
			}
		}
		for _, namespace := range changed {
			if err := x.add(ctx, namespace, c, reader); err != nil {
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

// without returns what there is but in some namespaces.
func (x *derived) without(namespaces []string) *derived {
	gone := make(map[string]bool, len(namespaces))
	for _, namespace := range namespaces {
		gone[namespace] = true
	}
	ofGone := func(g *Group) bool { return gone[g.OperatorGroup.Namespace] }
	rest := &derived{
		installed: lists[string, Installed]{below: &x.installed, gone: func(Installed) bool { return true }},
		providers: Providers{lists[properties.GVK, KindProvider]{below: &x.providers.lists, gone: func(p KindProvider) bool { return gone[p.Namespace] }}},
		groups: groupIndex{
			selects:   x.groups.selects,
			in:        lists[string, *Group]{below: &x.groups.in, gone: ofGone},
			at:        lists[string, *Group]{below: &x.groups.at, gone: ofGone},
			providers: lists[properties.GVK, *Group]{below: &x.groups.providers, gone: ofGone},
		},
	}
	for _, namespace := range namespaces {
		rest.installed.keep(namespace)
		for _, b := range x.installed.Of(namespace) {
			for kind := range VersionsOf(b.Properties.GVKs()) {
				rest.providers.keep(kind)
			}
		}
		rest.groups.in.keep(namespace)
		for _, group := range x.groups.in.Of(namespace) {
			for watched := range group.at() {
				rest.groups.at.keep(watched)
			}
			for api := range group.apis {
				rest.groups.providers.keep(api)
			}
		}
	}
	return rest
}

func derivedOf(c *cluster.Index) *derived {
	x, _ := c.Derived(context.Background(), nil)
	return x.(*derived)
}

// Share lets another cluster keep what was derived from one, if anything was.
func Share(c, other *cluster.Index) {
	if x, _ := c.Derived(context.Background(), nil); x != nil {
		_, _ = other.Derived(context.Background(), func(*cluster.Index, []string) (any, error) { return x, nil })
	}
}

// InstalledIn lists the bundles of a namespace that count, by name.
func InstalledIn(c *cluster.Index, namespace string) []Installed {
	return derivedOf(c).installed.Of(namespace)
}

// ProvidersIn lists what provides each kind, by namespace and name.
func ProvidersIn(c *cluster.Index) *Providers { return &derivedOf(c).providers }

// add reads the installed bundles and OperatorGroups of a namespace. Namespaces come in
// order. A bundle whose properties cannot be read provides what its object lists: it
// fails its own namespace, not its neighbours.
func (x *derived) add(ctx context.Context, namespace string, c *cluster.Index, reader *Reader) error {
	state := c.In(namespace)
	for _, csv := range Counting(state) {
		set := reader.Read(state, csv).Properties
		if set == nil {
			set, _ = properties.Decode(inferProperties(state, csv, csv.Version), nil)
		}
		x.installed.add(namespace, Installed{csv, set})
		x.providers.Add(namespace, csv.Name, set)
	}
	for i := range state.Groups {
		if ctx.Err() != nil {
			break
		}
		x.groups.add(&state.Groups[i], c.ClusterScoped().Namespaces, x.installed.Of(namespace))
	}
	return ctx.Err()
}

// LabelMetadataName is the label that every catalog of the cluster carries: its
// own name.
const LabelMetadataName = "olm.operatorframework.io/metadata.name"

// LabelsOf returns the labels of a catalog of the cluster: those given with its
// content win over those of its object.
func LabelsOf(c *cluster.Index, from *cache.Catalog) map[string]string {
	labels := map[string]string{LabelMetadataName: from.Key.Name}
	if declared := c.ClusterCatalog(from.Key.Name); declared != nil {
		maps.Copy(labels, declared.Labels)
	}
	maps.Copy(labels, from.Labels)
	return labels
}
