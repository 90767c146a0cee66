package catalog

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/properties"
)

// Packed is a catalog whose packages are unpacked when they are first needed:
// most requests touch few. All methods but Unpack may be called at any time, from
// any number of goroutines; Unpack is called once for each package, for one at a
// time.
type Packed interface {
	// Len is the number of bundles.
	Len() int
	// BundleName is the name of a bundle.
	BundleName(id ID) string
	// BundlePackage is the index of the package of a bundle.
	BundlePackage(id ID) int
	// Unpack completes the package with an index, which has its name and the IDs
	// of its bundles, and returns these bundles, without places.
	Unpack(i int, p *Package) []Bundle

	// Providers returns the bundles that provide each API, ascending.
	Providers() map[properties.GVK][]ID
	// Labeled returns the bundles that carry each label, ascending.
	Labeled() map[string][]ID
	// ByName returns all bundles, by name and then ascending.
	ByName() []ID
}

// unpacker unpacks each part of a Packed catalog once. Whoever finds a part ready
// may read it without a lock, since nothing is written to it any more.
type unpacker struct {
	Packed
	packages []*Package

	mu      sync.Mutex
	bundles []atomic.Pointer[Bundle] // nil if not unpacked
	ready   []atomic.Bool            // by package
}

// NewPacked returns a snapshot of a catalog that is unpacked as far as it is asked
// for. The packages of the parts have their names only; Parts.Bundles is not used.
func NewPacked(parts Parts, from Packed) *Snapshot {
	s := newSnapshot(parts)
	setBundles(s.packages, from.Len(), from.BundlePackage)
	s.packed = &unpacker{
		Packed: from, packages: s.packages,
		bundles: make([]atomic.Pointer[Bundle], from.Len()), ready: make([]atomic.Bool, len(s.packages)),
	}
	s.providers, s.labeled, s.byName = sync.OnceValue(from.Providers), sync.OnceValue(from.Labeled), sync.OnceValue(from.ByName)
	return s
}

// bundle returns a bundle, unpacked; nil if there is none with the ID.
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

// unpack makes sure that a package is unpacked.
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
