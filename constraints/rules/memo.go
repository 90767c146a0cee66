package rules

import "sync"

// memo caches one value per text, so that thousands of bundles share equal ranges and
// rules, each compiled once. A full memo caches no new texts: they are no more likely to
// repeat than the first ones.
type memo[V any] struct {
	maxEntries, maxBytes int

	mu      sync.RWMutex
	entries map[string]outcome[V]
	bytes   int
}

type outcome[V any] struct {
	value V
	err   error
}

func newMemo[V any](maxEntries, maxBytes int) *memo[V] {
	return &memo[V]{maxEntries: maxEntries, maxBytes: maxBytes, entries: map[string]outcome[V]{}}
}

// get returns the cached value or error of text, or computes it. If several goroutines
// compute at once, all return the value that is cached.
func (m *memo[V]) get(text string, compute func(string) (V, error)) (V, error) {
	m.mu.RLock()
	known, ok := m.entries[text]
	m.mu.RUnlock()
	if ok {
		return known.value, known.err
	}
	value, err := compute(text)

	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.entries[text]; ok {
		return known.value, known.err
	}
	if len(m.entries) < m.maxEntries && m.bytes+len(text) <= m.maxBytes {
		m.entries[text] = outcome[V]{value, err}
		m.bytes += len(text)
	}
	return value, err
}
