package catalog

import (
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Package is everything a catalog offers under one package name.
type Package struct {
	Name string
	// DefaultChannel is the stated one, even if no such channel exists.
	DefaultChannel string
	// Channels are sorted by name.
	Channels []*Channel
	// Bundles are the usable ones, ascending.
	Bundles []ID
	// Deprecation is the message of olm.deprecations, "" if there is none.
	Deprecation string
	// Lifecycles are those of its minor versions, as stated.
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

// Channel is a channel of a package: a graph of bundles, and an order if the
// graph has one.
type Channel struct {
	Name, Package string
	// Entries are sorted by name.
	Entries []Entry
	// Order holds indices into Entries, from the head along replaces: the whole
	// chain, with the entries on it that are skipped or have no bundle.
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
	// SkipRange is zero if there is none, or none that can be read.
	SkipRange versionrange.Range
	// Bundle is NoBundle for a virtual node: order and edges run through it, but
	// nothing can be installed there.
	Bundle ID
	// Depth is the distance from the head along replaces; -1 off that chain, and
	// in a channel without order.
	Depth int32
	// Skipped: another entry of the channel skips this one.
	Skipped bool
}

// Candidate reports whether the entry's bundle is offered to new requests and to
// dependencies.
func (e *Entry) Candidate() bool { return e.Bundle != NoBundle && e.Depth >= 0 && !e.Skipped }

// Edges walks the names of what the entry states that it updates, each once: what it
// replaces, then what it skips.
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

// Updates reports whether the entry states that it updates a bundle. A skipRange
// covers no version that is not known, which is nil.
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

// Chain walks the entries from the head along replaces, as Order has them.
func (c *Channel) Chain() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for _, i := range c.Order {
			if !yield(Place{c, int(i)}) {
				return
			}
		}
	}
}

// Updates walks the entries that update an installed bundle: they state so, and do not
// stand below it. Those of the chain come first, from the head on, then others by name.
func (c *Channel) Updates(name string, version *semver.Version) iter.Seq[Place] {
	// So short that it is inlined, with which the walk takes no memory.
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

// Below reports whether the entry of that name leads to e along replaces, or is e.
func (c *Channel) Below(name string, e *Entry) bool {
	depth, aside := c.reach(name)
	return e.Depth >= depth || aside[e.Name]
}

// reach returns where following replaces from an entry arrives at the chain, and the names
// that it passes before.
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
