package catalog

import (
	"cmp"
	"iter"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// ID is the index of a bundle in its snapshot. A lower ID is preferred.
type ID int32

// NoBundle is the ID of a channel entry that has no usable bundle.
const NoBundle ID = -1

// BundleKey identifies a bundle.
type BundleKey struct {
	Name    string `json:"bundle"`
	Package string `json:"package"`
	// Catalog is empty where there is only one, and for what is installed.
	Catalog Key `json:",embed,inline"`
}

// Key identifies the bundle in its catalog.
func (b *Bundle) Key(in Key) BundleKey { return BundleKey{b.Name, b.Package, in} }

// Bundle is one version of an operator in one package of a catalog.
type Bundle struct {
	Name    string
	Package string
	Image   string
	Version semver.Version
	Release properties.Release

	Properties  *properties.Set
	Constraints []constraints.Constraint

	// Places are the channel entries that make the bundle a candidate, best first. A bundle
	// without places can only be found by its name.
	Places []Place

	// Deprecation is the message of olm.deprecations, "" if there is none.
	Deprecation string
}

// Place identifies an entry of a channel. The zero Place identifies none.
type Place struct {
	Channel *Channel
	// Entry is an index into Channel.Entries.
	Entry int
}

// At returns the entry, nil for the zero Place.
func (p Place) At() *Entry {
	if p.Channel == nil {
		return nil
	}
	return &p.Channel.Entries[p.Entry]
}

// Places walks the places of candidates in the order of preference.
func (p *Parts) Places() iter.Seq[Place] { return placesIn(p.Packages...) }

func placesIn(packages ...*Package) iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for _, isDefault := range []bool{true, false} {
			for _, p := range packages {
				for _, c := range p.Channels {
					if c.Default != isDefault {
						continue
					}
					for at := range c.Chain() {
						if at.At().Candidate() && !yield(at) {
							return
						}
					}
				}
			}
		}
	}
}

// Key identifies a catalog. Namespace is empty for catalogs of the whole cluster.
type Key struct {
	Name      string `json:"catalog"`
	Namespace string `json:"catalogNamespace"`
}

// String is for display only.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// Compare orders by namespace, then by name.
func (k Key) Compare(other Key) int {
	return cmp.Or(strings.Compare(k.Namespace, other.Namespace), strings.Compare(k.Name, other.Name))
}

// setPlaces sets the places of the bundles of a package, best first.
func setPlaces(p *Package, bundle func(ID) *Bundle) {
	counts, total := make(map[ID]int, len(p.Bundles)), 0
	for place := range placesIn(p) {
		counts[place.At().Bundle]++
		total++
	}
	all := make([]Place, total) // one piece of memory for all bundles
	for place := range placesIn(p) {
		b := bundle(place.At().Bundle)
		if b.Places == nil {
			n := counts[place.At().Bundle]
			b.Places, all = all[:0:n], all[n:]
		}
		b.Places = append(b.Places, place)
	}
}

// setBundles sets Package.Bundles of all packages.
func setBundles(packages []*Package, n int, packageOf func(ID) int) {
	counts, all := make([]int, len(packages)), make([]ID, n)
	for id := range ID(n) {
		counts[packageOf(id)]++
	}
	for i, p := range packages {
		p.Bundles, all = all[:0:counts[i]], all[counts[i]:]
	}
	for id := range ID(n) {
		p := packages[packageOf(id)]
		p.Bundles = append(p.Bundles, id)
	}
}
