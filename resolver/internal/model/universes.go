package model

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/memo"
)

// Universes caches the Universe of each set of catalogs. It is safe for any number of
// goroutines.
type Universes struct{ kept memo.Memo[string, *Universe] }

// NewUniverses returns an empty cache.
func NewUniverses() *Universes {
	return &Universes{memo.Memo[string, *Universe]{Max: maxUniverses}}
}

// Get returns the Universe of the catalogs as the namespace sees them, with a span. A new one drops
// those with another snapshot of one of its catalogs, because they take memory.
func (u *Universes) Get(catalogs []*cache.Catalog, namespace string, span Span) *Universe {
	return u.kept.Value(identity(catalogs, namespace, span), func() *Universe {
		current := make(map[catalog.Key]*catalog.Snapshot, len(catalogs))
		for _, c := range catalogs {
			current[c.Key] = c.Snapshot
		}
		u.kept.Drop(func(old *Universe) bool {
			return slices.ContainsFunc(old.Catalogs, func(c Catalog) bool {
				snapshot, ok := current[c.Key]
				return ok && snapshot != c.Snapshot
			})
		})
		return newUniverse(catalogs, namespace, span)
	})
}

// identity returns a key for a set of catalogs. It has the addresses of snapshots: the
// cached Universe keeps its snapshots alive, so no address is used twice.
func identity(catalogs []*cache.Catalog, namespace string, span Span) string {
	var buffer [256]byte // most sets need no more
	id := buffer[:0]
	for _, is := range []bool{span.ByChannel, span.OneInCluster} {
		if is {
			id = append(id, 1)
		} else {
			id = append(id, 0)
		}
	}
	for _, c := range catalogs {
		id = binary.LittleEndian.AppendUint64(id, uint64(reflect.ValueOf(c.Snapshot).Pointer()))
		id = binary.LittleEndian.AppendUint64(id, uint64(c.Priority))
		id = append(id, c.Key.Namespace...)
		id = append(id, 0)
		id = append(id, c.Key.Name...)
		id = append(id, 0, byte(foreign(c.Key, namespace)))
	}
	return string(id)
}
