package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
)

// Cluster is what the caller knows of the cluster, indexed. It is immutable and
// safe for any number of goroutines.
type Cluster struct{ inventory *inventory }

// NewCluster indexes the objects. The slices are not copied: they must not
// change afterwards.
func NewCluster(objects Objects) *Cluster { return &Cluster{newInventory(objects)} }

// Objects returns what the cluster was made of; the slices are shared and must
// not be changed.
func (c *Cluster) Objects() Objects { return c.inventory.objects }

// Requesting returns the namespaces that have a Subscription, sorted.
func (c *Cluster) Requesting() []string { return slices.Clone(c.inventory.names) }

// Extensions returns the names of the ClusterExtensions, sorted.
func (c *Cluster) Extensions() []string {
	names := make([]string, len(c.inventory.extensions))
	for i, e := range c.inventory.extensions {
		names[i] = e.Name
	}
	return names
}

// After returns the cluster as it is when a resolution of a namespace has been
// carried out: what it replaces is gone, what it installs is there, with a
// Subscription, as OLM makes them for dependencies, where no other asked for it.
// For a ClusterExtension only its own bundle changes hands. The cluster itself
// stays as it is.
func (c *Cluster) After(r *result.Resolution) *Cluster { return &Cluster{c.inventory.after(r)} }

// EndsInFailure reports whether the chain of spec.replaces that starts at a
// ClusterServiceVersion ends in one in phase Failed. A cycle does not, nor does
// a name that is not there.
func (c *Cluster) EndsInFailure(namespace, name string) bool {
	return c.inventory.endsInFailure(namespace, name)
}

// InstalledProperties returns the properties of a ClusterServiceVersion as
// resolution sees them: those of its annotation, else what its APIs and the
// Subscriptions that installed it say. The error is an *InvalidInput.
func (c *Cluster) InstalledProperties(namespace, name string) ([]properties.Property, error) {
	return c.inventory.installedProperties(namespace, name)
}
