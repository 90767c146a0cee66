package cache

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Key identifies a catalog. Namespace is empty for catalogs of the whole cluster.
type Key = catalog.Key

// Catalog is a catalog of a View.
type Catalog struct {
	Key      Key
	Priority int
	Labels   map[string]string
	// Snapshot is the result of the last successful reading, nil if there was none.
	Snapshot *catalog.Snapshot
	// LoadedAt is the time of that reading, zero if unknown.
	LoadedAt time.Time
	// Stale is the error of the last reading if that failed and there is a Snapshot.
	Stale error
	// Err says why the catalog is unhealthy, nil if it is healthy. With a Snapshot, it means
	// that the Snapshot is out of date.
	Err error
	// Failures is the number of failed attempts in a row. RetryAt is the time of the next
	// reading by [Cache.Run], zero without one.
	Failures int
	RetryAt  time.Time
}

// Healthy reports whether resolution may use the catalog.
func (c *Catalog) Healthy() bool { return c.Err == nil && c.Snapshot != nil }

// View is the catalogs at one time; a nil View has none. It is immutable and safe for any number of
// goroutines.
type View struct{ catalogs []Catalog }

// NewView returns a view of the catalogs. Of several with one Key the last counts. The
// caller must not change Labels afterwards.
func NewView(catalogs []Catalog) *View {
	sorted := slices.Clone(catalogs)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Catalog) int { return a.Key.Compare(b.Key) })
	return &View{slices.CompactFunc(sorted, func(a, b Catalog) bool { return a.Key == b.Key })}
}

// Catalogs walks the catalogs in the order of keys. They are shared: read them only.
func (v *View) Catalogs() iter.Seq[*Catalog] {
	return func(yield func(*Catalog) bool) {
		for i := 0; v != nil && i < len(v.catalogs); i++ {
			if !yield(&v.catalogs[i]) {
				return
			}
		}
	}
}

// Catalog returns the catalog with the key, nil if there is none.
func (v *View) Catalog(key catalog.Key) *Catalog {
	if v == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(v.catalogs, key, func(c Catalog, key catalog.Key) int { return c.Key.Compare(key) })
	if !ok {
		return nil
	}
	return &v.catalogs[i]
}

// Changes returns the keys, in order, of the catalogs that differ for a resolution between
// two views. They were added, removed or read again, have another priority or other labels,
// became unhealthy or recovered. Times and numbers of failures do not count, nor do two
// failures with one cause.
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

// resolvesAs reports whether the catalogs are equal for a resolution.
func (c *Catalog) resolvesAs(other *Catalog) bool {
	return c.Snapshot == other.Snapshot && c.Priority == other.Priority &&
		maps.Equal(c.Labels, other.Labels) && sameCause(c.Err, other.Err)
}

// sameCause compares errors by text. Of a *StaleError it compares the cause, because the text
// has an age.
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
