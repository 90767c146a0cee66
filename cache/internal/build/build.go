// Package build makes a snapshot of blobs: it drops what contradicts itself, orders
// channels from their heads along replaces, marks deprecations, and puts bundles in
// the order in which they are preferred. Every fault that it finds is in the
// snapshot.
package build

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
)

// builder puts blobs together into a snapshot. What it makes does not depend on
// the order of files and blobs.
type builder struct {
	parser   *constraints.Parser
	faults   []catalog.Fault
	packages []*catalog.Package
	lost     []catalog.LostProvider
	// bundles are the usable ones of all packages, by package and name. Until
	// they are put in order, their indices here stand in for their IDs.
	bundles []*collect.Bundle
}

// Snapshot judges the blobs as a whole and makes the snapshot. Evaluating one rule on
// it may cost so much.
func Snapshot(ctx context.Context, c *collect.Contents, parser *constraints.Parser, evaluationCost int) (*catalog.Snapshot, error) {
	b := &builder{parser: parser, faults: c.Faults}
	byName := collect.ByPackage(c)
	for name := range b.quarantine(c, byName) {
		delete(byName, name)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.addPackage(name, byName[name])
	}
	parts := b.order()
	parts.Faults, parts.Lost, parts.EvaluationCost = b.faults, b.lost, uint64(evaluationCost)
	return catalog.NewSnapshot(parts), ctx.Err()
}

// quarantine returns the packages that cannot be used at all.
func (b *builder) quarantine(c *collect.Contents, byName map[string]*collect.Blobs) map[string]bool {
	gone := map[string]bool{}
	for _, d := range c.Damages {
		gone[d.Pkg] = true
		f := document.Origin{File: d.File}.Fault(catalog.CodeDamagedFile,
			"the package is not used, because this file, which mentions it, cannot be read to its end: mend the file or remove it")
		f.Package, f.Quarantines = d.Pkg, true
		b.faults = append(b.faults, f)
	}
	for name, blobs := range byName {
		for group, alike := range collect.Groups(blobs.Stated, func(p *collect.Package) string { return p.Name }, (*collect.Package).Equal) {
			if alike {
				continue
			}
			gone[name] = true
			for i, blob := range group {
				b.duplicate(blob.Origin, catalog.CodeDuplicatePackage, catalog.Fault{Package: name}, group[(i+1)%len(group)].Origin)
			}
		}
	}
	return gone
}

// duplicate reports one of several blobs that share a name and differ.
func (b *builder) duplicate(at document.Origin, code catalog.Code, place catalog.Fault, other document.Origin) {
	where := "in this file"
	if other.File != at.File {
		where = "in " + other.File
	}
	if other.Line > 0 {
		where += fmt.Sprintf(", line %d", other.Line)
	}
	f := at.FaultIn(place, code, "it is stated again, and differently, "+where+"; none of these is used: keep one")
	f.Quarantines = true
	b.faults = append(b.faults, f)
}

func (b *builder) addPackage(name string, blobs *collect.Blobs) {
	if blobs.Empty() {
		return // deprecations of nothing
	}
	p := &catalog.Package{Name: name}
	if len(blobs.Stated) > 0 {
		p.DefaultChannel = blobs.Stated[0].DefaultChannel
	}
	bundles := b.addBundles(blobs.Bundles)
	for group, alike := range collect.Groups(blobs.Channels, func(c *collect.Channel) string { return c.Name }, (*collect.Channel).Equal) {
		c := b.addChannel(group, alike, bundles)
		c.Default = c.Name == p.DefaultChannel
		p.Channels = append(p.Channels, c)
	}
	b.checkDefault(p, blobs)
	b.deprecate(p, bundles, blobs.Deprecations)
	b.packages = append(b.packages, p)
}

// checkDefault reports a package that has no usable default channel. It only
// loses that preference.
func (b *builder) checkDefault(p *catalog.Package, blobs *collect.Blobs) {
	var f catalog.Fault
	switch {
	case len(blobs.Stated) == 0:
		f = blobs.First().Fault(catalog.CodePackageMissing, "the package has no olm.package blob, so none of its channels is preferred: add one with its name and default channel")
	case p.DefaultChannel == "":
		f = blobs.Stated[0].Fault(catalog.CodeDefaultChannel, "the package names no default channel, so none of its channels is preferred: set defaultChannel")
	case p.Channel(p.DefaultChannel) == nil:
		f = blobs.Stated[0].Fault(catalog.CodeDefaultChannel, fmt.Sprintf("the default channel %q does not exist, so none of the package's channels is preferred: name one that does", p.DefaultChannel))
	default:
		return
	}
	f.Package = p.Name
	b.faults = append(b.faults, f)
}

// bundleRange is the part of builder.bundles that belongs to a package.
type bundleRange struct{ from, to int }

// addBundles keeps the usable bundles of a package.
func (b *builder) addBundles(blobs []*collect.Bundle) bundleRange {
	added := bundleRange{from: len(b.bundles)}
	for group, alike := range collect.Groups(blobs, func(b *collect.Bundle) string { return b.Name }, (*collect.Bundle).Equal) {
		if !alike {
			for i, blob := range group {
				b.lose(blob)
				b.duplicate(blob.Origin, catalog.CodeDuplicateBundle, catalog.Fault{Package: blob.Pkg, Bundle: blob.Name}, group[(i+1)%len(group)].Origin)
			}
			continue
		}
		if group[0].Unusable {
			b.lose(group[0])
			continue
		}
		b.bundles = append(b.bundles, group[0])
	}
	added.to = len(b.bundles)
	return added
}

// find returns the index of a bundle, or NoBundle.
func (b *builder) find(in bundleRange, name string) catalog.ID {
	i, ok := slices.BinarySearchFunc(b.bundles[in.from:in.to], name, func(blob *collect.Bundle, name string) int { return strings.Compare(blob.Name, name) })
	if !ok {
		return catalog.NoBundle
	}
	return catalog.ID(in.from + i)
}

// lose notes what a quarantined bundle would provide, as far as it can be read.
func (b *builder) lose(blob *collect.Bundle) {
	if blob.Properties == nil {
		return
	}
	for _, api := range blob.Properties.GVKs() {
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
	// The places of a bundle come best first, so the first one gives it its rank.
	for place := range catalog.CandidatePlaces(b.packages) {
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

// place moves the bundles to their IDs, and has entries point there.
func (b *builder) place(parts *catalog.Parts, rank []catalog.ID) {
	parts.Bundles = make([]catalog.Bundle, len(b.bundles))
	for i := range b.bundles {
		blob := b.bundles[i]
		pkg, _ := blob.Properties.Package()
		parts.Bundles[rank[i]] = catalog.Bundle{
			Name: blob.Name, Package: blob.Pkg, Image: blob.Image,
			Version: pkg.Version, Release: pkg.Release,
			Properties: blob.Properties, Constraints: blob.Constraints,
			Deprecation: blob.Deprecation,
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
