package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Options are the choices of a Controller. The zero value works.
type Options struct {
	// Resolver says how to resolve.
	Resolver policy.Options
	// KubernetesVersion is that of the cluster, empty if unknown.
	KubernetesVersion string
	// Schedule says when catalogs are read.
	Schedule cache.Schedule
	// Timeout is how long one resolution may take; default 10 seconds.
	Timeout time.Duration
	// Workers is how many namespaces are resolved at the same time; default 2.
	Workers int
	// Condition is the type of the condition that is written; default
	// DefaultCondition.
	Condition string
}

// DefaultCondition is the condition that OLM writes.
const DefaultCondition = "ResolutionFailed"

// Controller resolves each namespace with Subscriptions, again when something
// changes.
type Controller struct {
	options Options
	client  dynamic.Interface
	// resolver is one for all workers and calls: what it derives from catalogs is
	// worth keeping. So are catalogs, of which it uses only a View.
	resolver *resolver.Resolver
	catalogs *cache.Cache
	sources  map[catalog.Key]cache.Source
	// queue holds namespaces; one that is added twice is reconciled once.
	queue     workqueue.TypedRateLimitingInterface[string]
	informers []informer
	// subscriptions is the store of one of the informers, by namespace.
	subscriptions toolscache.Indexer
	synced        atomic.Bool

	mu sync.Mutex
	// known is made of what the informers hold; nil once that has changed.
	known *knowledge
	// told is what the ConfigMaps of namespaces say.
	told map[string]told

	// resolutions counts them.
	resolutions atomic.Int64
}

// knowledge is the cluster at one time. It is immutable.
type knowledge struct {
	cluster *resolver.Cluster
	// faults say, by namespace, which object cannot be read.
	faults map[string]error
}

// New returns a controller for the catalogs with the given sources, which has to
// be run.
func New(client dynamic.Interface, sources map[catalog.Key]cache.Source, options Options) *Controller {
	if options.Timeout <= 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Workers <= 0 {
		options.Workers = 2
	}
	if options.Condition == "" {
		options.Condition = DefaultCondition
	}
	c := &Controller{
		options:  options,
		client:   client,
		resolver: resolver.New(options.Resolver),
		catalogs: cache.New(cache.CacheOptions{Accept: cache.RefuseDamaged}),
		sources:  sources,
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		told:     map[string]told{},
	}
	for key, source := range sources {
		c.catalogs.Set(key, cache.CatalogConfig{Source: source})
	}
	c.startWatching()
	return c
}

// Run works until ctx ends, and leaves no goroutine behind. It can be called once.
func (c *Controller) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer c.queue.ShutDown()

	running.Go(func() { _ = c.catalogs.Run(ctx, c.options.Schedule) })
	var read []toolscache.DoneChecker
	for _, i := range c.informers {
		running.Go(func() { i.RunWithContext(ctx) })
		read = append(read, i.HasSyncedChecker())
	}
	// On half of a cluster the answer would be another one.
	if !toolscache.WaitFor(ctx, "objects of the cluster", read...) {
		return nil
	}
	c.synced.Store(true)
	running.Go(func() { c.followCatalogs(ctx) })
	for range c.options.Workers {
		running.Go(func() {
			for c.reconcileNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	return nil
}

// followCatalogs has namespaces reconciled when a catalog changes that they see:
// first all of them.
func (c *Controller) followCatalogs(ctx context.Context) {
	global := c.options.Resolver.GlobalNamespaces
	if global == nil {
		global = policy.DefaultGlobalNamespaces
	}
	c.enqueueAll()
	last := cache.NewView(nil)
	for view := range c.catalogs.Watch(ctx) {
		for _, key := range view.Changes(last) {
			if slices.Contains(global, key.Namespace) {
				c.enqueueAll()
			} else {
				c.queue.Add(key.Namespace)
			}
		}
		last = view
	}
}

// enqueueAll has every namespace with a Subscription reconciled. A resolution
// takes microseconds, and one that comes to the same writes nothing.
func (c *Controller) enqueueAll() {
	for _, namespace := range c.subscriptions.ListIndexFuncValues(toolscache.NamespaceIndex) {
		c.queue.Add(namespace)
	}
}

// reconcileNext waits for a namespace and reconciles it. It returns false when
// there is nothing more to do.
func (c *Controller) reconcileNext(ctx context.Context) bool {
	namespace, ended := c.queue.Get()
	if ended {
		return false
	}
	defer c.queue.Done(namespace)
	switch err := c.reconcile(ctx, namespace); {
	case ctx.Err() != nil:
	case err != nil:
		klog.ErrorS(err, "Will be tried again", "namespace", namespace)
		c.queue.AddRateLimited(namespace)
	default:
		c.queue.Forget(namespace)
	}
	return true
}

// reconcile resolves one namespace and reports what came of it. The error is one
// that another try may mend: the API server's, or an *Incomplete. All other
// failures are answers. They last until an object or a catalog changes, and both
// bring the namespace back into the queue; an unhealthy catalog is tried again
// by the cache, less and less often, for all namespaces together.
func (c *Controller) reconcile(ctx context.Context, namespace string) error {
	subscriptions := c.subscriptionsOf(namespace)
	if len(subscriptions) == 0 {
		c.forget(namespace)
		return nil
	}
	resolution, failure := c.resolve(ctx, namespace)
	if ctx.Err() != nil || errors.Is(failure, cache.ErrNotLoaded) {
		return nil // a catalog that is being read is no news yet
	}
	if err := c.write(ctx, namespace, subscriptions, newReport(resolution, failure)); err != nil {
		return err
	}
	if incomplete, ok := errors.AsType[*result.Incomplete](failure); ok {
		return incomplete
	}
	return nil
}

// resolve answers what a namespace gets.
func (c *Controller) resolve(ctx context.Context, namespace string) (*result.Resolution, error) {
	known := c.knowledge()
	if err := known.faults[namespace]; err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	c.resolutions.Add(1)
	return c.resolver.Resolve(ctx, namespace, known.cluster, c.catalogs.View())
}
