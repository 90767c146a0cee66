// Package inventory derives what is installed from the objects of a cluster: which
// ClusterServiceVersions count, what they state, which APIs OperatorGroups
// provide and to whom, who owns a kind, and which catalogs a namespace sees. It
// knows no candidates and no rules.
package inventory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Cluster is an index over Objects. It is immutable and safe for any number of
// goroutines.
type Cluster struct {
	Objects    cluster.Objects
	Namespaces map[string]*Namespace
	// Requesting are the namespaces with Subscriptions, and Known those with any
	// object; both are sorted.
	Requesting, Known []string
	// Extensions are sorted by name.
	Extensions []*cluster.ClusterExtension
	*LazyIndex
}

// Namespace holds the objects of one namespace, each slice by name.
type Namespace struct {
	Subscriptions []cluster.Subscription
	CSVs          []cluster.ClusterServiceVersion
	Groups        []cluster.OperatorGroup
	Conditions    map[string]*cluster.Condition
	// Installers are, by the name that they say is installed, the indices of
	// Subscriptions.
	Installers map[string][]int
}

// New indexes the objects. The slices are not copied: they must not change
// afterwards.
func New(objects cluster.Objects) *Cluster {
	c := &Cluster{Objects: objects, Namespaces: map[string]*Namespace{}, LazyIndex: NewLazyIndex()}
	for _, s := range objects.Subscriptions {
		n := c.state(s.Namespace)
		n.Subscriptions = append(n.Subscriptions, s)
	}
	for _, v := range objects.CSVs {
		n := c.state(v.Namespace)
		n.CSVs = append(n.CSVs, v)
	}
	for _, g := range objects.OperatorGroups {
		n := c.state(g.Namespace)
		n.Groups = append(n.Groups, g)
	}
	for _, o := range objects.OperatorConditions {
		n := c.state(o.Namespace)
		if n.Conditions == nil {
			n.Conditions = map[string]*cluster.Condition{}
		}
		n.Conditions[o.Name] = o.Upgradeable
	}
	for name, n := range c.Namespaces {
		c.Known = append(c.Known, name)
		slices.SortFunc(n.Subscriptions, func(a, b cluster.Subscription) int { return cmp.Compare(a.Name, b.Name) })
		n.IndexInstallers()
		slices.SortFunc(n.CSVs, func(a, b cluster.ClusterServiceVersion) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.Groups, func(a, b cluster.OperatorGroup) int { return cmp.Compare(a.Name, b.Name) })
		if len(n.Subscriptions) > 0 {
			c.Requesting = append(c.Requesting, name)
		}
	}
	slices.Sort(c.Requesting)
	slices.Sort(c.Known)
	c.SortExtensions()
	return c
}

// SortExtensions brings the ClusterExtensions into their order.
func (c *Cluster) SortExtensions() {
	c.Extensions = make([]*cluster.ClusterExtension, len(c.Objects.ClusterExtensions))
	for i := range c.Extensions {
		c.Extensions[i] = &c.Objects.ClusterExtensions[i]
	}
	slices.SortStableFunc(c.Extensions, func(a, b *cluster.ClusterExtension) int { return cmp.Compare(a.Name, b.Name) })
}

// IndexInstallers fills in Installers; the Subscriptions are sorted.
func (n *Namespace) IndexInstallers() {
	n.Installers = make(map[string][]int, len(n.CSVs))
	for i := range n.Subscriptions {
		if name := n.Subscriptions[i].InstalledCSV; name != "" {
			n.Installers[name] = append(n.Installers[name], i)
		}
	}
}

// Extension returns the ClusterExtension of that name, nil if there is none.
func (c *Cluster) Extension(name string) *cluster.ClusterExtension {
	i, found := slices.BinarySearchFunc(c.Extensions, name, func(e *cluster.ClusterExtension, name string) int { return cmp.Compare(e.Name, name) })
	if !found {
		return nil
	}
	return c.Extensions[i]
}

// EmptyNamespace has no objects.
var EmptyNamespace = &Namespace{}

// In returns the objects of a namespace.
func (c *Cluster) In(namespace string) *Namespace {
	if n, ok := c.Namespaces[namespace]; ok {
		return n
	}
	return EmptyNamespace
}

func (c *Cluster) state(namespace string) *Namespace {
	n, ok := c.Namespaces[namespace]
	if !ok {
		n = &Namespace{}
		c.Namespaces[namespace] = n
	}
	return n
}

// ClusterCatalog returns the declaration of a catalog, nil if there is none.
func (c *Cluster) ClusterCatalog(name string) *cluster.ClusterCatalog {
	for i := range c.Objects.ClusterCatalogs {
		if c.Objects.ClusterCatalogs[i].Name == name {
			return &c.Objects.ClusterCatalogs[i]
		}
	}
	return nil
}

// LabelMetadataName is the label that every catalog of the cluster carries: its
// own name.
const LabelMetadataName = "olm.operatorframework.io/metadata.name"

// LabelsOf returns the labels of a catalog of the cluster: those given with its
// content win over those of its object.
func (c *Cluster) LabelsOf(from *cache.Catalog) map[string]string {
	labels := map[string]string{LabelMetadataName: from.Key.Name}
	if declared := c.ClusterCatalog(from.Key.Name); declared != nil {
		maps.Copy(labels, declared.Labels)
	}
	maps.Copy(labels, from.Labels)
	return labels
}
