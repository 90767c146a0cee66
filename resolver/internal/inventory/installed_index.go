package inventory

import (
	"context"
	"sync/atomic"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// LazyIndex holds what follows from the objects of all namespaces, once it was
// needed. Copies of a Cluster that differ in one namespace share it: of its own
// namespace a Part reads nothing there, but what its OperatorGroup targets.
type LazyIndex struct {
	made atomic.Pointer[index]
	// busy admits one at a time.
	busy chan struct{}
}

// NewLazyIndex returns a LazyIndex that is yet to be made.
func NewLazyIndex() *LazyIndex { return &LazyIndex{busy: make(chan struct{}, 1)} }

// index is what other namespaces and the requests of the whole cluster see of what
// is installed. It is immutable once made.
type index struct {
	// installed lists the bundles that count of each namespace, by name.
	installed map[string][]Installed
	// providers are listed by namespace and name.
	providers Providers
	groups    *groupIndex
}

// Installed is an installed bundle as other namespaces see it.
type Installed struct {
	CSV        *cluster.ClusterServiceVersion
	Properties *properties.Set
}

// InstalledIn lists the bundles of a namespace that count, by name. Index has been
// called by then, as for all methods below.
func (c *Cluster) InstalledIn(namespace string) []Installed {
	return c.made.Load().installed[namespace]
}

// Providers lists what provides each kind, by namespace and name.
func (c *Cluster) Providers() Providers { return c.made.Load().providers }

func (c *Cluster) groups() *groupIndex { return c.made.Load().groups }

// Index makes the index, unless that was done before. A call whose context ends
// leaves it to the next one. The error is an *Incomplete.
func (c *Cluster) Index(ctx context.Context, reader *Reader) error {
	if c.made.Load() != nil {
		return nil
	}
	incomplete := func() error { return &result.Incomplete{Phase: "reading what is installed", Err: ctx.Err()} }
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return incomplete()
	}
	if c.made.Load() != nil {
		return nil
	}
	x := &index{installed: map[string][]Installed{}, providers: Providers{}, groups: newGroupIndex()}
	// What is installed in a lone namespace matters to no other.
	others := len(c.Known) > 1 || len(c.Extensions) > 0
	for _, namespace := range c.Known {
		if ctx.Err() != nil {
			return incomplete()
		}
		state := c.In(namespace)
		if others {
			x.add(namespace, state, reader)
		}
		for i := range state.Groups {
			if ctx.Err() != nil {
				return incomplete()
			}
			x.groups.add(&state.Groups[i], c.Objects.Namespaces, x.installed[namespace])
		}
	}
	c.made.Store(x)
	return nil
}

// add reads the installed bundles of a namespace. Namespaces come in order. A
// bundle whose properties cannot be read provides what its object lists: it
// fails its own namespace, not its neighbours.
func (x *index) add(namespace string, state *Namespace, reader *Reader) {
	for _, csv := range state.Counting() {
		set := reader.Read(state, csv).Properties
		if set == nil {
			set, _ = properties.Decode(state.inferProperties(csv, csv.Version), nil)
		}
		x.installed[namespace] = append(x.installed[namespace], Installed{csv, set})
		x.providers.Add(namespace, csv.Name, set)
	}
}
