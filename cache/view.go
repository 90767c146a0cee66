package cache

import (
	"errors"
	"iter"
	"maps"
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

// Changes returns the keys of the catalogs in which a resolution may see a
// difference between two views, in order: those that came, went, were read anew,
// rank differently, or became unhealthy or recovered. When they were read and how often
// they failed makes none, and two failures with one cause are the same.
func (v *View) Changes(from *View) []catalog.Key {
	var keys []catalog.Key
	for c := range v.Catalogs() {
		if before := from.Catalog(c.Key); before == nil || !c.resolvesAs(before) {
			keys = append(keys, c.Key)
		}
	}
	for c := range from.Catalogs() {
		if v.Catalog(c.Key) == nil {
			keys = append(keys, c.Key)
		}
	}
	slices.SortFunc(keys, catalog.Key.Compare)
	return keys
}

// resolvesAs reports whether a resolution distinguishes the catalogs.
func (c *Catalog) resolvesAs(other *Catalog) bool {
	return c.Snapshot == other.Snapshot && c.Priority == other.Priority &&
		maps.Equal(c.Labels, other.Labels) && sameCause(c.Err, other.Err)
}

// sameCause compares errors by their texts, without the age in the text of a
// *StaleError.
func sameCause(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	staleA, isA := errors.AsType[*StaleError](a)
	staleB, isB := errors.AsType[*StaleError](b)
	if isA && isB {
		return sameCause(staleA.Err, staleB.Err)
	}
	return isA == isB && a.Error() == b.Error()
}
