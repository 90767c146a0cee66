package candidate

import "sync"

// Memo remembers what was computed for a key. It holds at most twice max
// entries: when the young half is full it becomes the old one, and what was not
// asked for meanwhile is forgotten. It is safe for concurrent use; racing
// callers may compute the same value.
type Memo[K comparable, V any] struct {
	Max        int
	mu         sync.Mutex
	young, old map[K]V
}

// Get returns the value for key, computing it if it is not remembered. Errors
// are not remembered.
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
	m.keep(key, v)
	return v, nil
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
	if m.young == nil || len(m.young) >= m.Max {
		m.old, m.young = m.young, make(map[K]V)
	}
	m.young[key] = v
}
