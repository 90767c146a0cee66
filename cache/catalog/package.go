package catalog

import (
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Package is a package of a catalog.
type Package struct {
	Name string
	// DefaultChannel is the stated name, even if no such channel exists.
	DefaultChannel string
	// Channels are sorted by name.
	Channels []*Channel
	// Bundles are the usable bundles, ascending.
	Bundles []ID
	// Deprecation is the message of olm.deprecations, "" if there is none.
	Deprecation string
	// Lifecycles are the stated lifecycles of minor versions.
	Lifecycles []Lifecycle
}

// Channel returns the channel of that name, nil if there is none.
func (p *Package) Channel(name string) *Channel {
	i, ok := slices.BinarySearchFunc(p.Channels, name, func(c *Channel, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		return nil
	}
	return p.Channels[i]
}

// Preferred returns the channels in order of preference: the default one, then the others by
// name.
func (p *Package) Preferred() []*Channel {
	i := slices.Index(p.Channels, p.Channel(p.DefaultChannel))
	if i <= 0 {
		return p.Channels
	}
	return slices.Concat(p.Channels[i:i+1], p.Channels[:i], p.Channels[i+1:])
}

// Channel is a channel of a package: a graph of bundles, with an order if there is one.
type Channel struct {
	Name, Package string
	// Entries are sorted by name.
	Entries []Entry
	// Order holds indices into Entries: the whole chain from the head along replaces,
	// including entries that are skipped or have no bundle.
	Order []int32
	// Fault says why the channel has no order, "" if it has one.
	Fault string
	// Default: it is the default channel of its package.
	Default bool
	// Deprecation is the message of olm.deprecations, "" if there is none.
	Deprecation string
}

// Entry is a node of a channel's graph.
type Entry struct {
	Name     string
	Replaces string
	// Skips are sorted.
	Skips []string
	// SkipRange is zero if there is none or it cannot be read.
	SkipRange versionrange.Range
	// Bundle is NoBundle for a virtual node. Order and edges run through it, but it cannot
	// be installed.
	Bundle ID
	// Depth is the distance from the head along replaces. It is -1 off that chain, and in a
	// channel without order.
	Depth int32
	// Skipped: another entry of the channel skips this one.
	Skipped bool
}

// Candidate reports whether the entry makes its bundle a candidate of new requests and
// dependencies.
func (e *Entry) Candidate() bool { return e.Bundle != NoBundle && e.Depth >= 0 && !e.Skipped }

// Edges walks the names that the entry replaces or skips, each once, in this order.
func (e *Entry) Edges() iter.Seq[string] {
	return func(yield func(string) bool) {
		if e.Replaces != "" && !yield(e.Replaces) {
			return
		}
		for _, name := range e.Skips {
			if name != e.Replaces && !yield(name) {
				return
			}
		}
	}
}

// Updates reports whether the entry replaces, skips or skipRanges a bundle. A nil version is
// unknown, and no skipRange covers it.
func (e *Entry) Updates(name string, version *semver.Version) bool {
	return e.Replaces == name || slices.Contains(e.Skips, name) || version != nil && e.SkipRange.Contains(*version)
}

// Entry returns the entry of that name, nil if there is none.
func (c *Channel) Entry(name string) *Entry {
	i, ok := c.Index(name)
	if !ok {
		return nil
	}
	return &c.Entries[i]
}

// Index returns the index of the entry of that name in Entries.
func (c *Channel) Index(name string) (int, bool) {
	return slices.BinarySearchFunc(c.Entries, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
}

// Chain walks the entries of Order, from the head along replaces.
func (c *Channel) Chain() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for _, i := range c.Order {
			if !yield(Place{c, int(i)}) {
				return
			}
		}
	}
}

// Updates walks the entries that update an installed bundle and are not below it. Entries
// of the chain come first, from the head on, then others by name.
func (c *Channel) Updates(name string, version *semver.Version) iter.Seq[Place] {
	// It is short enough to be inlined, so that the walk allocates nothing.
	return func(yield func(Place) bool) { c.updates(name, version, yield) }
}

func (c *Channel) updates(name string, version *semver.Version, yield func(Place) bool) {
	depth, aside := c.reach(name)
	for _, i := range c.Order[:depth] {
		if c.Entries[i].Updates(name, version) && !yield(Place{c, int(i)}) {
			return
		}
	}
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Depth < 0 && !aside[e.Name] && e.Updates(name, version) && !yield(Place{c, i}) {
			return
		}
	}
}

// Below reports whether the entry of that name is e or leads to e along replaces.
func (c *Channel) Below(name string, e *Entry) bool {
	depth, aside := c.reach(name)
	return e.Depth >= depth || aside[e.Name]
}

// reach follows replaces from an entry to the chain. It returns the depth there, and the
// names before.
func (c *Channel) reach(name string) (depth int32, aside map[string]bool) {
	for e := c.Entry(name); e != nil && !aside[e.Name]; e = c.Entry(e.Replaces) {
		if e.Depth >= 0 {
			return e.Depth, aside
		}
		if aside == nil {
			aside = map[string]bool{}
		}
		aside[e.Name] = true
	}
	return int32(len(c.Order)), aside
}

// Head returns the entry that nothing replaces, nil if the channel has no order.
func (c *Channel) Head() *Entry {
	if len(c.Order) == 0 {
		return nil
	}
	return &c.Entries[c.Order[0]]
}
