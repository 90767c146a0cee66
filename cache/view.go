package cache

import (
	"iter"
	"slices"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Catalog is a catalog as a resolution sees it.
type Catalog struct {
	Key      catalog.Key
	Priority int
	Labels   map[string]string
	// Snapshot is what was read last without an error, nil if that never
	// happened.
	Snapshot *catalog.Snapshot
	// LoadedAt is when that was; zero if it is not known.
	LoadedAt time.Time
	// Stale says why the Snapshot is not newer, nil if nothing failed since it
	// was read.
	Stale error
	// Err says why the catalog is unhealthy, nil if it is healthy. It can be set
	// while there is a Snapshot, which is then out of date.
	Err error
	// Failures is how many attempts in a row failed; RetryAt is when [Cache.Run]
	// reads the catalog the next time, zero if it does not.
	Failures int
	RetryAt  time.Time
}

// Healthy reports whether the catalog may be resolved from.
func (c *Catalog) Healthy() bool { return c.Err == nil && c.Snapshot != nil }

// View is a list of catalogs at one time. It is immutable and safe for any
// number of goroutines.
type View struct{ catalogs []Catalog }

// NewView returns a view of the catalogs, sorted by Key. Of several with one Key
// the last counts. Labels must not be changed afterwards.
func NewView(catalogs []Catalog) *View {
	sorted := slices.Clone(catalogs)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Catalog) int { return a.Key.Compare(b.Key) })
	return &View{slices.CompactFunc(sorted, func(a, b Catalog) bool { return a.Key == b.Key })}
}

// Len is the number of catalogs.
func (v *View) Len() int { return len(v.catalogs) }

// Catalogs walks the catalogs by Key. They are shared: read them only.
func (v *View) Catalogs() iter.Seq[*Catalog] {
	return func(yield func(*Catalog) bool) {
		for i := range v.catalogs {
			if !yield(&v.catalogs[i]) {
				return
			}
		}
	}
}

// Catalog returns the catalog with the key, nil if there is none.
func (v *View) Catalog(key catalog.Key) *Catalog {
	i, ok := slices.BinarySearchFunc(v.catalogs, key, func(c Catalog, key catalog.Key) int { return c.Key.Compare(key) })
	if !ok {
		return nil
	}
	return &v.catalogs[i]
}
