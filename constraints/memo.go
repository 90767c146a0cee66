package constraints

import "sync"

// memo keeps one value for each text, so that equal ranges and rules of
// thousands of bundles are compiled once and shared. It is bounded in entries
// and in bytes of text; when it is full, new texts are simply not kept: what
// comes first in a catalog is as likely to come again as what comes later.
type memo[V any] struct {
	maxEntries, maxBytes int

	mu      sync.RWMutex
	entries map[string]V
	bytes   int
}

func newMemo[V any](maxEntries, maxBytes int) *memo[V] {
	return &memo[V]{maxEntries: maxEntries, maxBytes: maxBytes, entries: map[string]V{}}
}

// get returns the value of text, made by compute if there is none yet. No lock
// is held while computing; of several goroutines that compute at once, all
// return the value that was kept.
func (m *memo[V]) get(text string, compute func(string) V) V {
	m.mu.RLock()
	value, ok := m.entries[text]
	m.mu.RUnlock()
	if ok {
		return value
	}
	value = compute(text)

	m.mu.Lock()
	defer m.mu.Unlock()
	if kept, ok := m.entries[text]; ok {
		return kept
	}
	if len(m.entries) < m.maxEntries && m.bytes+len(text) <= m.maxBytes {
		m.entries[text] = value
		m.bytes += len(text)
	}
	return value
}
