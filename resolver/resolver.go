package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/constraints"
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

// inputs are those of a call with the options of the Resolver.
func (r *Resolver) inputs(cluster *Cluster, view *cache.View, namespaces ...string) inputs {
	return inputs{namespaces: namespaces, cluster: cluster, view: view, options: &r.options}
}

// extensionInputs are those of a call about a ClusterExtension.
func (r *Resolver) extensionInputs(cluster *Cluster, view *cache.View, name string) inputs {
	in := r.inputs(cluster, view)
	in.extension = name
	return in
}

// Resolve picks what to install, keep and replace in one namespace.
//
// The error is one of *NotSatisfiable, *CatalogsUnhealthy, *InvalidInput,
// *Incomplete (the context ended) and *Internal (a fault of this library).
func (r *Resolver) Resolve(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View) (*Resolution, error) {
	outcome := []Outcome{{Namespace: namespace}}
	outcome[0].Resolution, outcome[0].Err = r.resolveOne(ctx, r.inputs(cluster, catalogs, namespace))
	cluster.warnVersions(outcome)
	return outcome[0].Resolution, outcome[0].Err
}

// ResolveExtension picks the bundle of one OLM v1 request and the bundles that
// it depends on. Catalogs without a namespace serve it. A catalog in which all
// that meets the request is marked olm.deprecated is passed over for any other.
//
// The error is one of *NotSatisfiable, *Ambiguous, *CatalogsUnhealthy,
// *InvalidInput, *Incomplete and *Internal.
func (r *Resolver) ResolveExtension(ctx context.Context, name string, cluster *Cluster, catalogs *cache.View) (*Resolution, error) {
	return r.resolveOne(ctx, r.extensionInputs(cluster, catalogs, name))
}

// resolveOne returns the answer of inputs that have a single one.
func (r *Resolver) resolveOne(ctx context.Context, in inputs) (*Resolution, error) {
	resolutions, err := r.resolve(ctx, in)
	if err != nil {
		return nil, err
	}
	return resolutions[0], nil
}

// resolve reads a problem and solves it; a panic on this goroutine becomes an
// *Internal. What other namespaces provide is not looked at.
func (r *Resolver) resolve(ctx context.Context, in inputs) (_ []*Resolution, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "resolving "+in.subject())
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := r.newModel(ctx, stop, in)
	if err == nil {
		err = m.ended()
	}
	if err != nil {
		return nil, err
	}
	solution, err := solver.Solve(ctx, m, in.options.solver())
	if err := m.ended(); err != nil {
		return nil, err
	}
	if err == nil {
		return m.resolutions(solution), nil
	}
	why := m.failure(err)
	if in.options.Partial && unsatisfied(why) {
		resolutions, err := resolvePartial(ctx, m, why)
		if resolutions != nil || !unsatisfied(err) {
			return resolutions, err
		}
	}
	r.help(ctx, m, err, why)
	return nil, why
}

// help adds what would mend a failure.
func (r *Resolver) help(ctx context.Context, m *model, err, failure error) {
	var unsatisfiable *solver.Unsatisfiable
	var e *NotSatisfiable
	if m.options.NoFixes || !errors.As(err, &unsatisfiable) || !errors.As(failure, &e) {
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
	f := &fixer{r: r, ctx: ctx, in: m.inputs}
	e.Fixes = f.search(m, unsatisfiable.Core)
	if len(m.roots) > 1 {
		sortOut(ctx, m, e)
		if len(e.Fixes) == 0 {
			e.Fixes = f.dropAll(m, e.Blocking)
		}
		if len(e.Fixes) == 0 {
			e.Fixes = f.deleteAll(m, unsatisfiable.Core)
		}
	}
	for i := range e.Fixes {
		e.Fixes[i].Text = unbroken(e.Fixes[i].Text)
	}
}

// sortOut says which requests block, and which could proceed without them.
func sortOut(ctx context.Context, m *model, e *NotSatisfiable) {
	sorted, err := leaveOut(ctx, m, false)
	if err != nil || !sorted.ok {
		return
	}
	blocked := make(map[int]bool, len(sorted.blocked))
	for _, b := range sorted.blocked {
		blocked[b.request] = true
	}
	for i := range m.roots {
		p, asked := m.root(i)
		if blocked[i] {
			e.Blocking = append(e.Blocking, p.named(asked))
		} else {
			e.Proceeding = append(e.Proceeding, p.named(asked))
		}
	}
}

// openNamespace returns the problem of a namespace before it is read.
func (r *Resolver) openNamespace(ctx context.Context, stop context.CancelFunc, m *model, namespace string) (*problem, error) {
	seen := m.visibleTo(namespace)
	if len(seen.unhealthy) > 0 && !m.options.LenientHealth {
		return nil, &CatalogsUnhealthy{Namespace: namespace, Catalogs: seen.unhealthy}
	}
	p, err := r.newProblem(ctx, stop, m, seen, namespace)
	if err != nil {
		return nil, err
	}
	p.state = m.cluster.in(namespace)
	return p, nil
}

// newProblem returns a problem on the catalogs that can be used, without any
// request.
func (r *Resolver) newProblem(ctx context.Context, stop context.CancelFunc, m *model, seen visibility, namespace string) (*problem, error) {
	cluster := m.cluster
	if err := cluster.index(ctx); err != nil {
		return nil, err
	}
	limits, err := readLimits(&cluster.objects)
	if err != nil {
		return nil, err
	}
	p := &problem{
		model:       m,
		ctx:         ctx,
		stop:        stop,
		doing:       "reading requests",
		options:     m.options,
		parser:      r.parser,
		annotations: r.annotations,
		verdicts:    r.verdicts,
		namespace:   namespace,
		cluster:     cluster,
		view:        m.view,
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
	if m.trace != nil {
		m.trace.remember(p)
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
