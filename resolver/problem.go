package resolver

import (
	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Problem is the input of a call. A variant of a question is another Problem. It is
// immutable and safe for any number of goroutines.
type Problem struct {
	// Cluster has the objects of the cluster; nil means none.
	Cluster *cluster.Index
	// Catalogs are all catalogs; nil means none.
	Catalogs *cache.View
	Options  policy.Options
}

// inputs returns the inputs of a call about the scopes.
func (p Problem) inputs(scopes ...cluster.Scope) model.Inputs {
	return model.NewInputs(p.Cluster, p.Catalogs, &p.Options, scopes...)
}

// After returns the problem once answers, each of another scope, have been carried out.
// Replaced bundles are gone and installed ones are there. As OLM does, it adds a
// Subscription for each dependency. Of a ClusterExtension's answer only its own bundle
// counts.
func (p Problem) After(answers ...*result.Resolution) Problem {
	p.Cluster = world.After(p.inputs().Cluster, answers...)
	return p
}

// Pinned returns the Subscriptions and ClusterExtensions of the outcomes, pinned to their
// answers: applied in place of the objects with their names, they give the same answers. A
// Subscription names the bundle as startingCSV and has manual approval; if the bundle is a
// new one, an empty channel or catalog is filled in. New dependencies get objects of the same
// kind, those of a ClusterExtension before it. A ClusterExtension names the version and the
// catalog. Requests without an answer are left out.
func (p Problem) Pinned(outcomes []result.Outcome) cluster.Objects {
	return answer.Pinned(p.inputs(), outcomes)
}

// Neighbors returns the other namespaces whose OperatorGroups share a target with one of
// this namespace's groups, sorted. What is installed in one may keep bundles out of the
// other.
func (p Problem) Neighbors(namespace string) []string {
	return inventory.Neighbors(p.inputs().Cluster, namespace)
}

// Visible returns the catalogs that a scope sees and that can be used, in the order of the
// view. A Subscription takes updates from all of them unless Options.NamedUpdates is set, a
// ClusterExtension takes bundles only from those that its selector matches.
func (p Problem) Visible(scope cluster.Scope) []*cache.Catalog {
	in := p.inputs()
	return request.KindOf(scope).Visible(scope, &in).Catalogs
}
