package collect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Contents is what files say, blob by blob, before it is judged as a whole.
// Files and blobs may have come in any order.
type Contents struct {
	Packages     []*Package
	Channels     []*Channel
	Bundles      []*Bundle
	deprecations []*Deprecations
	Directories  []*Directory
	Damages      []damage
	Faults       []catalog.Fault
}

type Package struct {
	document.Origin
	Name           string
	DefaultChannel string
}

type Channel struct {
	document.Origin
	Name, Pkg string
	Entries   []Entry
	// Fault is why the channel cannot have an order, "" if nothing is against it.
	Fault string
}

type Entry struct {
	Name      string
	Replaces  string
	Skips     []string // sorted
	SkipRange string
}

type Bundle struct {
	document.Origin
	Name, Pkg, Image string

	Properties  *properties.Set
	Constraints []constraints.Constraint
	// Directory: it was read from a bundle directory, which has no image yet.
	Directory bool
	// Unusable: a fault quarantines the bundle.
	Unusable bool

	// Deprecation is filled in while building.
	Deprecation string
}

type Deprecations struct {
	document.Origin
	Pkg     string
	Entries []Deprecation
}

type Deprecation struct {
	Schema, Name string // of what is deprecated
	Message      string
}

// damage is a package that a file mentions which cannot be read to its end. What
// the rest of the file would have said of the package is not known.
type damage struct{ File, Pkg string }

// Append adds what another file says.
func (c *Contents) Append(other *Contents) {
	c.Packages = append(c.Packages, other.Packages...)
	c.Channels = append(c.Channels, other.Channels...)
	c.Bundles = append(c.Bundles, other.Bundles...)
	c.deprecations = append(c.deprecations, other.deprecations...)
	c.Directories = append(c.Directories, other.Directories...)
	c.Damages = append(c.Damages, other.Damages...)
	c.Faults = append(c.Faults, other.Faults...)
}

// Directory is what a bundle directory says of its place in a package.
type Directory struct {
	document.Origin
	Pkg            string
	Version        semver.Version
	Channels       []string
	DefaultChannel string
	Entry          Entry
}

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

// Name names a blob: a package's if channel and bundle are empty.
type Name struct{ Pkg, Channel, Bundle string }

// Origins returns where each blob stands; of several with one name the first.
func Origins(read *Contents) map[Name]document.Origin {
	places := make(map[Name]document.Origin, len(read.Packages)+len(read.Channels)+len(read.Bundles))
	put := func(key Name, at document.Origin) {
		if _, ok := places[key]; !ok {
			places[key] = at
		}
	}
	for _, p := range read.Packages {
		put(Name{Pkg: p.Name}, p.Origin)
	}
	for _, c := range read.Channels {
		put(Name{Pkg: c.Pkg, Channel: c.Name}, c.Origin)
	}
	for _, b := range read.Bundles {
		put(Name{Pkg: b.Pkg, Bundle: b.Name}, b.Origin)
	}
	return places
}
