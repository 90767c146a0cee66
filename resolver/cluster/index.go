package cluster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/memo"
)

// Index finds the objects of a cluster. It is immutable and safe for any number of
// goroutines; what it returns is shared and must not be changed.
type Index struct {
	objects    Objects
	namespaces map[string]*NamespaceObjects
	known      []string
	extensions []*ClusterExtension
	derived    *memo.Once
}

// NamespaceObjects are the objects of one namespace, each list by name.
type NamespaceObjects struct {
	Subscriptions []Subscription
	CSVs          []ClusterServiceVersion
	Groups        []OperatorGroup
	// Conditions are those named Upgradeable, by the name of the OperatorCondition.
	Conditions map[string]*Condition
	// Installers are, by the name that they say is installed, the indices of
	// Subscriptions.
	Installers map[string][]int
}

// NewIndex indexes the objects. The slices are not copied: they must not change
// afterwards.
func NewIndex(objects Objects) *Index {
	x := &Index{objects: objects, namespaces: map[string]*NamespaceObjects{}, derived: memo.NewOnce()}
	for _, s := range objects.Subscriptions {
		n := x.namespace(s.Namespace)
		n.Subscriptions = append(n.Subscriptions, s)
	}
	for _, v := range objects.CSVs {
		n := x.namespace(v.Namespace)
		n.CSVs = append(n.CSVs, v)
	}
	for _, g := range objects.OperatorGroups {
		n := x.namespace(g.Namespace)
		n.Groups = append(n.Groups, g)
	}
	for _, o := range objects.OperatorConditions {
		n := x.namespace(o.Namespace)
		if n.Conditions == nil {
			n.Conditions = map[string]*Condition{}
		}
		n.Conditions[o.Name] = o.Upgradeable
	}
	for _, n := range x.namespaces {
		slices.SortFunc(n.Subscriptions, func(a, b Subscription) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.CSVs, func(a, b ClusterServiceVersion) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.Groups, func(a, b OperatorGroup) int { return cmp.Compare(a.Name, b.Name) })
		n.indexInstallers()
	}
	x.known = slices.Sorted(maps.Keys(x.namespaces))
	x.sortExtensions()
	return x
}

func (x *Index) namespace(name string) *NamespaceObjects {
	n, ok := x.namespaces[name]
	if !ok {
		n = &NamespaceObjects{}
		x.namespaces[name] = n
	}
	return n
}

func (n *NamespaceObjects) indexInstallers() {
	n.Installers = make(map[string][]int, len(n.CSVs))
	for i := range n.Subscriptions {
		if name := n.Subscriptions[i].InstalledCSV; name != "" {
			n.Installers[name] = append(n.Installers[name], i)
		}
	}
}

func (x *Index) sortExtensions() {
	x.extensions = make([]*ClusterExtension, len(x.objects.ClusterExtensions))
	for i := range x.extensions {
		x.extensions[i] = &x.objects.ClusterExtensions[i]
	}
	slices.SortStableFunc(x.extensions, func(a, b *ClusterExtension) int { return cmp.Compare(a.Name, b.Name) })
}

// Objects returns what the index was made of.
func (x *Index) Objects() Objects { return x.objects }

// Scopes returns what there is to resolve: the namespaces that have a Subscription,
// then the ClusterExtensions, both by name.
func (x *Index) Scopes() []Scope {
	var scopes []Scope
	for _, name := range x.known {
		if len(x.namespaces[name].Subscriptions) > 0 {
			scopes = append(scopes, InNamespace(name))
		}
	}
	for _, e := range x.extensions {
		scopes = append(scopes, e.Key().Scope())
	}
	return scopes
}

// Namespaces returns the namespaces that have any object, sorted.
func (x *Index) Namespaces() []string { return x.known }

// noObjects are those of a namespace that has none.
var noObjects = &NamespaceObjects{}

// In returns the objects of a namespace.
func (x *Index) In(namespace string) *NamespaceObjects {
	if n, ok := x.namespaces[namespace]; ok {
		return n
	}
	return noObjects
}

// Extensions returns the ClusterExtensions by name.
func (x *Index) Extensions() []*ClusterExtension { return x.extensions }

// Extension returns the ClusterExtension of that name, nil if there is none.
func (x *Index) Extension(name string) *ClusterExtension {
	i, found := slices.BinarySearchFunc(x.extensions, name, func(e *ClusterExtension, name string) int { return cmp.Compare(e.Name, name) })
	if !found {
		return nil
	}
	return x.extensions[i]
}

// ClusterCatalog returns the declaration of a catalog, nil if there is none.
func (x *Index) ClusterCatalog(name string) *ClusterCatalog {
	for i := range x.objects.ClusterCatalogs {
		if x.objects.ClusterCatalogs[i].Name == name {
			return &x.objects.ClusterCatalogs[i]
		}
	}
	return nil
}

// Derived is where package resolver keeps what follows from the objects.
func (x *Index) Derived() *memo.Once { return x.derived }

// WithNamespace returns a copy of the index in which edit has changed the lists of
// objects of one namespace; it leaves them in order, and changes none in place. Objects
// stays, but for OperatorGroups. If alone is set, nobody looks at the namespace from
// elsewhere.
func (x *Index) WithNamespace(name string, alone bool, edit func(n *NamespaceObjects)) *Index {
	changed, state := *x, *x.In(name)
	edit(&state)
	state.indexInstallers()
	changed.namespaces = maps.Clone(x.namespaces)
	changed.namespaces[name] = &state
	changed.objects.OperatorGroups = slices.Clone(x.objects.OperatorGroups)
	for i := range changed.objects.OperatorGroups {
		g := &changed.objects.OperatorGroups[i]
		if j := slices.IndexFunc(state.Groups, func(o OperatorGroup) bool { return o.Name == g.Name }); j >= 0 && g.Namespace == name {
			*g = state.Groups[j]
		}
	}
	if !alone {
		changed.derived = memo.NewOnce()
	}
	return &changed
}

// WithObjects returns a copy of the index in which edit has changed objects that are in
// no namespace, or versions and labels; it must not change lists in place.
func (x *Index) WithObjects(edit func(o *Objects)) *Index {
	changed := *x
	edit(&changed.objects)
	changed.sortExtensions()
	return &changed
}
