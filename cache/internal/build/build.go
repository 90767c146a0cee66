// Package build makes the parts of a snapshot of documents. A [Collector] turns documents
// into blobs and judges each by itself. [Parts] puts the blobs together: it quarantines
// contradictions, orders channels, marks deprecations, and gives bundles their IDs in
// the order of preference. Its faults are among the parts. [Check] finds the faults that
// only a strict reading reports.
package build

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
)

// builder puts blobs together. Its result does not depend on the order of files and
// blobs.
type builder struct {
	faults
	parser   *constraints.Parser
	packages []*catalog.Package
	lost     []catalog.LostProvider
	// bundles are the usable bundles by package and name. Their indices here serve as
	// IDs until order.
	bundles []*Bundle
}

// Parts judges the blobs as a whole and returns the parts of the snapshot. The error is
// that of ctx.
func Parts(ctx context.Context, c *Contents, parser *constraints.Parser) (parts catalog.Parts, err error) {
	b := &builder{parser: parser, faults: c.Faults}
	gone := b.quarantine(c)
	for _, name := range slices.Sorted(maps.Keys(c.packages)) {
		if err := ctx.Err(); err != nil {
			return parts, err
		}
		// Deprecations and lifecycles alone make no package.
		if blobs := c.packages[name]; !gone[name] && !blobs.empty() {
			b.addPackage(name, blobs)
		}
	}
	parts = b.order()
	parts.Faults, parts.Lost = b.faults, b.lost
	return parts, ctx.Err()
}

type faults []catalog.Fault

// fault records a fault with the package, channel, bundle and severity of place.
func (f *faults) fault(at document.Origin, code catalog.Code, place catalog.Fault, message string) {
	*f = append(*f, at.FaultIn(place, code, message))
}

// quarantine returns the packages that cannot be used.
func (b *builder) quarantine(c *Contents) map[string]bool {
	gone := map[string]bool{}
	for _, d := range c.damages {
		gone[d.pkg] = true
		b.fault(document.Origin{File: d.file}, code.DamagedFile, catalog.Fault{Package: d.pkg, Quarantines: true},
			"the package is not used, because this file, which mentions it, cannot be read to its end: fix the file or remove it")
	}
	for name, blobs := range c.packages {
		for group, alike := range groups(blobs.Stated) {
			if !alike {
				gone[name] = true
				duplicates(b, group, code.DuplicatePackage, catalog.Fault{Package: name}, keepOne)
			}
		}
	}
	return gone
}

const keepOne = "keep one"

// sharedName returns what to do about bundles of one name: two releases need two names.
func sharedName(group []*Bundle) string {
	var versions []string
	for _, blob := range group {
		if blob.properties == nil {
			return keepOne
		}
		stated, found := blob.properties.Package()
		if v := stated.Version.String(); found && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	if len(versions) < 2 {
		return keepOne
	}
	slices.Sort(versions)
	return "they are releases of different versions, " + strings.Join(versions[:2], " and ") + ": give each a name of its own"
}

// duplicates records a fault of each blob that has the name of another one and differs.
func duplicates[B interface{ At() document.Origin }](b *builder, group []B, code catalog.Code, place catalog.Fault, remedy string) {
	place.Quarantines = true
	for i, blob := range group {
		at, other, where := blob.At(), group[(i+1)%len(group)].At(), "in this file"
		if other.File != at.File {
			where = "in " + other.File
		}
		if other.Line > 0 {
			where += fmt.Sprintf(", line %d", other.Line)
		}
		b.fault(at, code, place, "it is stated again, and differently, "+where+"; none of these is used: "+remedy)
	}
}

func (b *builder) addPackage(name string, blobs *Blobs) {
	p := &catalog.Package{Name: name}
	if len(blobs.Stated) > 0 {
		p.DefaultChannel = blobs.Stated[0].DefaultChannel
	}
	bundles := b.addBundles(blobs.bundles)
	b.checkEntries(blobs)
	for group, alike := range groups(blobs.Channels) {
		c := b.addChannel(group, alike, bundles)
		c.Default = c.Name == p.DefaultChannel
		p.Channels = append(p.Channels, c)
	}
	b.checkDefault(p, blobs)
	b.deprecate(p, bundles, blobs.deprecations)
	b.support(p, blobs.lifecycles)
	b.packages = append(b.packages, p)
}

// checkDefault records a package without usable default channel. The package then has no
// preferred channel.
func (b *builder) checkDefault(p *catalog.Package, blobs *Blobs) {
	place := catalog.Fault{Package: p.Name}
	switch {
	case len(blobs.Stated) == 0:
		b.fault(blobs.first, code.PackageMissing, place, "the package has no olm.package blob, so none of its channels is preferred: add one with its name and default channel")
	case len(blobs.Channels) == 0 && blobs.directories():
		// Each directory has the fault that it names no channel.
	case p.DefaultChannel == "":
		b.fault(blobs.Stated[0].Origin, code.DefaultChannel, place, "the package names no default channel, so none of its channels is preferred: set defaultChannel")
	case p.Channel(p.DefaultChannel) == nil:
		b.fault(blobs.Stated[0].Origin, code.DefaultChannel, place, fmt.Sprintf("the default channel %q does not exist, so none of the package's channels is preferred: name one that does", p.DefaultChannel))
	}
}

// checkEntries records entries without a bundle, which stay in their channels as virtual
// nodes. The bundles must be sorted.
func (b *builder) checkEntries(blobs *Blobs) {
	for _, channel := range blobs.Channels {
		for _, e := range channel.Entries {
			if _, ok := slices.BinarySearchFunc(blobs.bundles, e.Name, compareName); !ok {
				b.fault(channel.Origin, code.Entry, catalog.Fault{Package: channel.Pkg, Channel: channel.Name, Bundle: e.Name},
					"the package has no bundle of this name: add it, or remove the entry")
			}
		}
	}
}

func compareName(blob *Bundle, name string) int { return strings.Compare(blob.Name, name) }

// bundleRange is the part of builder.bundles that belongs to a package.
type bundleRange struct{ from, to int }

// addBundles adds the usable bundles of a package.
func (b *builder) addBundles(blobs []*Bundle) bundleRange {
	added := bundleRange{from: len(b.bundles)}
	for group, alike := range groups(blobs) {
		switch {
		case !alike:
			for _, blob := range group {
				b.lose(blob)
			}
			duplicates(b, group, code.DuplicateBundle, catalog.Fault{Package: group[0].Pkg, Bundle: group[0].Name}, sharedName(group))
		case group[0].Unusable:
			b.lose(group[0])
		default:
			b.bundles = append(b.bundles, group[0])
		}
	}
	added.to = len(b.bundles)
	return added
}

// find returns the index of a bundle, NoBundle if it is missing.
func (b *builder) find(in bundleRange, name string) catalog.ID {
	i, ok := slices.BinarySearchFunc(b.bundles[in.from:in.to], name, compareName)
	if !ok {
		return catalog.NoBundle
	}
	return catalog.ID(in.from + i)
}

// lose records the readable APIs of a quarantined bundle.
func (b *builder) lose(blob *Bundle) {
	if blob.properties == nil {
		return
	}
	for _, api := range blob.properties.GVKs() {
		b.lost = append(b.lost, catalog.LostProvider{API: api, Package: blob.Pkg, Bundle: blob.Name})
	}
}

// order gives every bundle its ID.
func (b *builder) order() catalog.Parts {
	parts := catalog.Parts{Packages: b.packages}
	rank := make([]catalog.ID, len(b.bundles))
	for i := range rank {
		rank[i] = catalog.NoBundle
	}
	// The first place of a bundle is its best, and so gives it its rank.
	for place := range parts.Places() {
		if i := place.Channel.Entries[place.Entry].Bundle; rank[i] == catalog.NoBundle {
			rank[i] = catalog.ID(parts.Candidates)
			parts.Candidates++
		}
	}
	next := catalog.ID(parts.Candidates)
	for i := range rank {
		if rank[i] == catalog.NoBundle {
			rank[i] = next
			next++
		}
	}
	b.place(&parts, rank)
	return parts
}

// place moves the bundles to their IDs, and updates the entries.
func (b *builder) place(parts *catalog.Parts, rank []catalog.ID) {
	parts.Bundles = make([]catalog.Bundle, len(b.bundles))
	for i := range b.bundles {
		blob := b.bundles[i]
		pkg, _ := blob.properties.Package()
		parts.Bundles[rank[i]] = catalog.Bundle{
			Name: blob.Name, Package: blob.Pkg, Image: blob.Image,
			Version: pkg.Version, Release: pkg.Release,
			Properties: blob.properties, Constraints: blob.constraints,
			Deprecation: blob.deprecation,
		}
	}
	for _, p := range b.packages {
		for _, c := range p.Channels {
			for i := range c.Entries {
				if e := &c.Entries[i]; e.Bundle != catalog.NoBundle {
					e.Bundle = rank[e.Bundle]
				}
			}
		}
	}
}
