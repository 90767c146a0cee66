package inventory

import (
	"context"
	"sync/atomic"

	"github.com/resolvent/resolvent/resolver/result"
)

// clusterIndex is what follows from the objects of a cluster, for all
// namespaces. It is immutable.
type clusterIndex struct {
	installed *installedIndex
	groups    *groupIndex
}

// LazyIndex holds the clusterIndex once it was needed. Copies of a Cluster that
// differ in one namespace share it: of its own namespace a problem asks nothing
// there, but what its OperatorGroup targets.
type LazyIndex struct {
	made atomic.Pointer[clusterIndex]
	// busy admits one at a time.
	busy chan struct{}
}

func NewLazyIndex() *LazyIndex { return &LazyIndex{busy: make(chan struct{}, 1)} }

// Index makes what follows from the objects, unless that was done before. A
// call whose context ends leaves it to the next one. The error is an
// *Incomplete.
func (c *Cluster) Index(ctx context.Context) error {
	if c.made.Load() != nil {
		return nil
	}
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return &result.Incomplete{Phase: indexPhase, Err: ctx.Err()}
	}
	if c.made.Load() != nil {
		return nil
	}
	d := &clusterIndex{installed: newInstalledIndex(), groups: newGroupIndex()}
	// What is installed in a lone namespace matters to no other.
	others := len(c.Known) > 1 || len(c.Extensions) > 0
	for _, namespace := range c.Known {
		if err := ctx.Err(); err != nil {
			return &result.Incomplete{Phase: indexPhase, Err: err}
		}
		state := c.In(namespace)
		if others {
			d.installed.add(namespace, state)
		}
		d.groups.add(state, c.Objects.Namespaces, d.installed.In[namespace])
	}
	c.made.Store(d)
	return nil
}

const indexPhase = "reading what is installed"

// Installed and groups return what index made; it has been called by then.
func (c *Cluster) Installed() *installedIndex { return c.made.Load().installed }
func (c *Cluster) groups() *groupIndex        { return c.made.Load().groups }
