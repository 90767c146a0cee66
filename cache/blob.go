package cache

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// contents is what files say, blob by blob, before it is judged as a whole.
// Files and blobs may have come in any order.
type contents struct {
	packages     []*packageBlob
	channels     []*channelBlob
	bundles      []*bundleBlob
	deprecations []*deprecationsBlob
	directories  []*directoryBundle
	damages      []damage
	faults       []Fault
}

type packageBlob struct {
	origin
	name           string
	defaultChannel string
}

type channelBlob struct {
	origin
	name, pkg string
	entries   []entryBlob
	// fault is why the channel cannot have an order, "" if nothing is against it.
	fault string
}

type entryBlob struct {
	name      string
	replaces  string
	skips     []string // sorted
	skipRange string
}

type bundleBlob struct {
	origin
	name, pkg, image string

	properties  *properties.Set
	constraints []constraints.Constraint
	// directory: it was read from a bundle directory, which has no image yet.
	directory bool
	// unusable: a fault quarantines the bundle.
	unusable bool

	// deprecation is filled in while building.
	deprecation string
}

type deprecationsBlob struct {
	origin
	pkg     string
	entries []deprecation
}

type deprecation struct {
	schema, name string // of what is deprecated
	message      string
}

// damage is a package that a file mentions which cannot be read to its end. What
// the rest of the file would have said of the package is not known.
type damage struct{ file, pkg string }

// append adds what another file says.
func (c *contents) append(other *contents) {
	c.packages = append(c.packages, other.packages...)
	c.channels = append(c.channels, other.channels...)
	c.bundles = append(c.bundles, other.bundles...)
	c.deprecations = append(c.deprecations, other.deprecations...)
	c.directories = append(c.directories, other.directories...)
	c.damages = append(c.damages, other.damages...)
	c.faults = append(c.faults, other.faults...)
}

// directoryBundle is what a bundle directory says of its place in a package.
type directoryBundle struct {
	origin
	pkg            string
	version        semver.Version
	channels       []string
	defaultChannel string
	entry          entryBlob
}
