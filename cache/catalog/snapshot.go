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
	bundles    []Bundle // in the order of preference
	candidates int
	packages   []*Package // by name

	// The inverted indexes.
	providers map[properties.GVK][]ID
	labeled   map[string][]ID
	byName    []ID // sorted by the bundles' names, then ascending

	faults      []Fault
	quarantined map[string][]Fault
	lost        []LostProvider

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
}

// NewSnapshot returns a snapshot of the parts, which then belong to it. It sets
// Package.Bundles and Bundle.Places.
func NewSnapshot(parts Parts) *Snapshot {
	s := &Snapshot{
		bundles: parts.Bundles, candidates: parts.Candidates, packages: parts.Packages, evaluationCost: parts.EvaluationCost,
	}
	if parts.Content != "" {
		s.content.Store(&parts.Content)
	}
	s.setBundles()
	s.setPlaces(&parts)
	s.index()
	s.setFaults(parts.Faults, parts.Lost)
	return s
}

// Len returns the number of bundles. Their IDs are 0 to Len()-1.
func (s *Snapshot) Len() int { return len(s.bundles) }

// Candidates returns the number of candidates of new requests and dependencies. Their IDs
// are 0 to Candidates()-1, in the order of preference: bundles in default channels first,
// and in each group by package, channel and distance from the head. The other bundles
// follow by package and name. They can only be found by name.
func (s *Snapshot) Candidates() int { return s.candidates }

// Bundle returns the bundle with the ID, nil if there is none.
func (s *Snapshot) Bundle(id ID) *Bundle {
	if id < 0 || int(id) >= len(s.bundles) {
		return nil
	}
	return &s.bundles[id]
}

// Package returns the package of that name, nil if there is none.
func (s *Snapshot) Package(name string) *Package {
	i, ok := slices.BinarySearchFunc(s.packages, name, func(p *Package, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return nil
	}
	return s.packages[i]
}

// Packages walks the packages by name.
func (s *Snapshot) Packages() iter.Seq[*Package] { return slices.Values(s.packages) }

// Providers returns the bundles that provide an API, ascending.
func (s *Snapshot) Providers(gvk properties.GVK) []ID { return s.providers[gvk] }

// Labeled returns the bundles that carry a label, ascending.
func (s *Snapshot) Labeled(label string) []ID { return s.labeled[label] }

// ByName returns all bundles, by their names and then ascending.
func (s *Snapshot) ByName() []ID { return s.byName }

// Named returns the bundles of that name, ascending, at most one per package.
func (s *Snapshot) Named(bundle string) []ID {
	compare := func(id ID, name string) int { return strings.Compare(s.bundles[id].Name, name) }
	from, ok := slices.BinarySearchFunc(s.byName, bundle, compare)
	if !ok {
		return nil
	}
	to := from + 1
	for to < len(s.byName) && s.bundles[s.byName[to]].Name == bundle {
		to++
	}
	return s.byName[from:to:to]
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

// OtherVersions returns the provided APIs with the group and kind of an API and another
// version, sorted.
func (s *Snapshot) OtherVersions(api properties.GVK) []properties.GVK {
	var list []properties.GVK
	for other := range s.providers {
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
	s.providers = map[properties.GVK][]ID{}
	s.labeled = map[string][]ID{}
	s.byName = make([]ID, len(s.bundles))
	for i := range s.bundles {
		id, set := ID(i), s.bundles[i].Properties
		for _, gvk := range set.GVKs() {
			s.providers[gvk] = append(s.providers[gvk], id)
		}
		for _, label := range set.Labels() {
			s.labeled[label] = append(s.labeled[label], id)
		}
		s.byName[i] = id
	}
	slices.SortFunc(s.byName, func(a, b ID) int {
		return cmp.Or(strings.Compare(s.bundles[a].Name, s.bundles[b].Name), int(a-b))
	})
	trim(s.providers)
	trim(s.labeled)
}

// setFaults sets the faults, and fills the index of those that quarantine.
func (s *Snapshot) setFaults(faults []Fault, lost []LostProvider) {
	s.faults, s.lost, s.quarantined = sortFaults(faults), sortLost(lost), map[string][]Fault{}
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
	restored := &Snapshot{
		bundles: s.bundles, candidates: s.candidates, packages: s.packages,
		providers: s.providers, labeled: s.labeled, byName: s.byName, evaluationCost: s.evaluationCost,
	}
	restored.setFaults(slices.Clone(faults), slices.Clone(lost))
	return restored
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
