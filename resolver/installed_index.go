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
	// decoded remembers annotations: namespaces run the same operators.
	decoded map[string]*properties.Set
}

// installedFacts is an installed bundle as others see it.
type installedFacts struct {
	csv        *ClusterServiceVersion
	properties *properties.Set
	apis       []properties.GVK
}

func newInstalledIndex() *installedIndex {
	return &installedIndex{
		in:      map[string][]installedFacts{},
		kinds:   map[properties.GVK][]kindProvider{},
		decoded: map[string]*properties.Set{},
	}
}

// add reads the installed bundles of a namespace. Namespaces come in order. A
// bundle whose properties cannot be read provides what its object lists: it
// fails its own namespace, not its neighbours.
func (x *installedIndex) add(namespace string, state *namespaceState) {
	counting := state.counting()
	if len(counting) == 0 {
		return
	}
	list := make([]installedFacts, len(counting))
	for i, csv := range counting {
		set := state.readProperties(csv, x.decoded)
		list[i] = installedFacts{csv: csv, properties: set, apis: set.GVKs()}
		for kind, versions := range versionsOf(list[i].apis) {
			x.kinds[kind] = append(x.kinds[kind], kindProvider{namespace, csv.Name, versions})
		}
	}
	x.in[namespace] = list
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
