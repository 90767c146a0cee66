package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// Resolver answers requests. It is safe for any number of goroutines; what it
// derives from catalogs is shared between them and between calls.
type Resolver struct {
	options   Options
	parser    *constraints.Parser
	universes *universes
	// annotations remembers what the annotations of installed bundles say.
	annotations *memo[string, decodedProperties]
	verdicts    *verdicts
	// alsoVisible are catalogs that namespaces see, whatever the options say; the
	// search for fixes sets it.
	alsoVisible []sight
	// chosen are what was chosen for namespaces that others have to go with.
	chosen map[properties.GVK][]kindProvider
	// trace, where set, remembers every problem that is made.
	trace *tracer
}

// maxAnnotations is half of how many annotations a Resolver remembers; each is
// a few KiB.
const maxAnnotations = 1 << 12

// New returns a Resolver with the given options. The slices in them must not
// change afterwards.
func New(options Options) *Resolver {
	return &Resolver{
		options:     options,
		universes:   &universes{},
		annotations: &memo[string, decodedProperties]{max: maxAnnotations},
		verdicts:    &verdicts{memo[verdictKey, bool]{max: maxVerdicts}},
		parser:      constraints.NewParser(constraints.Limits{}),
	}
}

// Resolve picks what to install, keep and replace in one namespace.
//
// The error is one of *NotSatisfiable, *CatalogsUnhealthy, *InvalidInput,
// *Incomplete (the context ended) and *Internal (a fault of this library).
func (r *Resolver) Resolve(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View) (*Resolution, error) {
	outcome := []Outcome{{Namespace: namespace}}
	outcome[0].Resolution, outcome[0].Err = r.resolve(ctx, namespace, cluster, catalogs)
	cluster.warnVersions(outcome)
	return outcome[0].Resolution, outcome[0].Err
}

// resolve is Resolve without a look at what other namespaces provide.
func (r *Resolver) resolve(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View) (*Resolution, error) {
	return only(r.guarded(ctx, "namespace "+namespace, func(ctx context.Context, stop context.CancelFunc) (whole, error) {
		return r.namespaceProblem(ctx, stop, namespace, cluster, catalogs)
	}))
}

// only returns the answer of a call that has a single one.
func only(resolutions []*Resolution, err error) (*Resolution, error) {
	if err != nil {
		return nil, err
	}
	return resolutions[0], nil
}

// guarded reads a problem and solves it; a panic on this goroutine
// becomes an *Internal.
func (r *Resolver) guarded(ctx context.Context, subject string, read func(context.Context, context.CancelFunc) (whole, error)) (_ []*Resolution, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "resolving "+subject)
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, err := read(ctx, stop)
	if err == nil {
		err = ended(w)
	}
	if err != nil {
		return nil, err
	}
	solution, err := solver.Solve(ctx, w, r.options.solver())
	if err := ended(w); err != nil {
		return nil, err
	}
	if err == nil {
		return w.resolutions(solution), nil
	}
	why := failure(w, err)
	if r.options.Partial && unsatisfied(why) {
		resolutions, err := resolvePartial(ctx, w, r.options.solver(), why)
		if resolutions != nil || !unsatisfied(err) {
			return resolutions, err
		}
	}
	r.help(ctx, w, err, why)
	return nil, why
}

// help adds what would mend a failure.
func (r *Resolver) help(ctx context.Context, w whole, err, failure error) {
	var unsatisfiable *solver.Unsatisfiable
	var e *NotSatisfiable
	if r.options.NoFixes || !errors.As(err, &unsatisfiable) || !errors.As(failure, &e) {
		return
	}
	e.searched = true
	defer func() {
		if fault := recover(); fault != nil {
			if _, cut := fault.(cutOff); !cut {
				panic(fault)
			}
		}
		if ctx.Err() != nil {
			e.Fixes = nil // how far the search came is a matter of luck
		}
	}()
	f := r.fixer(ctx, w)
	e.Fixes = f.search(w, unsatisfiable.Core)
	if len(w.Roots()) > 1 {
		r.sortOut(ctx, w, e)
		if len(e.Fixes) == 0 {
			e.Fixes = f.dropAll(w, e.Blocking)
		}
		if len(e.Fixes) == 0 {
			e.Fixes = f.deleteAll(w, unsatisfiable.Core)
		}
	}
	for i := range e.Fixes {
		e.Fixes[i].Text = unbroken(e.Fixes[i].Text)
	}
}

// sortOut says which requests block, and which could proceed without them.
func (r *Resolver) sortOut(ctx context.Context, w whole, e *NotSatisfiable) {
	sorted, err := leaveOut(ctx, w, r.options.solver(), false)
	if err != nil || !sorted.ok {
		return
	}
	blocked := make(map[int]bool, len(sorted.blocked))
	for _, b := range sorted.blocked {
		blocked[b.request] = true
	}
	for i := range w.Roots() {
		p, asked, _ := w.root(i)
		if blocked[i] {
			e.Blocking = append(e.Blocking, p.named(asked))
		} else {
			e.Proceeding = append(e.Proceeding, p.named(asked))
		}
	}
}

// namespaceProblem reads what the Subscriptions of a namespace ask.
func (r *Resolver) namespaceProblem(ctx context.Context, stop context.CancelFunc, namespace string, cluster *Cluster, catalogs *cache.View) (*problem, error) {
	p, err := r.openNamespace(ctx, stop, namespace, cluster, catalogs)
	if err != nil {
		return nil, err
	}
	return p, p.readNamespace()
}

// openNamespace returns the problem of a namespace before it is read.
func (r *Resolver) openNamespace(ctx context.Context, stop context.CancelFunc, namespace string, cluster *Cluster, catalogs *cache.View) (*problem, error) {
	seen := r.visible(namespace, cluster, catalogs)
	if len(seen.unhealthy) > 0 && !r.options.LenientHealth {
		return nil, &CatalogsUnhealthy{Namespace: namespace, Catalogs: seen.unhealthy}
	}
	p, err := r.newProblem(ctx, stop, cluster, catalogs, seen, namespace)
	if err != nil {
		return nil, err
	}
	p.state = cluster.in(namespace)
	return p, nil
}

// newProblem returns a problem on the catalogs that can be used, without any
// request.
func (r *Resolver) newProblem(ctx context.Context, stop context.CancelFunc, cluster *Cluster, view *cache.View, seen visibility, namespace string) (*problem, error) {
	if err := cluster.index(ctx); err != nil {
		return nil, err
	}
	limits, err := readLimits(&cluster.objects)
	if err != nil {
		return nil, err
	}
	p := &problem{
		ctx:         ctx,
		stop:        stop,
		doing:       "reading requests",
		options:     &r.options,
		chosen:      r.chosen,
		parser:      r.parser,
		annotations: r.annotations,
		verdicts:    r.verdicts,
		namespace:   namespace,
		cluster:     cluster,
		view:        view,
		visibility:  seen,
		universe:    r.universes.get(seen.catalogs, namespace),
		limits:      limits,
		facts: constraints.Facts{
			KubernetesVersion: cluster.objects.KubernetesVersion,
			OpenShiftVersion:  cluster.objects.OpenShiftVersion,
			Namespace:         namespace,
			Labels:            cluster.objects.Labels,
		},
	}
	if r.trace != nil {
		r.trace.remember(p)
	}
	return p, nil
}

// solverPhases are the stages of the solver as an *Incomplete names them.
var solverPhases = map[solver.Phase]string{
	solver.PhaseEncode:   "writing down what has to hold",
	solver.PhaseSearch:   "searching",
	solver.PhaseMinimise: "looking for the least reasons of a failure",
}

// solverFailure turns any other error of the solver into the resolver's.
func solverFailure(err error) error {
	if incomplete, ok := errors.AsType[*solver.Incomplete](err); ok {
		return &Incomplete{Phase: solverPhases[incomplete.Phase], Err: incomplete.Err}
	}
	return &Internal{Err: err}
}
