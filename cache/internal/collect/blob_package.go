package collect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/document"
)

// Blobs are all blobs that speak of one package.
type Blobs struct {
	Stated       []*Package
	Channels     []*Channel
	Bundles      []*Bundle
	Deprecations []*Deprecations
}

// ByPackage returns the blobs of each package.
func ByPackage(c *Contents) map[string]*Blobs {
	byName := map[string]*Blobs{}
	of := func(name string) *Blobs {
		blobs, ok := byName[name]
		if !ok {
			blobs = &Blobs{}
			byName[name] = blobs
		}
		return blobs
	}
	for _, blob := range c.Packages {
		p := of(blob.Name)
		p.Stated = append(p.Stated, blob)
	}
	for _, blob := range c.Channels {
		p := of(blob.Pkg)
		p.Channels = append(p.Channels, blob)
	}
	for _, blob := range c.Bundles {
		p := of(blob.Pkg)
		p.Bundles = append(p.Bundles, blob)
	}
	for _, blob := range c.deprecations {
		p := of(blob.Pkg)
		p.Deprecations = append(p.Deprecations, blob)
	}
	return byName
}

// Empty reports whether there is nothing but deprecations.
func (p *Blobs) Empty() bool { return len(p.Stated)+len(p.Channels)+len(p.Bundles) == 0 }

// First is where the package is first mentioned.
func (p *Blobs) First() document.Origin {
	var all []document.Origin
	for _, stated := range p.Stated {
		all = append(all, stated.Origin)
	}
	for _, d := range p.Deprecations {
		all = append(all, d.Origin)
	}
	for _, c := range p.Channels {
		all = append(all, c.Origin)
	}
	for _, bundle := range p.Bundles {
		all = append(all, bundle.Origin)
	}
	return slices.MinFunc(all, func(a, b document.Origin) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
