package reconcile

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Options are the choices of a Controller. The zero value works.
type Options struct {
	// Resolver says how to resolve.
	Resolver policy.Options
	// KubernetesVersion is that of the cluster, empty if unknown.
	KubernetesVersion string
	// Sources are catalogs by their names: those of CatalogSources, which are read
	// from nowhere else, and of ClusterCatalogs, in place of catalogd.
	Sources map[catalog.Key]cache.Source
	// Catalogd returns the catalog that a ClusterCatalog says is served at the URL
	// (status.urls.base). Nil means that catalogd is not asked.
	Catalogd func(base string) (cache.Source, error)
	// Schedule says when catalogs are read.
	Schedule cache.Schedule
	// Timeout is how long one resolution may take; default 10 seconds.
	Timeout time.Duration
	// Workers is how many subjects are resolved at the same time; default 2.
	Workers int
	// Condition is the type of the condition that is written; default
	// DefaultCondition.
	Condition string
}

// DefaultCondition is this controller's own. OLM writes ResolutionFailed.
const DefaultCondition = "resolvent/ResolutionFailed"

// Controller resolves each namespace with Subscriptions, and each ClusterExtension,
// again when something changes.
type Controller struct {
	options Options
	client  dynamic.Interface
	kube    kubernetes.Interface
	// resolver is one for all workers and calls: what it derives from catalogs is
	// worth keeping. So are catalogs, of which it uses only a View.
	resolver *resolver.Resolver
	catalogs *cache.Cache
	// queue holds scopes; one that is added twice is reconciled once.
	queue   workqueue.TypedRateLimitingInterface[cluster.Scope]
	events  record.EventRecorder
	metrics metrics
	synced  atomic.Bool

	// informers are those of the resources that the cluster serves. They are set
	// before anything uses them.
	informers []informer
	// subscriptions and extensions are the stores of two of them.
	subscriptions, extensions toolscache.Indexer

	mu sync.Mutex
	// known is made of what the informers hold; nil once that has changed.
	known *knowledge
	// served are the catalogs that catalogd serves, by their ClusterCatalogs.
	served map[catalog.Key]served
}

// knowledge is the cluster at one time. It is immutable.
type knowledge struct {
	cluster *cluster.Index
	// faults say which object of a scope cannot be read.
	faults map[cluster.Scope]error
}

// New returns a controller, which has to be run.
func New(client dynamic.Interface, kube kubernetes.Interface, options Options) *Controller {
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
		kube:     kube,
		resolver: resolver.New(),
		catalogs: cache.New(cache.CacheOptions{Accept: cache.RefuseDamaged}),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cluster.Scope]()),
		metrics:  newMetrics(),
		served:   map[catalog.Key]served{},
	}
	for key, source := range options.Sources {
		c.catalogs.Set(key, cache.CatalogConfig{Source: source})
	}
	return c
}

// Synced reports whether all objects of the cluster have been read.
func (c *Controller) Synced() bool { return c.synced.Load() }

// Run works until ctx ends, and leaves no goroutine behind. It can be called once.
// The error says why it cannot work at all.
func (c *Controller) Run(ctx context.Context) error {
	defer c.queue.ShutDown()
	if err := c.makeInformers(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c.recordEvents(ctx)

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
	c.queue.ShutDown()
	return nil
}

// followCatalogs has subjects reconciled when a catalog changes that they see: first
// all of them.
func (c *Controller) followCatalogs(ctx context.Context) {
	global := c.options.Resolver.GlobalNamespaces
	if global == nil {
		global = policy.DefaultGlobalNamespaces
	}
	c.enqueueAll()
	last := cache.NewView(nil)
	for view := range c.catalogs.Watch(ctx) {
		for _, key := range view.Changes(last) {
			if key.Namespace == "" || slices.Contains(global, key.Namespace) {
				c.enqueueAll()
			} else {
				c.queue.Add(cluster.InNamespace(key.Namespace))
			}
		}
		last = view
	}
}

// enqueueAll has everything reconciled. A resolution takes microseconds, and one that
// comes to the same writes nothing.
func (c *Controller) enqueueAll() {
	for _, namespace := range c.subscriptions.ListIndexFuncValues(toolscache.NamespaceIndex) {
		c.queue.Add(cluster.InNamespace(namespace))
	}
	for _, name := range c.extensions.ListKeys() {
		c.queue.Add(cluster.OfExtension(name))
	}
}

// reconcileNext waits for a scope and reconciles it. It returns false when there is
// nothing more to do.
func (c *Controller) reconcileNext(ctx context.Context) bool {
	s, ended := c.queue.Get()
	if ended {
		return false
	}
	defer c.queue.Done(s)
	switch err := c.reconcile(ctx, s); {
	case ctx.Err() != nil:
	case err != nil:
		klog.ErrorS(err, "Will be tried again", "namespace", s.Namespace(), "clusterExtension", s.Extension())
		c.queue.AddRateLimited(s)
	default:
		c.queue.Forget(s)
	}
	return true
}

// reconcile resolves one scope and reports what came of it. The error is one that
// another try may mend: the API server's, or an *Incomplete. All other failures are
// answers. They last until an object or a catalog changes, and both bring the scope
// back into the queue; an unhealthy catalog is tried again by the cache, less and less
// often, for all subjects together.
func (c *Controller) reconcile(ctx context.Context, s cluster.Scope) error {
	requests := c.requests(s)
	if len(requests) == 0 {
		return nil
	}
	resolution, failure := c.resolve(ctx, s)
	if ctx.Err() != nil || errors.Is(failure, cache.ErrNotLoaded) {
		return nil // a catalog that is being read is no news yet
	}
	want := conditionFor(resolution, failure)
	for _, request := range requests {
		if request.condition == want {
			continue
		}
		if err := c.writeCondition(ctx, request, want); err != nil {
			return err
		}
	}
	if incomplete, ok := errors.AsType[*result.Incomplete](failure); ok {
		return incomplete
	}
	return nil
}

// resolve answers what a scope gets.
func (c *Controller) resolve(ctx context.Context, s cluster.Scope) (*result.Resolution, error) {
	known := c.knowledge()
	if err := known.faults[s]; err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	began := time.Now()
	problem := resolver.Problem{Cluster: known.cluster, Catalogs: c.catalogs.View(), Options: c.options.Resolver}
	resolution, err := c.resolver.Resolve(ctx, problem, s)
	c.metrics.resolved(result.Of(err), time.Since(began))
	return resolution, err
}
