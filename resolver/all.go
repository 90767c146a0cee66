package resolver

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/cache"
)

// Outcome is the result for one namespace or ClusterExtension.
type Outcome struct {
	// Namespace or Extension says what was resolved.
	Namespace string
	Extension string
	// Resolution is nil if Err is not.
	Resolution *Resolution
	// Err is as Resolver.Resolve returns it.
	Err error
}

// Result names the outcome.
func (o *Outcome) Result() Result { return ResultOf(o.Err) }

// ResultOf names the outcome that an error of Resolve stands for.
func ResultOf(err error) Result {
	if err == nil {
		return Resolved
	}
	if _, ok := errors.AsType[*NotSatisfiable](err); ok {
		return ResultUnsatisfied
	}
	if _, ok := errors.AsType[*CatalogsUnhealthy](err); ok {
		return ResultUnhealthy
	}
	if _, ok := errors.AsType[*InvalidInput](err); ok {
		return ResultInvalidInput
	}
	if _, ok := errors.AsType[*Ambiguous](err); ok {
		return ResultAmbiguous
	}
	if _, ok := errors.AsType[*Incomplete](err); ok {
		return ResultIncomplete
	}
	return ResultInternal
}

// ResolveNamespaces resolves each of the namespaces by itself, on as many
// processors as Go may use. The outcomes are in the order of the namespaces.
func (r *Resolver) ResolveNamespaces(ctx context.Context, namespaces []string, cluster *Cluster, catalogs *cache.View) []Outcome {
	outcomes := make([]Outcome, len(namespaces))
	parallel(len(namespaces), func(i int) {
		o := &outcomes[i]
		o.Namespace = namespaces[i]
		o.Resolution, o.Err = r.resolve(ctx, namespaces[i], cluster, catalogs)
	})
	cluster.warnVersions(outcomes)
	return outcomes
}

// ResolveExtensions resolves each of the ClusterExtensions by itself, against
// what is installed, as ResolveNamespaces does with namespaces.
func (r *Resolver) ResolveExtensions(ctx context.Context, names []string, cluster *Cluster, catalogs *cache.View) []Outcome {
	outcomes := make([]Outcome, len(names))
	parallel(len(names), func(i int) {
		o := &outcomes[i]
		o.Extension = names[i]
		o.Resolution, o.Err = r.ResolveExtension(ctx, names[i], cluster, catalogs)
	})
	return outcomes
}

// parallel calls do for 0 to n-1 and returns when all calls have.
func parallel(n int, do func(i int)) {
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	done.Wait()
}
