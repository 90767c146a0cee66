// Package finding has the kinds of findings, one file a kind: what a finding means, what finds it,
// why it is there, whom it stops, and what repairs it. [Kinds] has them all.
//
// Faults of a catalog are found by reading it; package cache has their codes. All other findings
// are found by a [Judge], in the update graphs of a package or among what cannot be installed.
package finding

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

// Kind is a kind of finding. What does not apply is the zero value.
type Kind struct {
	Code    catalog.Code
	Meaning string

	// find reports what it finds in an update graph that has an order.
	find func(*Judge, Updates)
	// cause is what tells faults with the same other fields apart.
	cause cause
	// because returns the reasons, the most telling first. Without it the message names the only
	// thing that can be wrong.
	because func(*subject) []Reason
	// stops returns the bundles of a channel whose users do not get to the head, and whether nobody
	// can install the operator from there.
	stops func(*catalog.Channel, *Observation) (installed []string, anew bool)

	// Problem is what is wrong with the graph of a channel, for edits of its entries.
	Problem string
	// OfEntries: a new entry of a channel can cause it.
	OfEntries bool
	// Candidates returns drafts that may be repairs, the best first. They are tried after what is
	// misspelt is as it was meant, and before edits of entries; nil if nothing is tried.
	Candidates func(*Wrong, *edit.Draft, Identity) []*edit.Draft
	// None says why no change of the catalog repairs it.
	None string
	// shows reports whether it was there before a repair of another finding, which hid it.
	shows func(*Before) bool
	// ofOthers: it concerns another package, too, whose requirement is stated already.
	ofOthers bool
}

// cause is which part of a fault is the cause of its identity.
type cause uint8

const (
	byMessage cause = iota // with the path, if there is one
	byPlace                // a place has at most one
	byFile                 // it is about a whole file
	byPath                 // the message may name a line
	byMessageOnly
)

// Kinds are the kinds of findings.
var Kinds = map[catalog.Code]*Kind{}

func init() { // what finds them needs them
	for i := range kinds {
		Kinds[kinds[i].Code] = &kinds[i]
	}
}

// IdentityOf returns the identity of a fault.
func IdentityOf(f catalog.Fault) Identity {
	id := Identity{Code: f.Code, Package: f.Package, Channel: f.Channel, Bundle: f.Bundle}
	switch cause := Of(f.Code).cause; {
	case cause == byMessageOnly:
		id.Cause = f.Message
	case f.Package == "" || cause == byFile:
		id.Cause = f.File
	case cause == byPlace:
	case cause == byPath:
		id.Cause = f.Path
	case f.Path != "":
		id.Cause = f.Path + ": " + f.Message
	default:
		id.Cause = f.Message
	}
	return id
}

// Of returns the kind of a code, an empty one if there is none.
func Of(code catalog.Code) *Kind { return cmp.Or(Kinds[code], &Kind{}) }

// Before is a catalog before a repair, with the part of a finding that shows after it.
type Before struct {
	Identity
	Snapshot *catalog.Snapshot
	// Repaired is the code of the finding that is repaired.
	Repaired catalog.Code
	// All are the findings before the repair.
	All map[Identity]bool

	pkg     *catalog.Package
	channel *catalog.Channel // nil if it was not read, or the finding is not about one
	entry   *catalog.Entry   // nil without one
}

// Hidden reports whether only what is repaired kept the finding from being found: the missing order
// of a channel, or the quarantine of a bundle. What is found is stated there already.
func (b *Before) Hidden() bool {
	kind := Of(b.Code)
	if b.pkg = b.Snapshot.Package(b.Package); b.pkg != nil && b.Channel != "" {
		b.channel = b.pkg.Channel(b.Channel)
	}
	if b.channel != nil {
		b.entry = b.channel.Entry(b.Bundle)
	}
	return kind.ofOthers || kind.shows != nil && (b.pkg != nil || b.Repaired == "template") && kind.shows(b)
}

// unordered reports whether the channel was read and had no order.
func (b *Before) unordered() bool { return b.channel != nil && b.channel.Fault != "" }

// unread reports whether the channel was not read, or not rendered.
func (b *Before) unread() bool {
	return b.Repaired == "template" || b.Channel != "" && b.channel == nil
}

// skipped reports whether an entry of the channel skips the bundle.
func (b *Before) skipped() bool { return b.channel != nil && Skips(b.channel, b.Bundle) }

// edge reports whether the entry stated the edge.
func (b *Before) edge() bool {
	kind, name := b.Edge()
	return b.unordered() && (b.Repaired == "field" || // which was not read
		b.entry != nil && (kind == "skips" && slices.Contains(b.entry.Skips, name) || kind == "replaces" && name == b.entry.Replaces))
}

// Skips reports whether an entry of a channel skips another one.
func Skips(c *catalog.Channel, name string) bool {
	return slices.ContainsFunc(c.Entries, func(e catalog.Entry) bool { return e.Name != name && slices.Contains(e.Skips, name) })
}
