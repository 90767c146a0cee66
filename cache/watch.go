package cache

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Watch walks the catalogs as they change: the view of now first, then, until ctx
// ends, each view that has Changes against the one before. Views that follow each
// other faster than they are used are passed over. A catalog that becomes older
// than [CacheOptions].MaxStale is noticed when it has been tried the next time.
func (c *Cache) Watch(ctx context.Context) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		var last *View
		for ctx.Err() == nil {
			view, published := c.nextView()
			if last == nil || len(view.Changes(last)) > 0 {
				if !yield(view) {
					return
				}
				last = view
			}
			select {
			case <-ctx.Done():
			case <-published:
			}
		}
	}
}

// nextView returns the view, and a channel that is closed when there is another.
func (c *Cache) nextView() (*View, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.published == nil {
		c.published = make(chan struct{})
	}
	return c.view.Load(), c.published
}

// Changes returns the keys of the catalogs in which a resolution may see a
// difference between two views, in order: those that came, went, were read anew,
// rank differently, or fell ill or recovered. When they were read and how often
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

// resolvesAs reports whether a resolution can tell the catalogs apart.
func (c *Catalog) resolvesAs(other *Catalog) bool {
	return c.Snapshot == other.Snapshot && c.Priority == other.Priority &&
		maps.Equal(c.Labels, other.Labels) && sameCause(c.Err, other.Err)
}

// sameCause compares errors by their texts, without the age that the text of a
// *StaleError tells.
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
