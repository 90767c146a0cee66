package candidate

import (
	"encoding/binary"
	"reflect"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// maxUniverses bounds how many sets of catalogs a Resolver keeps derived data
// for. Namespaces that see the same catalogs share one.
const maxUniverses = 64

// Universes remembers the universe of each set of catalogs. A changed snapshot
// makes another set; the oldest is forgotten when there are too many.
type Universes struct {
	mu    sync.Mutex
	known map[string]*Universe
	age   []string
}

// Get returns the universe of the catalogs as the namespace sees them.
func (u *Universes) Get(catalogs []cache.Catalog, namespace string) *Universe {
	id := identity(catalogs, namespace)
	u.mu.Lock()
	defer u.mu.Unlock()
	if known, ok := u.known[string(id)]; ok {
		return known
	}
	made := newUniverse(catalogs, namespace)
	if u.known == nil {
		u.known = make(map[string]*Universe)
	}
	u.forget(made)
	if len(u.age) == maxUniverses {
		delete(u.known, u.age[0])
		u.age = append(u.age[:0], u.age[1:]...)
	}
	u.known[string(id)] = made
	u.age = append(u.age, string(id))
	return made
}

// forget drops what is known of snapshots that another one of the same catalog
// has taken the place of: as long as they are known, they take memory.
func (u *Universes) forget(made *Universe) {
	current := make(map[catalog.Key]*catalog.Snapshot, len(made.Catalogs))
	for _, c := range made.Catalogs {
		current[c.Key] = c.Snapshot
	}
	u.age = slices.DeleteFunc(u.age, func(id string) bool {
		old := slices.ContainsFunc(u.known[id].Catalogs, func(c Catalog) bool {
			snapshot, ok := current[c.Key]
			return ok && snapshot != c.Snapshot
		})
		if old {
			delete(u.known, id)
		}
		return old
	})
}

// identity tells sets of catalogs apart. Snapshots are compared by address: the
// remembered universe keeps them alive, so an address is not used twice.
func identity(catalogs []cache.Catalog, namespace string) []byte {
	id := make([]byte, 0, 1+64*len(catalogs))
	if namespace == "" {
		id = append(id, 1)
	}
	for _, c := range catalogs {
		id = binary.LittleEndian.AppendUint64(id, uint64(reflect.ValueOf(c.Snapshot).Pointer()))
		id = binary.LittleEndian.AppendUint64(id, uint64(c.Priority))
		id = append(id, c.Key.Namespace...)
		id = append(id, 0)
		id = append(id, c.Key.Name...)
		id = append(id, 0, byte(foreign(c.Key, namespace)))
	}
	return id
}
