package reconcile

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Options are the choices of a Controller. The zero value works.
type Options struct {
	// Resolver says how to resolve.
	Resolver policy.Options
	// Approve has InstallPlans approved that wait for it, if they bring exactly what resolving
	// brings, and no rule of a policy denies any of it.
	Approve bool
	// Lock, if set, stands in for what resolving brings: an InstallPlan may bring what the lock has
	// for Cluster, or what leads there.
	Lock    *lock.Lock
	Cluster string
	// Now is the time by which rules know the day; default time.Now.
	Now func() time.Time
	// KubernetesVersion is that of the cluster, empty if unknown.
	KubernetesVersion string
	// Sources are catalogs by their names, in place of what serves those of
	// CatalogSources and ClusterCatalogs.
	Sources map[catalog.Key]cache.Source
	// Catalogd returns the catalog that a ClusterCatalog says is served at the URL
	// (status.urls.base). Nil means that catalogd is not asked.
	Catalogd func(base string) (cache.Source, error)
	// Registry returns the catalog that the registry pod of a CatalogSource serves at
	// the address. Nil means that registry pods are not asked.
	Registry func(key catalog.Key, address string) (cache.Source, error)
	// Schedule says when catalogs are read.
	Schedule cache.Schedule
	// Timeout is how long one resolution may take; default 10 seconds.
	Timeout time.Duration
	// Workers is how many scopes are reconciled at the same time; default 16. They
	// mostly wait for the API server.
	Workers int
	// NewResources is the time between two looks for resources that the cluster does
	// not have yet; default 1 minute.
	NewResources time.Duration
	// Advice is how long after a change of another namespace it is looked at again what
	// would help requests that cannot be satisfied; default 30 seconds.
	Advice time.Duration
	// Condition is the type of the condition that is written; default
	// DefaultCondition. Those of deprecations have its prefix.
	Condition string
}

// longestRetry is how long a scope waits at most that has failed again and again.
const longestRetry = time.Minute

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
	begun   chan struct{} // closed when synced is set

	mu sync.Mutex
	// objects are those of each resource.
	objects map[string]*kept
	// index is made of them, nil until all are read; grown is how often it has grown
	// since it was made anew.
	index *cluster.Index
	grown int
	// changes counts those of what namespaces see of each other. providing are the
	// namespaces whose last answer has a kind, provided the kinds by namespace.
	changes   int
	providing map[kind]map[string]bool
	provided  map[string]map[kind]bool
	// served are the catalogs that catalogd and registry pods serve.
	served map[catalog.Key]served
	// sent is what was written to a request and the API server has not told of yet.
	sent map[types.UID][]typed
	// stated are the properties of bundles that ClusterServiceVersions repeat.
	stated      map[string]string
	statedBytes int
	// failing are the scopes that have no answer now.
	failing map[cluster.Scope]result.Result
	// judged is what was said of the InstallPlan of a namespace that waits.
	judged map[cluster.Scope]judgment
}

// New returns a controller, which has to be run.
func New(client dynamic.Interface, kube kubernetes.Interface, options Options) *Controller {
	if options.Timeout <= 0 {
		options.Timeout = 10 * time.Second
	}
	if options.Workers <= 0 {
		options.Workers = 16
	}
	if options.NewResources <= 0 {
		options.NewResources = time.Minute
	}
	if options.Advice <= 0 {
		options.Advice = 30 * time.Second
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Condition == "" {
		options.Condition = DefaultCondition
	}
	c := &Controller{
		options:   options,
		client:    client,
		kube:      kube,
		resolver:  resolver.New(),
		catalogs:  cache.New(cache.CacheOptions{Accept: cache.RefuseDamaged}),
		metrics:   newMetrics(),
		objects:   map[string]*kept{},
		providing: map[kind]map[string]bool{},
		provided:  map[string]map[kind]bool{},
		begun:     make(chan struct{}),
		served:    map[catalog.Key]served{},
		sent:      map[types.UID][]typed{},
		stated:    map[string]string{},
		failing:   map[cluster.Scope]result.Result{},
		judged:    map[cluster.Scope]judgment{},
	}
	// No limit for all together, as the default has: requests are limited by the client, and
	// after a disturbance of a large cluster the last would wait for minutes.
	pauses := workqueue.NewTypedItemExponentialFailureRateLimiter[cluster.Scope](5*time.Millisecond, longestRetry)
	c.queue = workqueue.NewTypedRateLimitingQueueWithConfig(pauses,
		workqueue.TypedRateLimitingQueueConfig[cluster.Scope]{Name: "scopes", MetricsProvider: c.metrics.queue})
	for _, w := range c.watched() {
		c.objects[w.Resource] = &kept{c: c, read: make(chan struct{}), byNamespace: map[string]map[string]*object{}}
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
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer c.queue.ShutDown()
	c.recordEvents(ctx)
	running.Go(func() { _ = c.catalogs.Run(ctx, c.options.Schedule) })
	running.Go(func() { c.follow(ctx, running.Go) })
	select {
	case <-ctx.Done():
		return nil
	case <-c.begun:
	}
	running.Go(func() { c.followCatalogs(ctx) })
	running.Go(func() { c.followDays(ctx) })
	for range c.options.Workers {
		running.Go(func() {
			for c.reconcileNext(ctx) {
			}
		})
	}
	<-ctx.Done()
	return nil
}

// followCatalogs has scopes reconciled when a catalog changes that they see.
func (c *Controller) followCatalogs(ctx context.Context) {
	last := cache.NewView(nil)
	for view := range c.catalogs.Watch(ctx) {
		c.mu.Lock()
		for _, key := range view.Changes(last) {
			switch {
			case key.Namespace == "":
				c.enqueueExtensions()
			case slices.Contains(c.options.Resolver.Globals(), key.Namespace):
				c.enqueueNamespaces()
			default:
				c.queue.Add(cluster.InNamespace(key.Namespace))
			}
		}
		c.mu.Unlock()
		last = view
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
		if apierrors.IsConflict(err) {
			c.queue.AddAfter(s, undoPause) // the watch has told by then of what came before
		} else {
			c.queue.AddRateLimited(s)
		}
	default:
		c.queue.Forget(s)
	}
	return true
}

// reconcile resolves one scope and reports what came of it. The error is one that
// another try may mend: the API server's, or an *Incomplete. All other failures are
// answers. They last until an object or a catalog changes, and both bring the scope
// back into the queue; an unhealthy catalog is tried again by the cache, less and less
// often, for all scopes together.
func (c *Controller) reconcile(ctx context.Context, s cluster.Scope) error {
	requests := c.requests(s)
	if len(requests) == 0 {
		c.note(s, nil, nil, 0)
		return nil
	}
	resolution, failure := c.resolve(ctx, s)
	if ctx.Err() != nil || errors.Is(failure, cache.ErrNotLoaded) {
		return nil // a catalog that is being read is no news yet
	}
	// One that is refused does not keep the others from being told.
	var errs []error
	main := conditionFor(resolution, failure)
	for _, request := range requests {
		want := c.wanted(request, main, resolution)
		if c.toWrite(request, want) {
			errs = append(errs, c.write(ctx, request, want))
		}
	}
	errs = append(errs, c.approve(ctx, s))
	if incomplete, ok := errors.AsType[*result.Incomplete](failure); ok {
		errs = append(errs, incomplete)
	}
	return errors.Join(errs...)
}

// resolve answers what a scope gets.
func (c *Controller) resolve(ctx context.Context, s cluster.Scope) (*result.Resolution, error) {
	c.mu.Lock()
	index, asOf := c.index, c.changes
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	began := time.Now()
	problem := resolver.Problem{Cluster: index, Catalogs: c.catalogs.View(), Options: c.options.Resolver}
	resolution, err := c.resolver.Resolve(ctx, problem, s)
	c.metrics.resolved(result.Of(err), time.Since(began))
	if !errors.Is(err, cache.ErrNotLoaded) {
		c.note(s, resolution, err, asOf)
	}
	return resolution, err
}

// note keeps what later changes and metrics ask of an answer.
func (c *Controller) note(s cluster.Scope, resolution *result.Resolution, failure error, asOf int) {
	kinds := map[kind]bool{}
	if resolution != nil {
		for _, i := range resolution.Installs {
			for _, api := range i.Properties.GVKs() {
				kinds[kind{api.Group, api.Kind}] = true
			}
		}
		for _, k := range resolution.Kept {
			for _, api := range k.Properties.GVKs() {
				kinds[kind{api.Group, api.Kind}] = true
			}
		}
	}
	if !s.Alone() {
		c.provides(s.Name, kinds, asOf)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.failing, s); failure != nil {
		c.failing[s] = result.Of(failure)
	}
}
