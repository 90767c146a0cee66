package constraints

import "sync"

// memo keeps one value for each text, so that equal ranges and rules of
// thousands of bundles are compiled once and shared. When it is full, new texts
// are not kept: they are as likely to come again as the first ones.
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

// get returns what compute makes of text, or has made of it, an error too. Of
// several goroutines that compute at once, all return the value that is kept.
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
