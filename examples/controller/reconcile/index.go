package reconcile

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// maxGrown is by how many changes the index grows before it is made anew, which takes time
// in proportion to the cluster.
const maxGrown = 256

// begin makes the index of all objects that count now, those of found among them, and has
// everything reconciled.
func (c *Controller) begin(found []*kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range found {
		k.counts = true
	}
	objects := cluster.Objects{KubernetesVersion: c.options.KubernetesVersion, Date: c.today(), Unread: map[cluster.Scope]error{}}
	for _, k := range c.objects {
		for _, named := range k.byNamespace {
			for _, o := range named {
				if k.counts {
					objects.Append(o.read.objects())
				}
				if k.counts && o.fault != nil {
					objects.Unread[o.scope()] = c.faultOf(o.scope())
				}
			}
		}
	}
	c.index, c.grown = cluster.NewIndex(objects), 0
	c.changes++
	c.declareCatalogs()
	c.enqueueNamespaces()
	c.enqueueExtensions()
	if !c.synced.Swap(true) {
		close(c.begun)
	}
}

// faultOf returns why an object of a scope cannot be read, nil if all can. Of several faults
// it is always the same one. The caller holds mu.
func (c *Controller) faultOf(s cluster.Scope) (fault error) {
	for _, k := range c.objects {
		for _, o := range k.byNamespace[s.Namespace()] {
			if k.counts && o.fault != nil && o.scope() == s && (fault == nil || cmp.Less(o.fault.Error(), fault.Error())) {
				fault = o.fault
			}
		}
	}
	return fault
}

// changed has the scopes reconciled that a change of an object may matter to; one of the
// two is nil if it came or went. A condition that is not as this controller wrote it is looked
// at again: another may have changed it. The caller holds mu.
func (c *Controller) changed(old, new *object) {
	o := cmp.Or(new, old)
	var want []typed
	if old != nil {
		want = c.sent[old.UID]
		delete(c.sent, old.UID) // the API server has told of it
	}
	switch {
	case c.index == nil: // everything is reconciled once all objects are read
	case !same(old, new):
		before := c.index
		c.grow(old, new, o)
		c.concern(before, old, new, o)
	case o.isRequest() && (want != nil && !new.status.states(want) || want == nil && !old.status.states(new.status.said())):
		c.queue.AddAfter(o.scope(), undoPause)
	}
}

// elsewhere reports whether others than its own namespace see a change of a
// ClusterServiceVersion.
func elsewhere(old, new *object) bool {
	seen := func(o *object) (list []cluster.ClusterServiceVersion) {
		if o == nil {
			return nil
		}
		for _, v := range o.read.objects().CSVs {
			switch v.Phase {
			case "Deleting", "Replacing", "Failed": // it may not count
			default:
				v.Phase, v.Reason = "", ""
			}
			list = append(list, v)
		}
		return list
	}
	return !reflect.DeepEqual(seen(old), seen(new))
}

// grow makes the index that of the cluster after a change.
func (c *Controller) grow(old, new, o *object) {
	var read cluster.Objects
	if new != nil {
		read = new.read.objects()
	}
	index := c.index
	switch o.kind.Value().Kind {
	case "Subscription":
		index = index.WithNamespace(o.Namespace, true, func(n *cluster.NamespaceObjects) {
			n.Subscriptions = replaced(n.Subscriptions, func(s *cluster.Subscription) string { return s.Name }, o.Name, read.Subscriptions)
		})
	case "OperatorCondition":
		index = index.WithNamespace(o.Namespace, true, func(n *cluster.NamespaceObjects) {
			n.Conditions = replaced(n.Conditions, func(s *cluster.OperatorCondition) string { return s.Name }, o.Name, read.OperatorConditions)
		})
	case "InstallPlan":
		index = index.WithNamespace(o.Namespace, true, func(n *cluster.NamespaceObjects) {
			n.InstallPlans = replaced(n.InstallPlans, func(p *cluster.InstallPlan) string { return p.Name }, o.Name, read.InstallPlans)
		})
	case "ClusterServiceVersion":
		index = index.WithNamespace(o.Namespace, !elsewhere(old, new), func(n *cluster.NamespaceObjects) {
			n.CSVs = replaced(n.CSVs, func(v *cluster.ClusterServiceVersion) string { return v.Name }, o.Name, read.CSVs)
		})
	case "OperatorGroup":
		index = index.WithNamespace(o.Namespace, false, func(n *cluster.NamespaceObjects) {
			n.Groups = replaced(n.Groups, func(g *cluster.OperatorGroup) string { return g.Name }, o.Name, read.OperatorGroups)
		})
	default:
		index = index.WithObjects(func(all *cluster.Objects) {
			all.ClusterExtensions = without(all.ClusterExtensions, old, func(e *cluster.ClusterExtension) bool {
				return e.Name == o.Name && o.kind.Value().Kind == "ClusterExtension"
			}, read.ClusterExtensions)
			all.CatalogSources = without(all.CatalogSources, old, func(s *cluster.CatalogSource) bool {
				return s.Key == catalog.Key{Namespace: o.Namespace, Name: o.Name} && o.kind.Value().Kind == "CatalogSource"
			}, read.CatalogSources)
			all.ClusterCatalogs = without(all.ClusterCatalogs, old, func(s *cluster.ClusterCatalog) bool {
				return s.Name == o.Name && o.kind.Value().Kind == "ClusterCatalog"
			}, read.ClusterCatalogs)
			all.Namespaces = without(all.Namespaces, old, func(n *cluster.Namespace) bool { return n.Name == o.Name && o.kind.Value().Kind == "Namespace" }, read.Namespaces)
		})
	}
	if old != nil && old.fault != nil || new != nil && new.fault != nil {
		index = index.WithObjects(func(all *cluster.Objects) {
			all.Unread = maps.Clone(all.Unread)
			delete(all.Unread, o.scope())
			if fault := c.faultOf(o.scope()); fault != nil {
				all.Unread[o.scope()] = fault
			}
		})
	}
	labels := o.kind.Value().Kind == "Namespace" && c.selects(index)
	if c.grown++; c.grown > maxGrown || labels { // labels count for what is derived of all groups
		index, c.grown = cluster.NewIndex(index.Objects()), 0
	}
	c.index = index
}

// replaced returns a list by name in which objects are in the place of those of a name.
func replaced[T any](list []T, nameOf func(*T) string, name string, with []T) []T {
	list = slices.DeleteFunc(slices.Clone(list), func(one T) bool { return nameOf(&one) == name })
	list = append(list, with...)
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(nameOf(&a), nameOf(&b)) })
	return list
}

// without returns a list with objects in the place of an old one.
func without[T any](list []T, old *object, is func(*T) bool, with []T) []T {
	if old == nil && len(with) == 0 {
		return list
	}
	return append(slices.DeleteFunc(slices.Clone(list), func(one T) bool { return is(&one) }), with...)
}

// selects reports whether labels of namespaces choose what an OperatorGroup watches.
func (c *Controller) selects(index *cluster.Index) bool {
	return slices.ContainsFunc(index.Namespaces(), func(namespace string) bool {
		return slices.ContainsFunc(index.In(namespace).Groups, func(g cluster.OperatorGroup) bool { return !g.Selector.Empty() })
	})
}

// concern has the scopes reconciled that a change may matter to.
func (c *Controller) concern(before *cluster.Index, old, new, o *object) {
	own := o.scope()
	// What would help the unsatisfied may be in any namespace, such as a place to move to.
	for s, failed := range c.failing {
		if failed == result.ResultUnsatisfied && s != own {
			c.queue.AddAfter(s, c.options.Advice)
		}
	}
	switch o.kind.Value().Kind {
	case "Subscription", "OperatorCondition", "InstallPlan":
		c.queue.Add(own)
	case "ClusterServiceVersion":
		c.queue.Add(own)
		if !elsewhere(old, new) {
			return
		}
		c.changes++
		c.enqueueNeighbors(before, own.Name)
		for kind := range kindsOf(old, new) {
			for namespace := range c.providing[kind] {
				c.queue.Add(cluster.InNamespace(namespace))
			}
		}
		c.enqueueExtensions()
		c.enqueueWaiting()
	case "OperatorGroup":
		c.changes++
		c.queue.Add(own)
		c.enqueueNeighbors(before, own.Name)
		if before.HasGroups() != c.index.HasGroups() {
			c.enqueueNamespaces()
		}
	case "Namespace":
		if len(c.options.Resolver.Policies) > 0 { // rules read its labels
			c.queue.Add(cluster.InNamespace(o.Name))
			c.enqueueExtensions()
		}
		if c.selects(c.index) {
			c.enqueueNamespaces()
		}
	case "CatalogSource":
		c.declareCatalogs()
		if slices.Contains(c.options.Resolver.Globals(), o.Namespace) {
			c.enqueueNamespaces()
		} else {
			c.queue.Add(own)
		}
	case "ClusterCatalog":
		c.declareCatalogs()
		c.enqueueExtensions()
	default: // what one ClusterExtension has installed the others see
		c.queue.Add(own)
		c.enqueueExtensions()
	}
}

// enqueueNeighbors has the namespaces reconciled that look, or looked, at the OperatorGroup
// of another.
func (c *Controller) enqueueNeighbors(before *cluster.Index, namespace string) {
	for _, index := range []*cluster.Index{before, c.index} {
		for _, other := range (resolver.Problem{Cluster: index}).Neighbors(namespace) {
			c.queue.Add(cluster.InNamespace(other))
		}
	}
}

// enqueueNamespaces has all namespaces reconciled that have requests.
func (c *Controller) enqueueNamespaces() {
	subscriptions := c.objects[subscriptionResource.Resource]
	for namespace := range subscriptions.byNamespace {
		if !subscriptions.counts {
			return
		}
		c.queue.Add(cluster.InNamespace(namespace))
	}
}

// enqueueExtensions has all ClusterExtensions reconciled.
func (c *Controller) enqueueExtensions() {
	extensions := c.objects[extensionResource.Resource]
	for name := range extensions.byNamespace[""] {
		if !extensions.counts {
			return
		}
		c.queue.Add(cluster.OfExtension(name))
	}
}

// kind is one of custom resources, in all versions: namespaces are warned of others that
// have it in other versions.
type kind struct{ group, name string }

// kindsOf are those that ClusterServiceVersions provide.
func kindsOf(objects ...*object) map[kind]bool {
	kinds := map[kind]bool{}
	for _, o := range objects {
		if o == nil {
			continue
		}
		for _, v := range o.read.objects().CSVs {
			var stated struct {
				Properties []struct {
					Type  string          `json:"type"`
					Value json.RawMessage `json:"value"`
				} `json:"properties"`
			}
			_ = json.Unmarshal([]byte(v.Annotations[cluster.AnnotationProperties]), &stated)
			apis := v.Provides
			for _, p := range stated.Properties {
				var api properties.GVK
				if p.Type == "olm.gvk" && json.Unmarshal(p.Value, &api) == nil {
					apis = append(slices.Clip(apis), api)
				}
			}
			for _, api := range apis {
				kinds[kind{api.Group, api.Kind}] = true
			}
		}
	}
	return kinds
}

// provides notes which kinds a namespace has by its last answer; asOf is the count of changes
// that the answer knows of.
func (c *Controller) provides(namespace string, kinds map[kind]bool, asOf int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.provided[namespace] {
		if delete(c.providing[k], namespace); len(c.providing[k]) == 0 {
			delete(c.providing, k)
		}
	}
	for k := range kinds {
		if c.providing[k] == nil {
			c.providing[k] = map[string]bool{}
		}
		c.providing[k][namespace] = true
	}
	if c.provided[namespace] = kinds; len(kinds) == 0 {
		delete(c.provided, namespace)
	} else if asOf != c.changes {
		c.queue.Add(cluster.InNamespace(namespace)) // nobody knew that the change mattered to it
	}
}
