package resolver

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

// lazyIndex holds the clusterIndex once it was needed. Copies of a Cluster that
// differ in one namespace share it: of its own namespace a problem asks nothing
// there, but what its OperatorGroup targets.
type lazyIndex struct {
	made atomic.Pointer[clusterIndex]
	// busy admits one at a time.
	busy chan struct{}
}

func newLazyIndex() *lazyIndex { return &lazyIndex{busy: make(chan struct{}, 1)} }

// index makes what follows from the objects, unless that was done before. A
// call whose context ends leaves it to the next one. The error is an
// *Incomplete.
func (c *inventory) index(ctx context.Context) error {
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
	others := len(c.all) > 1 || len(c.extensions) > 0
	for _, namespace := range c.all {
		if err := ctx.Err(); err != nil {
			return &result.Incomplete{Phase: indexPhase, Err: err}
		}
		state := c.in(namespace)
		if others {
			d.installed.add(namespace, state)
		}
		d.groups.add(state, c.objects.Namespaces, d.installed.in[namespace])
	}
	c.made.Store(d)
	return nil
}

const indexPhase = "reading what is installed"

// installed and groups return what index made; it has been called by then.
func (c *inventory) installed() *installedIndex { return c.made.Load().installed }
func (c *inventory) groups() *groupIndex        { return c.made.Load().groups }
