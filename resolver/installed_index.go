package resolver

import "github.com/resolvent/resolvent/properties"

// installedIndex holds what is installed in all namespaces of a cluster, as far
// as other namespaces and the requests of the whole cluster look at it. It is
// immutable.
type installedIndex struct {
	// in lists the bundles that count of each namespace, by name.
	in map[string][]installedFacts
	// kinds lists the providers of each kind, by namespace and name.
	kinds map[properties.GVK][]kindProvider
}

// installedFacts is an installed bundle as others see it.
type installedFacts struct {
	csv        *ClusterServiceVersion
	properties *properties.Set
	apis       []properties.GVK
}

// indexInstalled reads the installed bundles of all namespaces. One whose
// properties cannot be read provides what its object lists: it fails its own
// namespace, not its neighbours.
func (c *Cluster) indexInstalled() *installedIndex {
	index := &installedIndex{
		in:    make(map[string][]installedFacts, len(c.all)),
		kinds: map[properties.GVK][]kindProvider{},
	}
	// Namespaces run the same operators: most annotations are read once.
	decoded := map[string]*properties.Set{}
	for _, namespace := range c.all {
		state := c.in(namespace)
		counting := state.counting()
		if len(counting) == 0 {
			continue
		}
		list := make([]installedFacts, len(counting))
		for i, csv := range counting {
			list[i] = installedFacts{csv: csv, properties: state.readProperties(csv, decoded)}
			list[i].apis = list[i].properties.GVKs()
			for kind, versions := range versionsOf(list[i].apis) {
				index.kinds[kind] = append(index.kinds[kind], kindProvider{namespace, csv.Name, versions})
			}
		}
		index.in[namespace] = list
	}
	return index
}

// readProperties decodes what an installed bundle states; decoded remembers
// annotations.
func (n *namespaceState) readProperties(csv *ClusterServiceVersion, decoded map[string]*properties.Set) *properties.Set {
	text, annotated := csv.Annotations[AnnotationProperties]
	if set, ok := decoded[text]; ok && annotated {
		return set
	}
	list, err := n.propertiesOf(csv, "0.0.0")
	if err != nil {
		list = n.inferProperties(csv, csv.Version)
	}
	set, _ := properties.Decode(list, nil)
	if annotated && err == nil {
		decoded[text] = set
	}
	return set
}
