package resolver

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache"
)

// inventory is an index over Objects. It is immutable and safe for any number of
// goroutines.
type inventory struct {
	objects    Objects
	namespaces map[string]*namespaceState
	// names are the namespaces with Subscriptions, all those with any object.
	names []string
	all   []string
	// extensions are sorted by name.
	extensions []*ClusterExtension
	*lazyIndex
}

// namespaceState holds the objects of one namespace, each slice by name.
type namespaceState struct {
	subscriptions []Subscription
	csvs          []ClusterServiceVersion
	groups        []OperatorGroup
	conditions    map[string]*Condition
	// installers are, by the name that they say is installed, the indices of
	// Subscriptions.
	installers map[string][]int
}

// newInventory indexes the objects. The slices are not copied: they must not
// change afterwards.
func newInventory(objects Objects) *inventory {
	c := &inventory{objects: objects, namespaces: map[string]*namespaceState{}, lazyIndex: newLazyIndex()}
	for _, s := range objects.Subscriptions {
		n := c.state(s.Namespace)
		n.subscriptions = append(n.subscriptions, s)
	}
	for _, v := range objects.CSVs {
		n := c.state(v.Namespace)
		n.csvs = append(n.csvs, v)
	}
	for _, g := range objects.OperatorGroups {
		n := c.state(g.Namespace)
		n.groups = append(n.groups, g)
	}
	for _, o := range objects.OperatorConditions {
		n := c.state(o.Namespace)
		if n.conditions == nil {
			n.conditions = map[string]*Condition{}
		}
		n.conditions[o.Name] = o.Upgradeable
	}
	for name, n := range c.namespaces {
		c.all = append(c.all, name)
		slices.SortFunc(n.subscriptions, func(a, b Subscription) int { return cmp.Compare(a.Name, b.Name) })
		n.indexInstallers()
		slices.SortFunc(n.csvs, func(a, b ClusterServiceVersion) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.groups, func(a, b OperatorGroup) int { return cmp.Compare(a.Name, b.Name) })
		if len(n.subscriptions) > 0 {
			c.names = append(c.names, name)
		}
	}
	slices.Sort(c.names)
	slices.Sort(c.all)
	c.sortExtensions()
	return c
}

// sortExtensions brings the ClusterExtensions into their order.
func (c *inventory) sortExtensions() {
	c.extensions = make([]*ClusterExtension, len(c.objects.ClusterExtensions))
	for i := range c.extensions {
		c.extensions[i] = &c.objects.ClusterExtensions[i]
	}
	slices.SortStableFunc(c.extensions, func(a, b *ClusterExtension) int { return cmp.Compare(a.Name, b.Name) })
}

// indexInstallers fills in what is looked up by name; the Subscriptions are sorted.
func (n *namespaceState) indexInstallers() {
	n.installers = make(map[string][]int, len(n.csvs))
	for i := range n.subscriptions {
		if name := n.subscriptions[i].InstalledCSV; name != "" {
			n.installers[name] = append(n.installers[name], i)
		}
	}
}

// extension returns the ClusterExtension of that name, nil if there is none.
func (c *inventory) extension(name string) *ClusterExtension {
	i, found := slices.BinarySearchFunc(c.extensions, name, func(e *ClusterExtension, name string) int { return cmp.Compare(e.Name, name) })
	if !found {
		return nil
	}
	return c.extensions[i]
}

var emptyNamespace = &namespaceState{}

func (c *inventory) in(namespace string) *namespaceState {
	if n, ok := c.namespaces[namespace]; ok {
		return n
	}
	return emptyNamespace
}

func (c *inventory) state(namespace string) *namespaceState {
	n, ok := c.namespaces[namespace]
	if !ok {
		n = &namespaceState{}
		c.namespaces[namespace] = n
	}
	return n
}

func (c *inventory) clusterCatalog(name string) *ClusterCatalog {
	for i := range c.objects.ClusterCatalogs {
		if c.objects.ClusterCatalogs[i].Name == name {
			return &c.objects.ClusterCatalogs[i]
		}
	}
	return nil
}

// LabelMetadataName is the label that every catalog of the cluster carries: its
// own name.
const LabelMetadataName = "olm.operatorframework.io/metadata.name"

// catalogLabels returns the labels of a catalog: those given with its content
// win over those of its object.
func catalogLabels(c *cache.Catalog, declared *ClusterCatalog) map[string]string {
	labels := map[string]string{LabelMetadataName: c.Key.Name}
	if declared != nil {
		for k, v := range declared.Labels {
			labels[k] = v
		}
	}
	for k, v := range c.Labels {
		labels[k] = v
	}
	return labels
}
