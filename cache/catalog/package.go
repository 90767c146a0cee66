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

// Updates returns a function that reports whether an entry updates an installed bundle:
// whether it states so, and does not stand below it.
func (c *Channel) Updates(name string, version *semver.Version) func(*Entry) bool {
	below := c.Below(name)
	return func(e *Entry) bool { return !below(e) && e.Updates(name, version) }
}

// Below returns a function that reports whether the entry of that name leads to another
// along replaces, or is that one.
func (c *Channel) Below(name string) func(*Entry) bool {
	aside, depth := map[string]bool{}, int32(len(c.Order))
	for e := c.Entry(name); e != nil && !aside[e.Name]; e = c.Entry(e.Replaces) {
		if e.Depth >= 0 {
			depth = e.Depth
			break
		}
		aside[e.Name] = true
	}
	return func(e *Entry) bool { return e.Depth >= depth || aside[e.Name] }
}

// Head returns the entry that nothing replaces, nil if the channel has no order.
func (c *Channel) Head() *Entry {
	if len(c.Order) == 0 {
		return nil
	}
	return &c.Entries[c.Order[0]]
}
