package resolver

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// Justify resolves a namespace and justifies every bundle of the answer, in the
// order in which they were selected. It costs a few resolutions for each choice
// that is not the first of its order. The errors are those of Resolve. Like Resolve,
// it regards one namespace by itself: what ResolveJointly chooses, and what
// ResolveNamespaces chooses for those before, it does not know.
func (r *Resolver) Justify(ctx context.Context, namespace string, known *Cluster, catalogs *cache.View) ([]result.Justification, error) {
	return r.justify(ctx, r.inputs(known, catalogs, namespace))
}

// JustifyExtension is Justify for a ClusterExtension.
func (r *Resolver) JustifyExtension(ctx context.Context, name string, known *Cluster, catalogs *cache.View) ([]result.Justification, error) {
	return r.justify(ctx, r.extensionInputs(known, catalogs, name))
}

// WhyNot says why a bundle, given by its name or as PACKAGE@VERSION, is not
// selected: a minimal set of reasons. Of one that is selected it says why: the
// chain from a request to it. The errors are those of Resolve, and
// *UnknownBundle. Like Justify, it regards one namespace by itself.
func (r *Resolver) WhyNot(ctx context.Context, namespace string, known *Cluster, catalogs *cache.View, bundle string) (*result.Explanation, error) {
	return r.explainBundle(ctx, r.inputs(known, catalogs, namespace), bundle)
}

// WhyNotExtension is WhyNot for the resolution of a ClusterExtension.
func (r *Resolver) WhyNotExtension(ctx context.Context, name string, known *Cluster, catalogs *cache.View, bundle string) (*result.Explanation, error) {
	return r.explainBundle(ctx, r.extensionInputs(known, catalogs, name), bundle)
}

// ask solves the inputs and asks something about the answer.
func (r *Resolver) ask(ctx context.Context, in encode.Inputs, question func(s *explain.Solved) error) error {
	return r.solve(ctx, in, "explaining", func(ctx context.Context, m *encode.Model, solution *solver.Solution, err error) error {
		if err == nil {
			err = question(&explain.Solved{Part: m.Parts[0], Solution: solution})
			if ended := m.Ended(); ended != nil {
				return ended
			}
		}
		if _, unknown := errors.AsType[*result.UnknownBundle](err); err == nil || unknown {
			return err
		}
		why := explain.Failure(m, err)
		r.help(ctx, m, err, why)
		return why
	})
}

func (r *Resolver) justify(ctx context.Context, in encode.Inputs) (list []result.Justification, err error) {
	err = r.ask(ctx, in, func(s *explain.Solved) error {
		for k := range s.Solution.Selected {
			if b := s.Part.AsInstalled(s.Solution.Selected[k].Var); b != nil && b.Foreign {
				continue
			}
			j, err := s.Justification(k)
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
func (r *Resolver) explainBundle(ctx context.Context, in encode.Inputs, bundle string) (e *result.Explanation, err error) {
	err = r.ask(ctx, in, func(s *explain.Solved) error {
		e, err = s.Explain(bundle)
		return err
	})
	return e, err
}

// Path finds the shortest sequence of updates of a package, each along an edge
// of its channel, from what a Subscription of the namespace has installed to the
// target: a bundle by name or version, or the head of the channel if to is
// empty. Where the channel does not lead there, it is changed, as seldom as possible.
// After each update the whole namespace is resolved, with the other requests taking
// their updates as in Resolve.
//
// The error is a *NoPath, an *Incomplete if the budget or the context ended, or
// one of those of Resolve for the namespace as it is.
func (r *Resolver) Path(ctx context.Context, namespace, pkg, to string, known *Cluster, catalogs *cache.View) (_ *updates.Path, err error) {
	defer pace.Recover(&err, "searching a path for package "+pkg)
	return plan.FindPath(ctx, r.inputs(known, catalogs, namespace), pkg, to, r.memory, r.resolveOne)
}

// PathExtension is Path for what a ClusterExtension has installed.
func (r *Resolver) PathExtension(ctx context.Context, name, to string, known *Cluster, catalogs *cache.View) (_ *updates.Path, err error) {
	defer pace.Recover(&err, "searching a path for ClusterExtension "+name)
	return plan.FindPath(ctx, r.extensionInputs(known, catalogs, name), "", to, r.memory, r.resolveOne)
}

// Uninstallable returns the bundles of the judged catalogs that cannot be part
// of any consistent selection from all catalogs of the view, in an empty
// namespace which sees them all. They are ordered by catalog, as judged, then by
// ID. A bundle counts even if only a request for it by name could reach it.
//
// Of the cluster only the versions count. The error is *CatalogsUnhealthy,
// *InvalidInput, *Incomplete or *Internal.
func (r *Resolver) Uninstallable(ctx context.Context, known *Cluster, view *cache.View, judged ...catalog.Key) (_ []result.Uninstallable, err error) {
	defer pace.Recover(&err, "judging catalogs")
	if known == nil {
		known = NewCluster(cluster.Objects{})
	}
	return plan.Uninstallable(ctx, r.inputs(known, view, plan.InstallabilityNamespace), r.memory, judged)
}

// Footprint resolves namespaces and ClusterExtensions, and returns the packages that
// their resolution can reach, or that an explanation of its outcome mentions. What
// else the catalogs hold changes nothing. The error is an *Incomplete, or an *Internal.
func (r *Resolver) Footprint(ctx context.Context, asked result.Asked, known *Cluster, view *cache.View) (_ *result.Footprint, err error) {
	defer pace.Recover(&err, "following requests")
	return plan.Footprint(ctx, r.inputs(known, view), asked, plan.Questions{
		Resolve: func(in encode.Inputs) { _, _ = r.resolve(ctx, in) },
		Each:    func(in encode.Inputs, namespaces []string) { r.resolveEach(ctx, namespaces, in) },
		Justify: func(in encode.Inputs) { _, _ = r.justify(ctx, in) },
	})
}
