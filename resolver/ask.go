package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Justify resolves a namespace and justifies every bundle of the answer, in the
// order in which they were selected. It costs a few resolutions for each choice
// that is not the first of its order. The errors are those of Resolve. Like Resolve,
// it looks at one namespace by itself: what ResolveJointly chooses, and what
// ResolveNamespaces chooses for those before, it does not know.
func (r *Resolver) Justify(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View) ([]result.Justification, error) {
	return r.justify(ctx, r.inputs(cluster, catalogs, namespace))
}

// JustifyExtension is Justify for a ClusterExtension.
func (r *Resolver) JustifyExtension(ctx context.Context, name string, cluster *Cluster, catalogs *cache.View) ([]result.Justification, error) {
	return r.justify(ctx, r.extensionInputs(cluster, catalogs, name))
}

// WhyNot says why a bundle, given by its name or as PACKAGE@VERSION, is not
// selected: a minimal set of reasons. Of one that is selected it says why: the
// chain from a request to it. The errors are those of Resolve, and
// *UnknownBundle. Like Justify, it looks at one namespace by itself.
func (r *Resolver) WhyNot(ctx context.Context, namespace string, cluster *Cluster, catalogs *cache.View, bundle string) (*result.Explanation, error) {
	return r.explainBundle(ctx, r.inputs(cluster, catalogs, namespace), bundle)
}

// WhyNotExtension is WhyNot for the resolution of a ClusterExtension.
func (r *Resolver) WhyNotExtension(ctx context.Context, name string, cluster *Cluster, catalogs *cache.View, bundle string) (*result.Explanation, error) {
	return r.explainBundle(ctx, r.extensionInputs(cluster, catalogs, name), bundle)
}

// ask solves the problem of the inputs and asks something about the answer.
func (r *Resolver) ask(ctx context.Context, in inputs, question func(s *solved) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "explaining "+in.subject())
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, err := r.memory.newModel(ctx, stop, in)
	if err != nil {
		return err
	}
	solution, err := solver.Solve(ctx, m, solverOptions(in.options))
	if m.ended() == nil && err == nil {
		err = question(&solved{ctx: ctx, m: m, p: m.parts[0], solution: solution})
	}
	if err := m.ended(); err != nil {
		return err
	}
	var unknown *result.UnknownBundle
	if err == nil || errors.As(err, &unknown) {
		return err
	}
	why := failure(m, err)
	r.help(ctx, m, err, why)
	return why
}

func (r *Resolver) justify(ctx context.Context, in inputs) (list []result.Justification, err error) {
	err = r.ask(ctx, in, func(s *solved) error {
		for k := range s.solution.Selected {
			if b := s.p.asInstalled(s.solution.Selected[k].Var); b != nil && b.foreign {
				continue
			}
			j, err := s.justification(k)
			if err != nil {
				return err
			}
			list = append(list, j)
		}
		return nil
	})
	return list, err
}

// explainBundle says why a bundle is, or is not, in the answer.
func (r *Resolver) explainBundle(ctx context.Context, in inputs, bundle string) (e *result.Explanation, err error) {
	err = r.ask(ctx, in, func(s *solved) error {
		e, err = s.explain(bundle)
		return err
	})
	return e, err
}

// Path finds the shortest sequence of updates of a package, each along an edge
// of its channel, from what a Subscription of the namespace has installed to the
// target: a bundle by name or version, or the head of the channel if to is
// empty. After each step the whole namespace is resolved, with the other
// requests taking their updates as in Resolve.
//
// The error is a *NoPath, an *Incomplete if the budget or the context ended, or
// one of those of Resolve for the namespace as it is.
func (r *Resolver) Path(ctx context.Context, namespace, pkg, to string, cluster *Cluster, catalogs *cache.View) (_ *result.Path, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "searching a path for package "+pkg)
		}
	}()
	return findPath(ctx, r.inputs(cluster, catalogs, namespace), pkg, to, r.memory.newModel, r.resolveOne)
}

// Uninstallable returns the bundles of the judged catalogs that cannot be part
// of any consistent selection from all catalogs of the view, in an empty
// namespace which sees them all. They are ordered by catalog, as judged, then by
// ID. A bundle counts even if only a request for it by name could reach it.
//
// Of the cluster only the versions count. The error is *CatalogsUnhealthy,
// *InvalidInput, *Incomplete or *Internal.
func (r *Resolver) Uninstallable(ctx context.Context, cluster *Cluster, view *cache.View, judged ...catalog.Key) (_ []result.Uninstallable, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "judging catalogs")
		}
	}()
	if cluster == nil {
		cluster = NewCluster(Objects{})
	}
	return uninstallable(ctx, r.inputs(cluster, view, installabilityNamespace), r.memory, judged)
}

// Reach resolves namespaces and ClusterExtensions, and says which packages their
// resolution can reach, or an explanation of its outcome speaks of. What else
// the catalogs hold changes nothing. The error is an *Incomplete, or an *Internal.
func (r *Resolver) Reach(ctx context.Context, asked Asked, cluster *Cluster, view *cache.View) (_ *Reached, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = recovered(fault, "following requests")
		}
	}()
	return reach(ctx, r.inputs(cluster, view), asked, questions{
		resolve: func(in inputs) { _, _ = r.resolve(ctx, in) },
		each:    func(in inputs, namespaces []string) { r.resolveEach(ctx, namespaces, in) },
		justify: func(in inputs) { _, _ = r.justify(ctx, in) },
	})
}
