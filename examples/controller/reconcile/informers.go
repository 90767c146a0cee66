package reconcile

import (
	"context"
	"errors"
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

	"github.com/resolvent/resolvent/resolver/cluster"
)

// Resources of the requests, and of what is approved.
var (
	subscriptionResource = olmv0("v1alpha1", "subscriptions")
	extensionResource    = olmv1("clusterextensions")
	installPlanResource  = olmv0("v1alpha1", "installplans")
)

// resource is one that is watched.
type resource struct {
	schema.GroupVersionResource
	// selector is of labels; empty means all objects.
	selector string
}

// watched are the resources that a resolution reads. Catalogs are declared by
// CatalogSources and ClusterCatalogs, and read by the cache.
var watched = []resource{
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

// watched are the resources that this controller reads.
func (c *Controller) watched() []resource {
	if c.options.Approve {
		return append(slices.Clip(watched), resource{installPlanResource, ""})
	}
	return watched
}

func olmv0(version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "operators.coreos.com", Version: version, Resource: resource}
}

func olmv1(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "olm.operatorframework.io", Version: "v1", Resource: resource}
}

// longestPause is how long a watch pauses at most after an API server did not answer; an
// informer pauses for up to a minute.
const longestPause = 5 * time.Second

// follow keeps the objects of all resources that the cluster serves, now or later: those of
// OLM v0, of OLM v1, or of both. Once those are read that it finds at first, it has all
// requests reconciled. It returns when ctx ends.
func (c *Controller) follow(ctx context.Context, run func(func())) {
	waiting := slices.Clone(c.watched())
	for first := true; ; first = false {
		var found []*kept
		for _, w := range waiting {
			served, err := c.serves(ctx, w.GroupVersionResource)
			if err != nil {
				return // ctx has ended
			}
			objects := c.objects[w.Resource]
			if objects.served = served; served {
				reflector := c.reflector(w.GroupVersionResource, w.selector, objects)
				run(func() { reflector.RunWithContext(ctx) })
				found = append(found, objects)
			} else if first {
				klog.InfoS("The cluster has no such resource yet", "resource", w.GroupVersionResource)
			}
		}
		for _, objects := range found {
			select {
			case <-ctx.Done():
				return
			case <-objects.read:
			}
		}
		if first || len(found) > 0 {
			c.begin(found)
		}
		waiting = slices.DeleteFunc(waiting, func(w resource) bool { return c.objects[w.Resource].served })
		if len(waiting) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.options.NewResources):
		}
	}
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

// reflector keeps the objects of a resource as the API server has them.
func (c *Controller) reflector(of schema.GroupVersionResource, selector string, objects *kept) *toolscache.Reflector {
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
				// After such an error the reflector would pause without regard to ctx.
				// After any other it lists, then pauses until ctx ends.
				err = errors.New(err.Error())
			}
			return w, err
		},
	}
	return toolscache.NewReflectorWithOptions(toolscache.ToListWatcherWithWatchListSemantics(lists, c.client), &unstructured.Unstructured{}, objects,
		toolscache.ReflectorOptions{Backoff: &wait.Backoff{Duration: 800 * time.Millisecond, Cap: longestPause, Steps: 10, Factor: 2, Jitter: 1}})
}
