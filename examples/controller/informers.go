package main

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// watched are the resources that a resolution reads. Catalogs are declared by
// CatalogSources, and read by the cache.
var watched = []struct {
	schema.GroupVersionResource
	// selector is of labels; empty means all objects.
	selector string
}{
	{subscriptionResource, ""},
	// OLM copies each operator into every namespace that it watches. Resolution
	// leaves copies out; so they need not even be read.
	{olm("v1alpha1", "clusterserviceversions"), "!" + cluster.LabelCopiedFrom},
	{olm("v1alpha1", "catalogsources"), ""},
	{olm("v1", "operatorgroups"), ""},
	{olm("v2", "operatorconditions"), ""},
	{schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, ""},
}

var subscriptionResource = olm("v1alpha1", "subscriptions")

func olm(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "operators.coreos.com", Version: version, Resource: resource}
}

// informer keeps a store of the objects of one resource.
type informer struct {
	toolscache.Controller
	store toolscache.Store
}

// startWatching makes the informers. They run later.
func (c *Controller) startWatching() {
	for _, w := range watched {
		resource := c.client.Resource(w.GroupVersionResource)
		lists := &toolscache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				options.LabelSelector = w.selector
				return resource.List(ctx, options)
			},
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				options.LabelSelector = w.selector
				return resource.Watch(ctx, options)
			},
		}
		store, controller := toolscache.NewInformerWithOptions(toolscache.InformerOptions{
			ListerWatcher: toolscache.ToListWatcherWithWatchListSemantics(lists, c.client),
			ObjectType:    &unstructured.Unstructured{},
			Indexers:      toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc},
			Transform:     c.convert,
			Handler: toolscache.ResourceEventHandlerFuncs{
				AddFunc:    c.changed,
				UpdateFunc: c.updated,
				DeleteFunc: c.changed,
			},
		})
		c.informers = append(c.informers, informer{controller, store})
		if w.GroupVersionResource == subscriptionResource {
			c.subscriptions = store.(toolscache.Indexer)
		}
	}
}

// object is what is kept of an object of the cluster.
type object struct {
	metav1.ObjectMeta
	// read is the object as resolution reads it, and nothing else; fault says why
	// it cannot.
	read  cluster.Objects
	fault error
	// condition is the one that this controller writes, of a Subscription.
	condition condition
}

// convert makes an object of what the API server sent, before it is stored. So
// each is decoded once, and the memory of all else is free again.
func (c *Controller) convert(in any) (any, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in, nil // converted before, or a deletion that was missed
	}
	o := &object{ObjectMeta: metav1.ObjectMeta{
		Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
	}}
	o.condition = conditionOf(u, c.options.Condition)
	var err error
	o.read, err = manifest.ReadObject(u.GetAPIVersion(), u.GetKind(), func(fields any) error {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, fields)
	})
	if err != nil {
		o.fault = &result.InvalidInput{Subject: u.GetKind() + " " + catalog.Key{Namespace: o.Namespace, Name: o.Name}.String(), Err: err}
		klog.InfoS("An object cannot be read", "fault", err)
	}
	return o, nil
}

// updated passes over what no resolution can see: heartbeats, and the conditions
// that this controller writes.
func (c *Controller) updated(old, new any) {
	before, after := old.(*object), new.(*object)
	if before.UID != after.UID || !reflect.DeepEqual(before.read, after.read) || !reflect.DeepEqual(before.fault, after.fault) {
		c.changed(new)
	}
}

// changed has the namespaces reconciled that an object may matter to. A
// Subscription matters to its own namespace. All others may reach further: groups
// and operators exclude operators of other namespaces, catalogs are seen by many.
func (c *Controller) changed(in any) {
	c.mu.Lock()
	c.known = nil
	c.mu.Unlock()
	if !c.synced.Load() {
		return // all namespaces are enqueued then
	}
	if gone, ok := in.(toolscache.DeletedFinalStateUnknown); ok {
		in = gone.Obj
	}
	if o, ok := in.(*object); ok && len(o.read.Subscriptions) > 0 {
		c.queue.Add(o.Namespace)
		return
	}
	c.enqueueAll()
}

// subscriptionsOf returns the Subscriptions of a namespace, by name.
func (c *Controller) subscriptionsOf(namespace string) []*object {
	items, _ := c.subscriptions.ByIndex(toolscache.NamespaceIndex, namespace)
	list := make([]*object, len(items))
	for i, item := range items {
		list[i] = item.(*object)
	}
	slices.SortFunc(list, func(a, b *object) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// knowledge returns the cluster as the informers know it now. It is made once a
// change, for all namespaces: what they exclude of each other is part of it.
func (c *Controller) knowledge() *knowledge {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != nil {
		return c.known
	}
	objects := cluster.Objects{KubernetesVersion: c.options.KubernetesVersion}
	faults := map[string]error{}
	for _, i := range c.informers {
		for _, item := range i.store.List() {
			o := item.(*object)
			objects.Append(o.read)
			// Of several faults, the report always states the same one.
			if was := faults[o.Namespace]; o.fault != nil && (was == nil || cmp.Less(o.fault.Error(), was.Error())) {
				faults[o.Namespace] = o.fault
			}
		}
	}
	priorities := map[catalog.Key]int{}
	for _, s := range objects.CatalogSources {
		priorities[s.Key] = s.Priority
	}
	for key, source := range c.sources {
		c.catalogs.Set(key, cache.CatalogConfig{Source: source, Priority: priorities[key]})
	}
	c.known = &knowledge{resolver.NewCluster(objects), faults}
	return c.known
}
