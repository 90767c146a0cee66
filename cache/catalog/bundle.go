package catalog

import (
	"cmp"
	"encoding/json"
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
	Name    string
	Package string
	// Catalog is empty where there is only one, and for what is installed.
	Catalog Key
}

// String returns the name, and the catalog if there is one. It is for display only.
func (k BundleKey) String() string {
	if k.Catalog == (Key{}) {
		return k.Name
	}
	return k.Name + " from " + k.Catalog.String()
}

// MarshalJSON writes the names of the bundle, its package and its catalog side by side.
func (k BundleKey) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Bundle  string `json:"bundle"`
		Package string `json:"package"`
		Key
	}{k.Name, k.Package, k.Catalog})
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
func (p *Parts) Places() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for _, isDefault := range []bool{true, false} {
			for _, pkg := range p.Packages {
				for _, c := range pkg.Channels {
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

// ParseKey reads NAMESPACE/NAME, or NAME for a catalog of OLM v1, as files name catalogs.
func ParseKey(text string) Key {
	if namespace, name, ok := strings.Cut(text, "/"); ok {
		return Key{Namespace: namespace, Name: name}
	}
	return Key{Name: text}
}

// String writes what ParseKey reads.
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

// setPlaces sets the places of the bundles, best first.
func (s *Snapshot) setPlaces(parts *Parts) {
	counts, total := make([]int, len(s.bundles)), 0
	for place := range parts.Places() {
		counts[place.At().Bundle]++
		total++
	}
	all := make([]Place, total) // one piece of memory for all bundles
	for place := range parts.Places() {
		id := place.At().Bundle
		b := &s.bundles[id]
		if b.Places == nil {
			b.Places, all = all[:0:counts[id]], all[counts[id]:]
		}
		b.Places = append(b.Places, place)
	}
}

// setBundles sets Package.Bundles of all packages.
func (s *Snapshot) setBundles() {
	packages := make(map[string]int, len(s.packages))
	for i, p := range s.packages {
		packages[p.Name] = i
	}
	packageOf := make([]int, len(s.bundles)) // the packages of the bundles
	counts, all := make([]int, len(s.packages)), make([]ID, len(s.bundles))
	for id := range packageOf {
		packageOf[id] = packages[s.bundles[id].Package]
		counts[packageOf[id]]++
	}
	for i, p := range s.packages {
		p.Bundles, all = all[:0:counts[i]], all[counts[i]:]
	}
	for id, i := range packageOf {
		p := s.packages[i]
		p.Bundles = append(p.Bundles, ID(id))
	}
}
