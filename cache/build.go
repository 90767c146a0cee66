package cache

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/constraints"
)

// builder puts blobs together into a snapshot. What it makes does not depend on
// the order of files and blobs.
type builder struct {
	parser   *constraints.Parser
	faults   []Fault
	packages []*Package
	lost     []LostProvider
	// bundles are the usable ones of all packages, by package and name. Until
	// they are put in order, their indices here stand in for their IDs.
	bundles []*bundleBlob
}

// build judges the blobs as a whole and makes the snapshot. Evaluating one rule on
// it may cost so much.
func build(ctx context.Context, c *contents, parser *constraints.Parser, evaluationCost int) (*Snapshot, error) {
	b := &builder{parser: parser, faults: c.faults}
	byName := groupByPackage(c)
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
	return NewSnapshot(parts), ctx.Err()
}

// quarantine returns the packages that cannot be used at all.
func (b *builder) quarantine(c *contents, byName map[string]*packageBlobs) map[string]bool {
	gone := map[string]bool{}
	for _, d := range c.damages {
		gone[d.pkg] = true
		f := origin{file: d.file}.fault(CodeDamagedFile,
			"the package is not used, because this file, which mentions it, cannot be read to its end: mend the file or remove it")
		f.Package, f.Quarantines = d.pkg, true
		b.faults = append(b.faults, f)
	}
	for name, blobs := range byName {
		for group, alike := range unify(blobs.stated, func(p *packageBlob) string { return p.name }, (*packageBlob).equal) {
			if alike {
				continue
			}
			gone[name] = true
			for i, blob := range group {
				b.duplicate(blob.origin, CodeDuplicatePackage, Fault{Package: name}, group[(i+1)%len(group)].origin)
			}
		}
	}
	return gone
}

// duplicate reports one of several blobs that share a name and differ.
func (b *builder) duplicate(at origin, code Code, place Fault, other origin) {
	where := "in this file"
	if other.file != at.file {
		where = "in " + other.file
	}
	if other.line > 0 {
		where += fmt.Sprintf(", line %d", other.line)
	}
	f := at.faultIn(place, code, "it is stated again, and differently, "+where+"; none of these is used: keep one")
	f.Quarantines = true
	b.faults = append(b.faults, f)
}

func (b *builder) addPackage(name string, blobs *packageBlobs) {
	if blobs.empty() {
		return // deprecations of nothing
	}
	p := &Package{Name: name}
	if len(blobs.stated) > 0 {
		p.DefaultChannel = blobs.stated[0].defaultChannel
	}
	bundles := b.addBundles(blobs.bundles)
	for group, alike := range unify(blobs.channels, func(c *channelBlob) string { return c.name }, (*channelBlob).equal) {
		c := b.addChannel(group, alike, bundles)
		c.Default = c.Name == p.DefaultChannel
		p.Channels = append(p.Channels, c)
	}
	b.checkDefault(p, blobs)
	b.deprecate(p, bundles, blobs.deprecations)
	b.packages = append(b.packages, p)
}

// checkDefault reports a package that has no usable default channel. It only
// loses that preference.
func (b *builder) checkDefault(p *Package, blobs *packageBlobs) {
	var f Fault
	switch {
	case len(blobs.stated) == 0:
		f = blobs.first().fault(CodePackageMissing, "the package has no olm.package blob, so none of its channels is preferred: add one with its name and default channel")
	case p.DefaultChannel == "":
		f = blobs.stated[0].fault(CodeDefaultChannel, "the package names no default channel, so none of its channels is preferred: set defaultChannel")
	case p.Channel(p.DefaultChannel) == nil:
		f = blobs.stated[0].fault(CodeDefaultChannel, fmt.Sprintf("the default channel %q does not exist, so none of the package's channels is preferred: name one that does", p.DefaultChannel))
	default:
		return
	}
	f.Package = p.Name
	b.faults = append(b.faults, f)
}

// bundleRange is the part of builder.bundles that belongs to a package.
type bundleRange struct{ from, to int }

// addBundles keeps the usable bundles of a package.
func (b *builder) addBundles(blobs []*bundleBlob) bundleRange {
	added := bundleRange{from: len(b.bundles)}
	for group, alike := range unify(blobs, func(b *bundleBlob) string { return b.name }, (*bundleBlob).equal) {
		if !alike {
			for i, blob := range group {
				b.lose(blob)
				b.duplicate(blob.origin, CodeDuplicateBundle, Fault{Package: blob.pkg, Bundle: blob.name}, group[(i+1)%len(group)].origin)
			}
			continue
		}
		if group[0].unusable {
			b.lose(group[0])
			continue
		}
		b.bundles = append(b.bundles, group[0])
	}
	added.to = len(b.bundles)
	return added
}

// find returns the index of a bundle, or NoBundle.
func (b *builder) find(in bundleRange, name string) ID {
	i, ok := slices.BinarySearchFunc(b.bundles[in.from:in.to], name, func(blob *bundleBlob, name string) int { return strings.Compare(blob.name, name) })
	if !ok {
		return NoBundle
	}
	return ID(in.from + i)
}

// lose notes what a quarantined bundle would provide, as far as it can be read.
func (b *builder) lose(blob *bundleBlob) {
	if blob.properties == nil {
		return
	}
	for _, api := range blob.properties.GVKs() {
		b.lost = append(b.lost, LostProvider{api, blob.pkg, blob.name})
	}
}
