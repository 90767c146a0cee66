package reconcile

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// Resources of the requests.
var (
	subscriptionResource = olmv0("v1alpha1", "subscriptions")
	extensionResource    = olmv1("clusterextensions")
)

// watched are the resources that a resolution reads. Catalogs are declared by
// CatalogSources and ClusterCatalogs, and read by the cache.
var watched = []struct {
	schema.GroupVersionResource
	// selector is of labels; empty means all objects.
	selector string
}{
	{subscriptionResource, ""},
	// OLM copies each operator into every namespace that it watches. Resolution
	// leaves copies out; so they need not even be read.
	{olmv0("v1alpha1", "clusterserviceversions"), "!" + cluster.LabelCopiedFrom},
	{olmv0("v1alpha1", "catalogsources"), ""},
	{olmv0("v1", "operatorgroups"), ""},
	{olmv0("v2", "operatorconditions"), ""},
	{schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, ""},
	{extensionResource, ""},
	{olmv1("clustercatalogs"), ""},
}

func olmv0(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "operators.coreos.com", Version: version, Resource: resource}
}

func olmv1(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: resource}
}

// informer keeps a store of the objects of one resource.
type informer struct {
	toolscache.Controller
	store toolscache.Indexer
}

// makeInformers makes one for each resource that the cluster serves: of OLM v0, of
// OLM v1, or of both. They run later.
func (c *Controller) makeInformers(ctx context.Context) error {
	indexers := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
	empty := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, indexers)
	c.subscriptions, c.extensions = empty, empty
	for _, w := range watched {
		served, err := c.serves(ctx, w.GroupVersionResource)
		if err != nil {
			return err
		}
		if !served {
			klog.InfoS("The cluster has no such resource", "resource", w.GroupVersionResource)
			continue
		}
		i := c.makeInformer(w.GroupVersionResource, w.selector, indexers)
		c.informers = append(c.informers, i)
		switch w.GroupVersionResource {
		case subscriptionResource:
			c.subscriptions = i.store
		case extensionResource:
			c.extensions = i.store
		}
	}
	if c.subscriptions == empty && c.extensions == empty {
		return errors.New("the cluster has neither Subscriptions nor ClusterExtensions; install the CRDs of OLM, then start again")
	}
	return nil
}

// serves reports whether the cluster has the resource. It asks until the API server, which
// may be starting itself, answers. The error is that of the context.
func (c *Controller) serves(ctx context.Context, resource schema.GroupVersionResource) (bool, error) {
	var list *metav1.APIResourceList
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		var err error
		list, err = c.kube.Discovery().ServerResourcesForGroupVersion(resource.GroupVersion().String())
		if err == nil || apierrors.IsNotFound(err) {
			return true, nil
		}
		klog.ErrorS(err, "The API server does not say what it serves; it is asked again", "resource", resource)
		return false, nil
	})
	if err != nil || list == nil {
		return false, err
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Resource }), nil
}

func (c *Controller) makeInformer(of schema.GroupVersionResource, selector string, indexers toolscache.Indexers) informer {
	resource := c.client.Resource(of)
	lists := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = selector
			return resource.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selector
			w, err := resource.Watch(ctx, options)
			if options.SendInitialEvents != nil && utilnet.IsConnectionRefused(err) {
				// After such an error the informer would pause for up to a minute
				// without regard to ctx. After any other it lists, then pauses until
				// ctx ends.
				err = errors.New(err.Error())
			}
			return w, err
		},
	}
	store, controller := toolscache.NewInformerWithOptions(toolscache.InformerOptions{
		ListerWatcher: toolscache.ToListWatcherWithWatchListSemantics(lists, c.client),
		ObjectType:    &unstructured.Unstructured{},
		Indexers:      indexers,
		Transform:     c.convert,
		Handler: toolscache.ResourceEventHandlerFuncs{
			AddFunc:    c.changed,
			UpdateFunc: c.updated,
			DeleteFunc: c.changed,
		},
	})
	return informer{controller, store.(toolscache.Indexer)}
}

// object is what is kept of an object of the cluster.
type object struct {
	metav1.ObjectMeta
	kind schema.GroupVersionKind
	// read is the object as resolution reads it, and nothing else; fault says why
	// it cannot.
	read  cluster.Objects
	fault error
	// condition is the one that this controller writes, of a request.
	condition condition
	// base is where catalogd serves a ClusterCatalog.
	base string
}

// convert makes an object of what the API server sent, before it is stored. So
// each is decoded once, and the memory of all else is free again.
func (c *Controller) convert(in any) (any, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in, nil // converted before, or a deletion that was missed
	}
	o := &object{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		},
		kind:      u.GroupVersionKind(),
		condition: conditionOf(u, c.options.Condition),
	}
	if o.kind.Kind == "ClusterCatalog" {
		o.base, _, _ = unstructured.NestedString(u.Object, "status", "urls", "base")
	}
	var err error
	o.read, err = manifest.ReadObject(u.GetAPIVersion(), u.GetKind(), func(fields any) error {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, fields)
	})
	for i := range o.read.Subscriptions {
		o.read.Subscriptions[i].Observed = cluster.Observed{} // no choice depends on it, and each condition written would be a change
	}
	for i := range o.read.CSVs {
		o.read.CSVs[i].Message = ""
	}
	if err != nil {
		o.fault = &result.InvalidInput{Subject: u.GetKind() + " " + catalog.Key{Namespace: o.Namespace, Name: o.Name}.String(), Err: err}
		klog.InfoS("An object cannot be read", "fault", err)
	}
	return o, nil
}

// scope is what an object is resolved with, if it is a request or in a namespace.
func (o *object) scope() cluster.Scope {
	if o.kind.Kind == "ClusterExtension" {
		return cluster.OfExtension(o.Name)
	}
	return cluster.InNamespace(o.Namespace)
}

// isRequest reports whether the object has the condition.
func (o *object) isRequest() bool {
	return o.kind.Kind == "Subscription" || o.kind.Kind == "ClusterExtension"
}

// undoPause is how long a condition stays that somebody else has changed. Should two
// controllers write the same, they do not fight without rest.
const undoPause = time.Second

// updated passes over what no resolution can see, such as heartbeats. A condition that
// is not as this controller knew it is looked at again: another may have changed it, or
// it was written on the strength of what was not true any more.
func (c *Controller) updated(old, new any) {
	before, after := old.(*object), new.(*object)
	switch {
	case before.UID != after.UID || before.base != after.base ||
		!reflect.DeepEqual(before.read, after.read) || !reflect.DeepEqual(before.fault, after.fault):
		c.changed(new)
	case after.isRequest() && before.condition != after.condition:
		c.queue.AddAfter(after.scope(), undoPause)
	}
}

// changed has the scopes reconciled that an object may matter to. A Subscription
// matters to its own namespace. All others may reach further: groups and operators
// exclude operators of other namespaces, catalogs are seen by many.
func (c *Controller) changed(in any) {
	c.mu.Lock()
	c.known = nil
	c.mu.Unlock()
	if !c.synced.Load() {
		return // all scopes are enqueued then
	}
	if gone, ok := in.(toolscache.DeletedFinalStateUnknown); ok {
		in = gone.Obj
	}
	if o, ok := in.(*object); ok && o.kind.Kind == "Subscription" {
		c.queue.Add(o.scope())
		return
	}
	c.enqueueAll()
}

// requests returns the requests of a scope, by name.
func (c *Controller) requests(s cluster.Scope) []*object {
	var items []any
	if s.Kind == cluster.KindExtension {
		if item, ok, _ := c.extensions.GetByKey(s.Name); ok {
			items = append(items, item)
		}
	} else {
		items, _ = c.subscriptions.ByIndex(toolscache.NamespaceIndex, s.Name)
	}
	list := make([]*object, len(items))
	for i, item := range items {
		list[i] = item.(*object)
	}
	slices.SortFunc(list, func(a, b *object) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// knowledge returns the cluster as the informers know it now. It is made once a
// change, for all subjects: what they exclude of each other is part of it.
func (c *Controller) knowledge() *knowledge {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != nil {
		return c.known
	}
	objects := cluster.Objects{KubernetesVersion: c.options.KubernetesVersion}
	faults := map[cluster.Scope]error{}
	bases := map[catalog.Key]string{}
	for _, i := range c.informers {
		for _, item := range i.store.List() {
			o := item.(*object)
			objects.Append(o.read)
			if o.base != "" {
				bases[catalog.Key{Name: o.Name}] = o.base
			}
			// Of several faults, the condition always states the same one.
			if was := faults[o.scope()]; o.fault != nil && (was == nil || cmp.Less(o.fault.Error(), was.Error())) {
				faults[o.scope()] = o.fault
			}
		}
	}
	c.declareCatalogs(&objects, bases)
	c.known = &knowledge{cluster.NewIndex(objects), faults}
	return c.known
}
