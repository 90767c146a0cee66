package cluster

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/resolvent/resolvent/resolver/internal/memo"
)

// Index finds the objects of a cluster. It is immutable and safe for any number of
// goroutines; what it returns is shared and must not be changed. The zero Index is that of an
// empty cluster.
type Index struct {
	// objects are those the first index was made of. In a copy, the lists of a changed
	// namespace are out of date here; namespaces has the new ones.
	objects    Objects
	namespaces map[string]*NamespaceObjects
	// base has the namespaces that namespaces does not have; nil if it has them all.
	base       *Index
	known      []string // namespaces that have any object, sorted
	groups     int      // number of OperatorGroups
	extensions []*ClusterExtension
	// definitions are those of the objects, by name.
	definitions []Definition
	// terminating has the namespaces that are being deleted, by name.
	terminating map[string]*Namespace
	derived     *memo.Once
}

// NamespaceObjects are the objects of one namespace, each list by name.
type NamespaceObjects struct {
	Subscriptions []Subscription
	CSVs          []ClusterServiceVersion
	Groups        []OperatorGroup
	Conditions    []OperatorCondition
	InstallPlans  []InstallPlan
	// Installers holds, by status.installedCSV, the indices of Subscriptions; New is the number of
	// those that have installed nothing.
	Installers map[string][]int
	New        int
}

// NewIndex indexes the objects. The slices are not copied: they must not change
// afterwards.
func NewIndex(objects Objects) *Index {
	x := &Index{objects: objects, namespaces: map[string]*NamespaceObjects{}, groups: len(objects.OperatorGroups), derived: memo.NewOnce()}
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
		n.Conditions = append(n.Conditions, o)
	}
	unpacked := make(map[ConfigMap][]PlanStep, len(objects.Unpacked))
	for _, u := range objects.Unpacked {
		unpacked[u.ConfigMap] = u.Steps
	}
	for _, p := range objects.InstallPlans {
		n := x.namespace(p.Namespace)
		n.InstallPlans = append(n.InstallPlans, filled(p, unpacked))
	}
	for _, n := range x.namespaces {
		slices.SortFunc(n.Subscriptions, func(a, b Subscription) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.CSVs, func(a, b ClusterServiceVersion) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortFunc(n.Groups, func(a, b OperatorGroup) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortStableFunc(n.Conditions, func(a, b OperatorCondition) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortStableFunc(n.InstallPlans, func(a, b InstallPlan) int { return cmp.Compare(a.Name, b.Name) })
		n.indexInstallers()
	}
	x.known = slices.Sorted(maps.Keys(x.namespaces))
	x.sortObjects()
	return x
}

// filled returns an InstallPlan with what ConfigMaps state of its steps.
func filled(p InstallPlan, unpacked map[ConfigMap][]PlanStep) InstallPlan {
	if len(unpacked) == 0 {
		return p
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, of := range unpacked[s.In] {
			if of.Kind == s.Kind && of.Name == s.Name {
				s.Rights, s.Role, s.Installation, s.Definition = of.Rights, of.Role, of.Installation, of.Definition
			}
		}
	}
	return p
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
	n.Installers, n.New = make(map[string][]int, len(n.CSVs)), 0
	numbers := make([]int, len(n.Subscriptions)) // nearly each list has one
	for i := range n.Subscriptions {
		numbers[i] = i
		name := n.Subscriptions[i].InstalledCSV
		if name == "" {
			n.New++
		} else if others := n.Installers[name]; others == nil {
			n.Installers[name] = numbers[i : i+1 : i+1]
		} else {
			n.Installers[name] = append(others, i)
		}
	}
}

// Upgradeable returns the condition Upgradeable of the OperatorCondition with this name, nil
// if it states none.
func (n *NamespaceObjects) Upgradeable(name string) *Condition {
	i := sort.Search(len(n.Conditions), func(i int) bool { return n.Conditions[i].Name > name }) - 1
	if i < 0 || n.Conditions[i].Name != name {
		return nil
	}
	return n.Conditions[i].Upgradeable
}

func (x *Index) sortObjects() {
	x.definitions = slices.SortedStableFunc(slices.Values(x.objects.Definitions), func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	x.extensions = make([]*ClusterExtension, len(x.objects.ClusterExtensions))
	for i := range x.extensions {
		x.extensions[i] = &x.objects.ClusterExtensions[i]
	}
	slices.SortStableFunc(x.extensions, func(a, b *ClusterExtension) int { return cmp.Compare(a.Name, b.Name) })
	x.terminating = nil
	for i := range x.objects.Namespaces {
		if n := &x.objects.Namespaces[i]; n.Terminating {
			if x.terminating == nil {
				x.terminating = map[string]*Namespace{}
			}
			x.terminating[n.Name] = n
		}
	}
}

// Objects returns all objects. After a change of a namespace it copies every list.
func (x *Index) Objects() Objects {
	o := x.objects
	if x.base == nil {
		return o
	}
	changed := func(namespace string) bool { return x.namespaces[namespace] != nil }
	o.Subscriptions = slices.DeleteFunc(slices.Clone(o.Subscriptions), func(s Subscription) bool { return changed(s.Namespace) })
	o.CSVs = slices.DeleteFunc(slices.Clone(o.CSVs), func(v ClusterServiceVersion) bool { return changed(v.Namespace) })
	o.OperatorGroups = slices.DeleteFunc(slices.Clone(o.OperatorGroups), func(g OperatorGroup) bool { return changed(g.Namespace) })
	o.OperatorConditions = slices.DeleteFunc(slices.Clone(o.OperatorConditions), func(c OperatorCondition) bool { return changed(c.Namespace) })
	o.InstallPlans = slices.DeleteFunc(slices.Clone(o.InstallPlans), func(p InstallPlan) bool { return changed(p.Namespace) })
	for _, name := range slices.Sorted(maps.Keys(x.namespaces)) {
		n := x.namespaces[name]
		o.Subscriptions = append(o.Subscriptions, n.Subscriptions...)
		o.CSVs = append(o.CSVs, n.CSVs...)
		o.OperatorGroups = append(o.OperatorGroups, n.Groups...)
		o.OperatorConditions = append(o.OperatorConditions, n.Conditions...)
		o.InstallPlans = append(o.InstallPlans, n.InstallPlans...)
	}
	return o
}

// ClusterScoped returns the objects without a namespace, the versions and the labels. Its
// lists of namespaced objects may be out of date: read those with [Index.In].
func (x *Index) ClusterScoped() *Objects { return &x.objects }

// HasGroups reports whether any namespace has an OperatorGroup.
func (x *Index) HasGroups() bool { return x.groups > 0 }

// Forgotten returns the namespaces without a Subscription in which something failed or waits, by name.
// They are not among Scopes, as there is nothing to resolve, but Status has rows of them.
func (x *Index) Forgotten() (scopes []Scope) {
	stuck := func(v ClusterServiceVersion) bool {
		_, copied := v.Labels[LabelCopiedFrom]
		return !copied && (v.Phase == "Failed" || v.Phase == "Pending" || v.Phase == "Unknown")
	}
	for _, name := range x.Namespaces() {
		if n := x.In(name); len(n.Subscriptions) == 0 && slices.ContainsFunc(n.CSVs, stuck) {
			scopes = append(scopes, InNamespace(name))
		}
	}
	return scopes
}

// Scopes returns what can be resolved: the namespaces that have a Subscription, then the
// ClusterExtensions, each by name. The scopes in Objects.Unread are among them.
func (x *Index) Scopes() []Scope {
	var scopes []Scope
	for _, name := range x.known {
		if len(x.In(name).Subscriptions) > 0 {
			scopes = append(scopes, InNamespace(name))
		}
	}
	for _, e := range x.extensions {
		scopes = append(scopes, e.Key().Scope())
	}
	if len(x.objects.Unread) > 0 {
		scopes = slices.AppendSeq(scopes, maps.Keys(x.objects.Unread))
		slices.SortFunc(scopes, Scope.Compare)
		scopes = slices.Compact(scopes)
	}
	return scopes
}

// Namespaces returns the namespaces that have any object, sorted.
func (x *Index) Namespaces() []string { return x.known }

var noObjects = &NamespaceObjects{}

// In returns the objects of a namespace.
func (x *Index) In(namespace string) *NamespaceObjects {
	if n, ok := x.namespaces[namespace]; ok {
		return n
	}
	if x.base != nil {
		return x.base.In(namespace)
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

// Definition returns the CustomResourceDefinition of that name, nil if none is known.
func (x *Index) Definition(name string) *Definition {
	i, found := slices.BinarySearchFunc(x.definitions, name, func(d Definition, name string) int { return cmp.Compare(d.Name, name) })
	if !found {
		return nil
	}
	return &x.definitions[i]
}

// Terminating returns the namespace of that name if it is being deleted, else nil.
func (x *Index) Terminating(name string) *Namespace { return x.terminating[name] }

// Subscription returns the Subscription of that key, nil if there is none.
func (x *Index) Subscription(key RequestKey) *Subscription {
	list := x.In(key.Namespace).Subscriptions
	i := sort.Search(len(list), func(i int) bool { return list[i].Name >= key.Name })
	if key.Kind != KindSubscription || i == len(list) || list[i].Name != key.Name {
		return nil
	}
	return &list[i]
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

// Derived returns what compute makes of the objects. The index keeps the value of the first
// call that does not fail. With a nil compute, Derived returns the kept value, nil if there
// is none. Package resolver keeps there what it reads of all namespaces. compute gets the
// index without the changes of [Index.WithNamespace], nil if there are none, and the
// namespaces that differ from it.
func (x *Index) Derived(ctx context.Context, compute func(base *Index, changed []string) (any, error)) (any, error) {
	switch {
	case x.derived == nil && compute == nil:
		return nil, nil
	case x.derived == nil: // the zero Index, of which nothing is worth keeping
		return compute(x.base, nil)
	case compute == nil:
		return x.derived.Value(), nil
	}
	if x.base != nil && x.base.derived == x.derived {
		x = x.base // the changed namespace is alone: what is derived does not depend on it
	}
	return x.derived.Get(ctx, func() (any, error) { return compute(x.base, slices.Sorted(maps.Keys(x.namespaces))) })
}

// WithNamespace returns a copy of the index in which edit has changed the objects of one
// namespace. edit keeps each list sorted by name and changes no list in place. Set alone if
// no other namespace reads objects of this one. The copy takes time in proportion to the
// namespaces that were changed since [NewIndex].
func (x *Index) WithNamespace(name string, alone bool, edit func(n *NamespaceObjects)) *Index {
	return x.WithNamespaces([]string{name}, alone, func(_ string, n *NamespaceObjects) { edit(n) })
}

// WithNamespaces is [Index.WithNamespace] for several namespaces, in one copy.
func (x *Index) WithNamespaces(names []string, alone bool, edit func(name string, n *NamespaceObjects)) *Index {
	changed := *x
	if x.base == nil {
		changed.base, changed.namespaces = x, map[string]*NamespaceObjects{}
	} else {
		changed.namespaces = maps.Clone(x.namespaces)
	}
	for _, name := range names {
		before := changed.In(name)
		state := *before
		edit(name, &state)
		state.indexInstallers()
		changed.groups += len(state.Groups) - len(before.Groups)
		changed.namespaces[name] = &state
		if at, known := slices.BinarySearch(changed.known, name); !known {
			changed.known = slices.Insert(slices.Clip(changed.known), at, name)
		}
	}
	if !alone || x.derived == nil {
		changed.derived = memo.NewOnce()
	}
	return &changed
}

// WithObjects returns a copy of the index in which edit has changed objects without a
// namespace, versions or labels. edit changes no list in place.
func (x *Index) WithObjects(edit func(o *Objects)) *Index {
	changed := *x
	edit(&changed.objects)
	changed.sortObjects()
	return &changed
}
