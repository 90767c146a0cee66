// Package memo caches computed values: [Memo] by key and within bounds, [Once] a single one.
package memo

import "sync"

// Memo caches values by key, at most twice Max of them. A full young half becomes the old
// half, and the old half is dropped. A value that is read from the old half moves to the
// young one. The zero Memo has no bound. It is safe for any number of goroutines: racing
// ones may compute a value twice, but all get the same one.
type Memo[K comparable, V any] struct {
	// Max bounds one half: the number of values, or the sum of their weights.
	Max int
	// Weigh returns the weight of a value; nil means 1.
	Weigh func(V) int

	mu         sync.Mutex
	young, old map[K]V
	weight     int // of the young half
}

// Get returns the cached value for key, or computes and caches it. Errors are not cached.
func (m *Memo[K, V]) Get(key K, compute func() (V, error)) (V, error) {
	if v, ok := m.find(key); ok {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept, ok := m.young[key]; ok {
		return kept, nil
	}
	m.keep(key, v)
	return v, nil
}

// Value is [Memo.Get] for a computation that cannot fail.
func (m *Memo[K, V]) Value(key K, compute func() V) V {
	if v, ok := m.find(key); ok {
		return v
	}
	v, _ := m.Get(key, func() (V, error) { return compute(), nil })
	return v
}

// Drop removes the values that are stale.
func (m *Memo[K, V]) Drop(stale func(V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, half := range []map[K]V{m.young, m.old} {
		for key, v := range half {
			if stale(v) {
				delete(half, key)
			}
		}
	}
}

func (m *Memo[K, V]) find(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.young[key]; ok {
		return v, true
	}
	v, ok := m.old[key]
	if ok {
		m.keep(key, v)
	}
	return v, ok
}

func (m *Memo[K, V]) keep(key K, v V) {
	weight := 1
	if m.Weigh != nil {
		weight = m.Weigh(v)
	}
	if m.young == nil || m.Max > 0 && m.weight+weight > m.Max {
		m.old, m.young, m.weight = m.young, make(map[K]V), 0
	}
	m.young[key] = v
	m.weight += weight
}
