package resolver

import (
	"context"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Resolver answers questions about problems. It is safe for any number of goroutines;
// what it derives from catalogs is shared between them and between calls.
type Resolver struct{ memory *encode.Memory }

// New returns a Resolver that has derived nothing yet.
func New() *Resolver { return &Resolver{encode.NewMemory()} }

// Resolve picks what to install, keep and replace for the Subscriptions of one namespace,
// or for one ClusterExtension, with the bundles that it depends on. Catalogs without a
// namespace serve ClusterExtensions; one in which all that satisfies the request is
// marked olm.deprecated is passed over for any other.
//
// The error is one of *NotSatisfiable, *Ambiguous (of ClusterExtensions),
// *CatalogsUnhealthy, *InvalidInput, *Incomplete (the context ended) and *Internal (a
// fault of this library).
func (r *Resolver) Resolve(ctx context.Context, p Problem, scope cluster.Scope) (*result.Resolution, error) {
	o := r.ResolveAll(ctx, p, []cluster.Scope{scope})[0]
	return o.Resolution, o.Err
}

// ResolveAll resolves each of the scopes by itself, on as many processors as Go may use,
// or all namespaces as one problem (policy.Options.Jointly). The outcomes are in the order
// of the scopes, with the errors of Resolve.
//
// With Options.SingleOwner or SameVersions a namespace obeys, beside what is installed
// elsewhere, what was chosen for the namespaces before it in the list. Where namespaces
// that are one problem cannot hold together, all of them have one *NotSatisfiable, in
// which everything names its namespace; another error is that of the first namespace that
// has one. With Options.Partial, requests are left out in the order of all.
func (r *Resolver) ResolveAll(ctx context.Context, p Problem, scopes []cluster.Scope) []result.Outcome {
	in := p.inputs()
	outcomes := r.resolveAll(ctx, in, scopes)
	answer.WarnVersions(in.Cluster, outcomes)
	return outcomes
}

// resolveAll is ResolveAll without warnings of what other namespaces provide.
func (r *Resolver) resolveAll(ctx context.Context, in encode.Inputs, scopes []cluster.Scope) []result.Outcome {
	outcomes := make([]result.Outcome, len(scopes))
	joint := in
	if in.Options.Jointly {
		joint.Scopes = namespaces(scopes)
	}
	var together []*result.Resolution
	var err error
	if len(joint.Scopes) > 0 {
		together, err = r.resolve(ctx, joint)
	}
	pace.Parallel(len(scopes), func(i int) {
		o, in := &outcomes[i], in
		o.Scope = scopes[i]
		at, joined := slices.BinarySearchFunc(joint.Scopes, o.Scope, cluster.Scope.Compare)
		switch {
		case !joined:
			in.Scopes = scopes[i : i+1]
			o.Resolution, o.Err = r.resolveOne(ctx, in)
		case err != nil:
			o.Err = err
		default:
			o.Resolution = together[at]
		}
	})
	if (in.Options.SingleOwner || in.Options.SameVersions) && !in.Options.Jointly {
		r.settle(ctx, outcomes, in)
	}
	return outcomes
}

// namespaces returns those among the scopes, by name and each once.
func namespaces(scopes []cluster.Scope) []cluster.Scope {
	list := slices.DeleteFunc(slices.Clone(scopes), func(s cluster.Scope) bool { return s.Kind != cluster.KindSubscription })
	slices.SortFunc(list, cluster.Scope.Compare)
	return slices.Compact(list)
}

// settle resolves those namespaces again whose choices do not go with the choices
// for the namespaces before them. What goes with them is the right answer as it
// is: no other one would be preferred.
func (r *Resolver) settle(ctx context.Context, outcomes []result.Outcome, in encode.Inputs) {
	in.Chosen = inventory.Providers{}
	done := map[cluster.Scope]bool{}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Scope.Kind != cluster.KindSubscription {
			continue
		}
		if o.Resolution != nil && clashes(&in, o) {
			in.Scopes = []cluster.Scope{o.Scope}
			o.Resolution, o.Err = r.resolveOne(ctx, in)
		}
		if o.Resolution == nil || done[o.Scope] {
			continue
		}
		done[o.Scope] = true
		for j := range o.Resolution.Installs {
			install := &o.Resolution.Installs[j]
			in.Chosen.Add(o.Scope.Name, install.Bundle, install.Properties)
		}
	}
}

// clashes reports whether the choices for a namespace break the rule that a kind
// has one owner, or one set of versions, with what was chosen for others.
func clashes(in *encode.Inputs, o *result.Outcome) bool {
	for i := range o.Resolution.Installs {
		set := o.Resolution.Installs[i].Properties
		if _, _, ok := in.Chosen.Conflict(in.Options, set, func(namespace string) bool { return namespace == o.Scope.Name }); ok {
			return true
		}
	}
	return false
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
		_, request := m.Root(i)
		if len(blocked) > 0 && blocked[0].Request == i {
			e.Blocking, blocked = append(e.Blocking, request.Key()), blocked[1:]
		} else {
			e.Proceeding = append(e.Proceeding, request.Key())
		}
	}
}

// Abandoned is how many goroutines are stuck inside a function of a caller, such
// as a SystemConstraint or the reader of a manifest, although the call that they
// worked for has returned because its context ended. Each ends with the function.
func Abandoned() int { return detached.Abandoned() }
