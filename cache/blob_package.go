package cache

import (
	"cmp"
	"slices"
	"strings"
)

// packageBlobs are all blobs that speak of one package.
type packageBlobs struct {
	stated       []*packageBlob
	channels     []*channelBlob
	bundles      []*bundleBlob
	deprecations []*deprecationsBlob
}

// groupByPackage returns the blobs of each package.
func groupByPackage(c *contents) map[string]*packageBlobs {
	byName := map[string]*packageBlobs{}
	of := func(name string) *packageBlobs {
		blobs, ok := byName[name]
		if !ok {
			blobs = &packageBlobs{}
			byName[name] = blobs
		}
		return blobs
	}
	for _, blob := range c.packages {
		p := of(blob.name)
		p.stated = append(p.stated, blob)
	}
	for _, blob := range c.channels {
		p := of(blob.pkg)
		p.channels = append(p.channels, blob)
	}
	for _, blob := range c.bundles {
		p := of(blob.pkg)
		p.bundles = append(p.bundles, blob)
	}
	for _, blob := range c.deprecations {
		p := of(blob.pkg)
		p.deprecations = append(p.deprecations, blob)
	}
	return byName
}

// empty reports whether there is nothing but deprecations.
func (p *packageBlobs) empty() bool { return len(p.stated)+len(p.channels)+len(p.bundles) == 0 }

// first is where the package is first mentioned.
func (p *packageBlobs) first() origin {
	var all []origin
	for _, stated := range p.stated {
		all = append(all, stated.origin)
	}
	for _, d := range p.deprecations {
		all = append(all, d.origin)
	}
	for _, c := range p.channels {
		all = append(all, c.origin)
	}
	for _, bundle := range p.bundles {
		all = append(all, bundle.origin)
	}
	return slices.MinFunc(all, func(a, b origin) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
}
