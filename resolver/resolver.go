package resolver

import (
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/detached"
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
// that satisfies the request is marked olm.deprecated is passed over for any other.
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

// solve reads and solves the inputs and hands over what came of it, unless the
// context ended before. A panic on this goroutine becomes an *Internal.
func (r *Resolver) solve(ctx context.Context, in encode.Inputs, doing string, use func(context.Context, *encode.Model, *solver.Solution, error) error) (err error) {
	defer pace.Recover(&err, doing+" "+in.Subject())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := r.memory.NewModel(ctx, stop, in)
	if err != nil {
		return err
	}
	solution, err := solver.Solve(ctx, m, encode.SolverOptions(in.Options))
	if err := m.Ended(); err != nil {
		return err
	}
	return use(ctx, m, solution, err)
}

// resolve returns an answer for each namespace. It does not warn of what other
// namespaces provide.
func (r *Resolver) resolve(ctx context.Context, in encode.Inputs) (resolutions []*result.Resolution, err error) {
	err = r.solve(ctx, in, "resolving", func(ctx context.Context, m *encode.Model, solution *solver.Solution, err error) error {
		if err == nil {
			resolutions = answer.ResolutionsOf(m, solution)
			return nil
		}
		why := explain.Failure(m, err)
		if in.Options.Partial && plan.Unsatisfied(why) {
			partial, err := plan.ResolvePartial(ctx, m, why)
			if partial != nil || !plan.Unsatisfied(err) {
				resolutions = partial
				return err
			}
		}
		r.help(ctx, m, err, why)
		return why
	})
	return resolutions, err
}

// help adds to a failure what would correct it.
func (r *Resolver) help(ctx context.Context, m *encode.Model, err, failure error) {
	unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
	e, failed := errors.AsType[*result.NotSatisfiable](failure)
	if m.Options.NoFixes || !ok || !failed {
		return
	}
	e.Searched = true
	defer func() {
		if ctx.Err() != nil {
			e.Fixes = nil // how far the search came is a matter of luck
		}
	}()
	defer pace.Unwind()
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
	e.Fixes = slices.DeleteFunc(e.Fixes, func(f fixes.Fix) bool { return removesUnknown(m, f) })
}

// removesUnknown reports whether a fix removes what a request has installed whose catalog
// cannot be used: what that would offer is not known, which is no reason to remove what
// runs.
func removesUnknown(m *encode.Model, f fixes.Fix) bool {
	for i := range m.Demands {
		p, request := m.Root(i)
		if request.Fault == nil || !request.Fault.LacksCatalog() || request.Current < 0 {
			continue
		}
		name := p.Installed[request.Current].Name()
		if slices.ContainsFunc(f.Then.Removes, func(v fixes.Version) bool { return v.Bundle == name }) {
			return true
		}
	}
	return false
}

// sortOut finds which requests block, and which could proceed without them.
func sortOut(ctx context.Context, m *encode.Model, e *result.NotSatisfiable) {
	sorted, err := plan.LeaveOut(ctx, m, false)
	if err != nil || !sorted.OK {
		return
	}
	blocked := sorted.Blocked
	for i := range m.Demands {
		p, request := m.Root(i)
		if len(blocked) > 0 && blocked[0].Request == i {
			e.Blocking, blocked = append(e.Blocking, p.Named(request)), blocked[1:]
		} else {
			e.Proceeding = append(e.Proceeding, p.Named(request))
		}
	}
}

// Abandoned is how many goroutines are stuck inside a function of a caller, such
// as a SystemConstraint or the reader of a manifest, although the call that they
// worked for has returned because its context ended. Each ends with the function.
func Abandoned() int { return detached.Abandoned() }
