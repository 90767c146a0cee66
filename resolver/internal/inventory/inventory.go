// Package inventory derives what is installed from the objects of a cluster: which
// ClusterServiceVersions count, what they state, which APIs OperatorGroups
// provide and to whom, who owns a kind, and which catalogs a namespace sees. It
// knows no candidates and no rules.
package inventory

import (
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
	// installed lists the bundles that count of each namespace, by name.
	installed map[string][]Installed
	// providers are listed by namespace and name.
	providers Providers
	groups    *groupIndex
}

// Installed is an installed bundle as other namespaces see it.
type Installed struct {
	CSV        *cluster.ClusterServiceVersion
	Properties *properties.Set
}

// Derive finds what follows from the objects of all namespaces, unless that was done
// before. Functions that read it panic before. The error is an *Incomplete.
func Derive(ctx context.Context, c *cluster.Index, reader *Reader) error {
	_, err := c.Derived(ctx, func() (any, error) {
		x := &derived{installed: map[string][]Installed{}, providers: Providers{}, groups: newGroupIndex()}
		// What is installed in a lone namespace matters to no other.
		others := len(c.Namespaces()) > 1 || len(c.Extensions()) > 0
		known := c.ClusterScoped().Namespaces
		for _, namespace := range c.Namespaces() {
			state := c.In(namespace)
			if others {
				x.add(namespace, state, reader)
			}
			for i := range state.Groups {
				if ctx.Err() != nil {
					break
				}
				x.groups.add(&state.Groups[i], known, x.installed[namespace])
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		return x, nil
	})
	if err != nil {
		return &result.Incomplete{Phase: "reading what is installed", Err: err}
	}
	return nil
}

func derivedOf(c *cluster.Index) *derived {
	x, _ := c.Derived(context.Background(), nil)
	return x.(*derived)
}

// Share lets another cluster keep what was derived from one, if anything was.
func Share(c, other *cluster.Index) {
	if x, _ := c.Derived(context.Background(), nil); x != nil {
		_, _ = other.Derived(context.Background(), func() (any, error) { return x, nil })
	}
}

// InstalledIn lists the bundles of a namespace that count, by name.
func InstalledIn(c *cluster.Index, namespace string) []Installed {
	return derivedOf(c).installed[namespace]
}

// ProvidersIn lists what provides each kind, by namespace and name.
func ProvidersIn(c *cluster.Index) Providers { return derivedOf(c).providers }

// add reads the installed bundles of a namespace. Namespaces come in order. A
// bundle whose properties cannot be read provides what its object lists: it
// fails its own namespace, not its neighbours.
func (x *derived) add(namespace string, state *cluster.NamespaceObjects, reader *Reader) {
	for _, csv := range Counting(state) {
		set := reader.Read(state, csv).Properties
		if set == nil {
			set, _ = properties.Decode(inferProperties(state, csv, csv.Version), nil)
		}
		x.installed[namespace] = append(x.installed[namespace], Installed{csv, set})
		x.providers.Add(namespace, csv.Name, set)
	}
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
