package catalog

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/properties"
)

// Packed is a catalog whose packages are unpacked when they are first needed: most requests
// need few. All methods but Unpack are safe for any number of goroutines. Unpack is called
// once per package, for one package at a time.
type Packed interface {
	// Len returns the number of bundles.
	Len() int
	// BundleName returns the name of a bundle.
	BundleName(id ID) string
	// BundlePackage returns the index of the package of a bundle.
	BundlePackage(id ID) int
	// Unpack completes the package with an index, which has only its name and the IDs of
	// its bundles. It returns these bundles without places.
	Unpack(i int, p *Package) []Bundle

	// Providers returns the bundles that provide each API, ascending.
	Providers() map[properties.GVK][]ID
	// Labeled returns the bundles that carry each label, ascending.
	Labeled() map[string][]ID
	// ByName returns all bundles, by name and then ascending.
	ByName() []ID
}

// unpacker unpacks each package of a Packed catalog once. A package that is ready is
// immutable, and so read without a lock.
type unpacker struct {
	Packed
	packages []*Package

	mu      sync.Mutex
	bundles []atomic.Pointer[Bundle] // nil if not unpacked
	ready   []atomic.Bool            // by package
}

// unpack makes s a snapshot of a Packed catalog.
func (s *Snapshot) unpack(from Packed) {
	setBundles(s.packages, from.Len(), from.BundlePackage)
	s.packed = &unpacker{
		Packed: from, packages: s.packages,
		bundles: make([]atomic.Pointer[Bundle], from.Len()), ready: make([]atomic.Bool, len(s.packages)),
	}
	s.providers, s.labeled, s.byName = sync.OnceValue(from.Providers), sync.OnceValue(from.Labeled), sync.OnceValue(from.ByName)
}

// bundle returns a bundle, nil if the ID has none. It unpacks the package if necessary.
func (u *unpacker) bundle(id ID) *Bundle {
	if id < 0 || int(id) >= len(u.bundles) {
		return nil
	}
	b := u.bundles[id].Load()
	if b == nil {
		u.unpack(u.BundlePackage(id))
		b = u.bundles[id].Load()
	}
	return b
}

// unpack unpacks a package unless that is ready.
func (u *unpacker) unpack(i int) {
	if u.ready[i].Load() {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ready[i].Load() {
		return
	}
	p := u.packages[i]
	bundles := u.Unpack(i, p)
	setPlaces(p, func(id ID) *Bundle {
		b, _ := slices.BinarySearch(p.Bundles, id)
		return &bundles[b]
	})
	for b, id := range p.Bundles {
		u.bundles[id].Store(&bundles[b])
	}
	u.ready[i].Store(true)
}
