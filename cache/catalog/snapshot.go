// Package catalog holds the content of a catalog as plain data. A [Snapshot] has packages,
// channels, entries and bundles, the order in which bundles are preferred, inverted indexes
// for the questions of resolution, and the faults of the catalog. It also evaluates
// constraints on all bundles, and caches the results.
//
// Package cache reads, builds and refreshes catalogs.
package catalog

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/resolvent/resolvent/properties"
)

// Snapshot is a catalog as it was read at one time. It is immutable, except for its cache of
// results, and safe for any number of goroutines. Slices that its methods return are
// shared: read them only. The zero value is a catalog without anything.
type Snapshot struct {
	// bundles are in the order of preference; empty if they are packed.
	bundles    []Bundle
	candidates int
	packages   []*Package // by name

	// The inverted indexes. If bundles are packed, the first call makes them.
	providers func() map[properties.GVK][]ID
	labeled   func() map[string][]ID
	byName    func() []ID // sorted by the bundles' names, then ascending

	faults      []Fault
	quarantined map[string][]Fault
	lost        []LostProvider

	// packed unpacks bundles, packages and the indexes above when they are first needed. It
	// is nil if all are there.
	packed *unpacker

	content atomic.Pointer[string] // see Content
	results results
	// evaluationCost is Limits.EvaluationCost, 0 without a limit.
	evaluationCost uint64
}

// Parts are the parts of a Snapshot.
type Parts struct {
	// Bundles are by ID, those of Candidates first.
	Bundles    []Bundle
	Candidates int
	// Packages are sorted by name.
	Packages []*Package
	Faults   []Fault
	Lost     []LostProvider
	// EvaluationCost is Limits.EvaluationCost, 0 without a limit.
	EvaluationCost uint64
	// Content is the result of Snapshot.Content, empty if it is unknown.
	Content string
	// Packed, if set, takes the place of Bundles, and the packages have only their names.
	Packed Packed
}

// NewSnapshot returns a snapshot of the parts, which then belong to it. It sets
// Package.Bundles and Bundle.Places.
func NewSnapshot(parts Parts) *Snapshot {
	s := newSnapshot(parts)
	if parts.Packed != nil {
		s.unpack(parts.Packed)
		return s
	}
	packages := make(map[string]int, len(s.packages))
	for i, p := range s.packages {
		packages[p.Name] = i
	}
	setBundles(s.packages, len(s.bundles), func(id ID) int { return packages[s.bundles[id].Package] })
	for _, p := range s.packages {
		setPlaces(p, s.Bundle)
	}
	s.index()
	return s
}

func newSnapshot(parts Parts) *Snapshot {
	s := &Snapshot{
		bundles: parts.Bundles, candidates: parts.Candidates, packages: parts.Packages,
		faults: sortFaults(parts.Faults), lost: sortLost(parts.Lost), evaluationCost: parts.EvaluationCost,
	}
	if parts.Content != "" {
		s.content.Store(&parts.Content)
	}
	s.indexFaults()
	return s
}

// Len returns the number of bundles. Their IDs are 0 to Len()-1.
func (s *Snapshot) Len() int {
	if s.packed != nil {
		return s.packed.Len()
	}
	return len(s.bundles)
}

// Candidates returns the number of candidates of new requests and dependencies. Their IDs
// are 0 to Candidates()-1, in the order of preference: bundles in default channels first,
// and in each group by package, channel and distance from the head. The other bundles
// follow by package and name. They can only be found by name.
func (s *Snapshot) Candidates() int { return s.candidates }

// Bundle returns the bundle with the ID, nil if there is none.
func (s *Snapshot) Bundle(id ID) *Bundle {
	if id >= 0 && int(id) < len(s.bundles) {
		return &s.bundles[id]
	}
	if s.packed == nil {
		return nil
	}
	return s.packed.bundle(id)
}

// Package returns the package of that name, nil if there is none.
func (s *Snapshot) Package(name string) *Package {
	i, ok := slices.BinarySearchFunc(s.packages, name, func(p *Package, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return nil
	}
	if s.packed != nil {
		s.packed.unpack(i)
	}
	return s.packages[i]
}

// Packages walks the packages by name.
func (s *Snapshot) Packages() iter.Seq[*Package] {
	return func(yield func(*Package) bool) {
		for i, p := range s.packages {
			if s.packed != nil {
				s.packed.unpack(i)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// Providers returns the bundles that provide an API, ascending.
func (s *Snapshot) Providers(gvk properties.GVK) []ID {
	return made(s.providers)[gvk]
}

// Labeled returns the bundles that carry a label, ascending.
func (s *Snapshot) Labeled(label string) []ID {
	return made(s.labeled)[label]
}

// made returns an index, the zero value where there is none.
func made[T any](index func() T) (of T) {
	if index != nil {
		of = index()
	}
	return of
}

// ByName returns all bundles, by their names and then ascending.
func (s *Snapshot) ByName() []ID { return made(s.byName) }

// Named returns the bundles of that name, ascending, at most one per package.
func (s *Snapshot) Named(bundle string) []ID {
	byName := s.ByName()
	compare := func(id ID, name string) int { return strings.Compare(s.nameOf(id), name) }
	from, ok := slices.BinarySearchFunc(byName, bundle, compare)
	if !ok {
		return nil
	}
	to := from + 1
	for to < len(byName) && s.nameOf(byName[to]) == bundle {
		to++
	}
	return byName[from:to:to]
}

// Find returns the bundle of a package by its name, nil if there is none.
func (s *Snapshot) Find(pkg, bundle string) *Bundle {
	for _, id := range s.Named(bundle) {
		if b := s.Bundle(id); b.Package == pkg {
			return b
		}
	}
	return nil
}

// nameOf returns the name of a bundle without unpacking it.
func (s *Snapshot) nameOf(id ID) string {
	if s.packed != nil {
		return s.packed.BundleName(id)
	}
	return s.bundles[id].Name
}

// OtherVersions returns the provided APIs with the group and kind of an API and another
// version, sorted.
func (s *Snapshot) OtherVersions(api properties.GVK) []properties.GVK {
	var list []properties.GVK
	for other := range made(s.providers) {
		if other != api && other.Group == api.Group && other.Kind == api.Kind {
			list = append(list, other)
		}
	}
	slices.SortFunc(list, properties.GVK.Compare)
	return list
}

// Faults returns all faults of the catalog, sorted by place.
func (s *Snapshot) Faults() []Fault { return s.faults }

// Quarantined returns the faults that quarantine the package, or bundles or channels of it.
// They have no places in files, so that answers do not depend on the files of a catalog.
func (s *Snapshot) Quarantined(pkg string) []Fault { return s.quarantined[pkg] }

// index fills the inverted indexes from the bundles.
func (s *Snapshot) index() {
	providers := map[properties.GVK][]ID{}
	labeled := map[string][]ID{}
	byName := make([]ID, len(s.bundles))
	for i := range s.bundles {
		id, set := ID(i), s.bundles[i].Properties
		for _, gvk := range set.GVKs() {
			providers[gvk] = append(providers[gvk], id)
		}
		for _, label := range set.Labels() {
			labeled[label] = append(labeled[label], id)
		}
		byName[i] = id
	}
	slices.SortFunc(byName, func(a, b ID) int {
		return cmp.Or(strings.Compare(s.bundles[a].Name, s.bundles[b].Name), int(a-b))
	})
	trim(providers)
	trim(labeled)
	s.providers = func() map[properties.GVK][]ID { return providers }
	s.labeled = func() map[string][]ID { return labeled }
	s.byName = func() []ID { return byName }
}

// indexFaults fills the index of faults that quarantine.
func (s *Snapshot) indexFaults() {
	s.quarantined = map[string][]Fault{}
	for _, f := range s.faults {
		if f.Quarantines && f.Package != "" {
			s.quarantined[f.Package] = append(s.quarantined[f.Package], f.WithoutFile())
		}
	}
	for pkg, list := range s.quarantined {
		s.quarantined[pkg] = sortFaults(list)
	}
}

// trim frees memory that append allocated ahead.
func trim[K comparable](m map[K][]ID) {
	for key, list := range m {
		m[key] = slices.Clip(slices.Clone(list))
	}
}

// WithFaults returns the same catalog with other faults and lost providers. It is for a
// catalog that was rendered from a Snapshot and read again: the copy no longer has the
// faults of its source.
func (s *Snapshot) WithFaults(faults []Fault, lost []LostProvider) *Snapshot {
	restored := newSnapshot(Parts{
		Bundles: s.allBundles(), Candidates: s.candidates, Packages: slices.Collect(s.Packages()),
		Faults: slices.Clone(faults), Lost: slices.Clone(lost),
	})
	restored.index()
	return restored
}

// allBundles returns the bundles by ID.
func (s *Snapshot) allBundles() []Bundle {
	if s.packed == nil {
		return s.bundles
	}
	all := make([]Bundle, s.Len())
	for id := range all {
		all[id] = *s.packed.bundle(ID(id))
	}
	return all
}

// LostProvider is a quarantined bundle that states that it provides an API.
type LostProvider struct {
	API             properties.GVK `yaml:",inline"`
	Package, Bundle string
}

// LostProviders returns the APIs of quarantined bundles, sorted by API, package and name.
func (s *Snapshot) LostProviders() []LostProvider { return s.lost }

func sortLost(list []LostProvider) []LostProvider {
	slices.SortFunc(list, func(a, b LostProvider) int {
		return cmp.Or(a.API.Compare(b.API), cmp.Compare(a.Package, b.Package), cmp.Compare(a.Bundle, b.Bundle))
	})
	return slices.Compact(list)
}
