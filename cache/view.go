package cache

import (
	"iter"
	"slices"
)

// Catalog is one catalog as it stands in a View.
type Catalog struct {
	Key      Key
	Priority int
	Labels   map[string]string
	// Snapshot is the content that was read last, nil if there is none.
	Snapshot *Snapshot
	// Err says why the catalog is unhealthy, nil if it is not.
	Err error
}

// View is a set of catalogs at one time, in the order of their keys. It is
// immutable and safe for any number of goroutines.
type View struct{ catalogs []Catalog }

// NewView returns a view of the catalogs, in any order. Of several with one key
// the last counts.
func NewView(catalogs []Catalog) *View {
	sorted := slices.Clone(catalogs)
	slices.SortStableFunc(sorted, func(a, b Catalog) int { return a.Key.Compare(b.Key) })
	v := &View{catalogs: make([]Catalog, 0, len(sorted))}
	for i, c := range sorted {
		if i+1 == len(sorted) || sorted[i+1].Key != c.Key {
			v.catalogs = append(v.catalogs, c)
		}
	}
	return v
}

// All walks the catalogs in the order of their keys.
func (v *View) All() iter.Seq[Catalog] { return slices.Values(v.catalogs) }

// Get returns the catalog with the key.
func (v *View) Get(k Key) (Catalog, bool) {
	i, ok := slices.BinarySearchFunc(v.catalogs, k, func(c Catalog, k Key) int { return c.Key.Compare(k) })
	if !ok {
		return Catalog{}, false
	}
	return v.catalogs[i], true
}
