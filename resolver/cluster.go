package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/plan"
	"github.com/resolvent/resolvent/resolver/result"
)

// Cluster is what the caller knows of the cluster, indexed. It is immutable and
// safe for any number of goroutines.
type Cluster struct{ inventory *inventory.Cluster }

// NewCluster indexes the objects. The slices are not copied: they must not
// change afterwards.
func NewCluster(objects cluster.Objects) *Cluster { return &Cluster{inventory.New(objects)} }

// Objects returns what the cluster was made of; the slices are shared and must
// not be changed.
func (c *Cluster) Objects() cluster.Objects { return c.inventory.Objects }

// Requesting returns the namespaces that have a Subscription, sorted.
func (c *Cluster) Requesting() []string { return slices.Clone(c.inventory.Requesting) }

// Extensions returns the names of the ClusterExtensions, sorted.
func (c *Cluster) Extensions() []string {
	names := make([]string, len(c.inventory.Extensions))
	for i, e := range c.inventory.Extensions {
		names[i] = e.Name
	}
	return names
}

// After returns the cluster as it is when resolutions of namespaces, one each, have been
// carried out: what they replace is gone, what they install is there, with a
// Subscription, as OLM makes them for dependencies, where no other requested it.
// For a ClusterExtension only its own bundle changes hands. The cluster itself
// stays as it is.
func (c *Cluster) After(answers ...*result.Resolution) *Cluster {
	return &Cluster{plan.After(c.inventory, answers...)}
}

// Pinned returns the Subscriptions and ClusterExtensions of answers, held at what was
// chosen or kept: resolved in the place of those that were given, they have the same
// answers. A Subscription states it as startingCSV and, where a bundle is installed for it,
// the channel and catalog that it left open; it is approved by hand. The dependencies to
// install have Subscriptions of the same kind. A ClusterExtension states the version and,
// where a bundle is installed for it, the catalog. Requests without an answer are missing.
// The catalogs are those of the answers.
func (c *Cluster) Pinned(outcomes []result.Outcome, catalogs *cache.View) cluster.Objects {
	return plan.Pinned(c.inventory.Objects, outcomes, catalogs)
}
