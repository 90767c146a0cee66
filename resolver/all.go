package resolver

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
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
//
// With Options.SingleOwner or SameVersions a namespace obeys, beside what is
// installed elsewhere, what was chosen for the namespaces before it in the list.
func (r *Resolver) ResolveNamespaces(ctx context.Context, namespaces []string, cluster *Cluster, catalogs *cache.View) []Outcome {
	outcomes := r.resolveEach(ctx, namespaces, r.inputs(cluster, catalogs))
	cluster.warnVersions(outcomes)
	return outcomes
}

// resolveEach is ResolveNamespaces without a look at what other namespaces
// provide.
func (r *Resolver) resolveEach(ctx context.Context, namespaces []string, in inputs) []Outcome {
	outcomes := make([]Outcome, len(namespaces))
	parallel(len(namespaces), func(i int) {
		o, in := &outcomes[i], in
		o.Namespace, in.namespaces = namespaces[i], namespaces[i:i+1]
		o.Resolution, o.Err = r.resolveOne(ctx, in)
	})
	if in.options.SingleOwner || in.options.SameVersions {
		r.settle(ctx, outcomes, in)
	}
	return outcomes
}

// settle resolves those namespaces again whose choices do not go with the choices
// for the namespaces before them. What goes with them is the right answer as it
// is: no other one would be preferred.
func (r *Resolver) settle(ctx context.Context, outcomes []Outcome, in inputs) {
	in.chosen = map[properties.GVK][]kindProvider{}
	done := map[string]bool{}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Resolution != nil && in.clashes(o) {
			in.namespaces = []string{o.Namespace}
			o.Resolution, o.Err = r.resolveOne(ctx, in)
		}
		if o.Resolution == nil || done[o.Namespace] {
			continue
		}
		done[o.Namespace] = true
		for j := range o.Resolution.Installs {
			install := &o.Resolution.Installs[j]
			for kind, versions := range versionsOf(install.properties.GVKs()) {
				in.chosen[kind] = append(in.chosen[kind], kindProvider{o.Namespace, install.Bundle, versions})
			}
		}
	}
}

// clashes reports whether the choices for a namespace break the rule that a kind
// has one owner, or one set of versions, with what was chosen for others.
func (in *inputs) clashes(o *Outcome) bool {
	for i := range o.Resolution.Installs {
		set := o.Resolution.Installs[i].properties
		if _, _, ok := in.options.ownedBy(set, in.chosen, func(namespace string) bool { return namespace == o.Namespace }); ok {
			return true
		}
	}
	return false
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
