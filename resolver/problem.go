package resolver

import (
	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Problem is what a call is about. A variant of it is another value.
type Problem struct {
	// Cluster is what the caller knows of the cluster; nil means nothing.
	Cluster *cluster.Index
	// Catalogs are those that there are; nil means none.
	Catalogs *cache.View
	Options  policy.Options
}

// inputs are the problem as a call about the scopes reads it.
func (p Problem) inputs(scopes ...cluster.Scope) model.Inputs {
	if p.Cluster == nil {
		p.Cluster = cluster.NewIndex(cluster.Objects{})
	}
	if p.Catalogs == nil {
		p.Catalogs = cache.NewView(nil)
	}
	return model.Inputs{Scopes: scopes, Cluster: p.Cluster, View: p.Catalogs, Options: &p.Options}
}

// After returns the problem as it is when resolutions, one of a scope each, have been
// carried out: what they replace is gone, what they install is there, with a Subscription,
// as OLM makes them for dependencies, where no other requested it. For a ClusterExtension
// only its own bundle changes hands.
func (p Problem) After(answers ...*result.Resolution) Problem {
	p.Cluster = route.After(p.inputs().Cluster, answers...)
	return p
}

// Pinned returns the Subscriptions and ClusterExtensions of answers, held at what was
// chosen or kept: resolved in the place of those that were given, they have the same
// answers. A Subscription states it as startingCSV and, where a bundle is installed for it,
// the channel and catalog that it left open; it is approved by hand. The dependencies to
// install have Subscriptions of the same kind. A ClusterExtension states the version and,
// where a bundle is installed for it, the catalog. Requests without an answer are missing.
func (p Problem) Pinned(outcomes []result.Outcome) cluster.Objects {
	in := p.inputs()
	return plan.Pinned(in.Cluster, outcomes, in.View)
}
