package collect

import (
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
