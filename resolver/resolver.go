package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Resolver answers requests. It is safe for any number of goroutines; what it
// derives from catalogs is shared between them and between calls.
type Resolver struct {
	options policy.Options
	memory  *encode.Memory
}

// New returns a Resolver with the given options. The slices in them must not
// change afterwards.
func New(options policy.Options) *Resolver { return &Resolver{options, encode.NewMemory()} }

// inputs are those of a call with the options of the Resolver.
func (r *Resolver) inputs(cluster *Cluster, view *cache.View, namespaces ...string) encode.Inputs {
	return encode.Inputs{Namespaces: namespaces, Cluster: cluster.inventory, View: view, Options: &r.options}
}

// extensionInputs are those of a call about a ClusterExtension.
func (r *Resolver) extensionInputs(cluster *Cluster, view *cache.View, name string) encode.Inputs {
	in := r.inputs(cluster, view)
	in.Extension = name
	return in
}

// Resolve picks what to install, keep and replace in one namespace.
//
// The error is one of *NotSatisfiable, *CatalogsUnhealthy, *InvalidInput,
// *Incomplete (the context ended) and *Internal (a fault of this library).
func (r *Resolver) Resolve(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View) (*result.Resolution, error) {
	outcome := []result.Outcome{{Namespace: namespace}}
	outcome[0].Resolution, outcome[0].Err = r.resolveOne(ctx, r.inputs(cluster, catalogs, namespace))
	answer.WarnVersions(cluster.inventory, outcome)
	return outcome[0].Resolution, outcome[0].Err
}

// ResolveExtension picks the bundle of one OLM v1 request and the bundles that
// it depends on. Catalogs without a namespace serve it. A catalog in which all
// that meets the request is marked olm.deprecated is passed over for any other.
//
// The error is one of *NotSatisfiable, *Ambiguous, *CatalogsUnhealthy,
// *InvalidInput, *Incomplete and *Internal.
func (r *Resolver) ResolveExtension(ctx context.Context, name string, cluster *Cluster, catalogs *cache.View) (*result.Resolution, error) {
	return r.resolveOne(ctx, r.extensionInputs(cluster, catalogs, name))
}

// resolveOne returns the answer of inputs that have a single one.
func (r *Resolver) resolveOne(ctx context.Context, in encode.Inputs) (*result.Resolution, error) {
	resolutions, err := r.resolve(ctx, in)
	if err != nil {
		return nil, err
	}
	return resolutions[0], nil
}

// resolve reads a problem and solves it; a panic on this goroutine becomes an
// *Internal. What other namespaces provide is not looked at.
func (r *Resolver) resolve(ctx context.Context, in encode.Inputs) (_ []*result.Resolution, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = pace.Recovered(fault, "resolving "+in.Subject())
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := r.memory.NewModel(ctx, stop, in)
	if err == nil {
		err = m.Ended()
	}
	if err != nil {
		return nil, err
	}
	solution, err := solver.Solve(ctx, m, encode.SolverOptions(in.Options))
	if err := m.Ended(); err != nil {
		return nil, err
	}
	if err == nil {
		return answer.ResolutionsOf(m, solution), nil
	}
	why := explain.Failure(m, err)
	if in.Options.Partial && plan.Unsatisfied(why) {
		resolutions, err := plan.ResolvePartial(ctx, m, why)
		if resolutions != nil || !plan.Unsatisfied(err) {
			return resolutions, err
		}
	}
	r.help(ctx, m, err, why)
	return nil, why
}

// help adds what would mend a failure.
func (r *Resolver) help(ctx context.Context, m *encode.Model, err, failure error) {
	var unsatisfiable *solver.Unsatisfiable
	var e *result.NotSatisfiable
	if m.Options.NoFixes || !errors.As(err, &unsatisfiable) || !errors.As(failure, &e) {
		return
	}
	e.Searched = true
	defer func() {
		if fault := recover(); fault != nil {
			if _, ended := fault.(pace.Canceled); !ended {
				panic(fault)
			}
		}
		if ctx.Err() != nil {
			e.Fixes = nil // how far the search came is a matter of luck
		}
	}()
	f := &fix.Fixer{Ctx: ctx, In: m.Inputs, Read: r.memory.NewModel}
	e.Fixes = f.Search(m, unsatisfiable.Core)
	if len(m.Demands) > 1 {
		sortOut(ctx, m, e)
		if len(e.Fixes) == 0 {
			e.Fixes = f.DropAll(m, e.Blocking)
		}
		if len(e.Fixes) == 0 {
			e.Fixes = f.DeleteAll(m, unsatisfiable.Core)
		}
	}
}

// sortOut says which requests block, and which could proceed without them.
func sortOut(ctx context.Context, m *encode.Model, e *result.NotSatisfiable) {
	sorted, err := plan.LeaveOut(ctx, m, false)
	if err != nil || !sorted.OK {
		return
	}
	blocked := make(map[int]bool, len(sorted.Blocked))
	for _, b := range sorted.Blocked {
		blocked[b.Request] = true
	}
	for i := range m.Demands {
		p, asked := m.Root(i)
		if blocked[i] {
			e.Blocking = append(e.Blocking, p.Named(asked))
		} else {
			e.Proceeding = append(e.Proceeding, p.Named(asked))
		}
	}
}
