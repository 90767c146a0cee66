package inventory

import (
	"github.com/resolvent/resolvent/properties"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// installedIndex holds what is installed in all namespaces of a cluster, as far
// as other namespaces and the requests of the whole cluster look at it. It is
// immutable.
type installedIndex struct {
	// In lists the bundles that count of each namespace, by name.
	In map[string][]installedFacts
	// Kinds lists the providers of each kind, by namespace and name.
	Kinds map[properties.GVK][]KindProvider
	// decoded remembers annotations: namespaces run the same operators.
	decoded map[string]*properties.Set
}

// installedFacts is an installed bundle as others see it.
type installedFacts struct {
	CSV        *cluster.ClusterServiceVersion
	Properties *properties.Set
	apis       []properties.GVK
}

func newInstalledIndex() *installedIndex {
	return &installedIndex{
		In:      map[string][]installedFacts{},
		Kinds:   map[properties.GVK][]KindProvider{},
		decoded: map[string]*properties.Set{},
	}
}

// add reads the installed bundles of a namespace. Namespaces come in order. A
// bundle whose properties cannot be read provides what its object lists: it
// fails its own namespace, not its neighbours.
func (x *installedIndex) add(namespace string, state *Namespace) {
	counting := state.Counting()
	if len(counting) == 0 {
		return
	}
	list := make([]installedFacts, len(counting))
	for i, csv := range counting {
		set := state.readProperties(csv, x.decoded)
		list[i] = installedFacts{CSV: csv, Properties: set, apis: set.GVKs()}
		for kind, versions := range VersionsOf(list[i].apis) {
			x.Kinds[kind] = append(x.Kinds[kind], KindProvider{namespace, csv.Name, versions})
		}
	}
	x.In[namespace] = list
}

// readProperties decodes what an installed bundle states; decoded remembers
// annotations.
func (n *Namespace) readProperties(csv *cluster.ClusterServiceVersion, decoded map[string]*properties.Set) *properties.Set {
	text, annotated := csv.Annotations[cluster.AnnotationProperties]
	if set, ok := decoded[text]; ok && annotated {
		return set
	}
	list, err := n.PropertiesOf(csv, "0.0.0")
	if err != nil {
		list = n.inferProperties(csv, csv.Version)
	}
	set, _ := properties.Decode(list, nil)
	if annotated && err == nil {
		decoded[text] = set
	}
	return set
}
