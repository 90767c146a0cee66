package inventory

import "slices"

// lists holds a list for each key: its own, else that of the layer below. Layers may be
// shared.
type lists[K comparable, V any] struct {
	own   map[K][]V
	below *lists[K, V]
	// gone reports what an own list leaves out of the list below.
	gone func(V) bool
}

// Of returns the list of a key.
func (l *lists[K, V]) Of(k K) []V {
	for ; l != nil; l = l.below {
		if list, ok := l.own[k]; ok {
			return list
		}
	}
	return nil
}

// detach gives a key a list of its own: the list below without what is gone.
func (l *lists[K, V]) detach(k K) {
	if _, ok := l.own[k]; ok {
		return
	}
	if l.own == nil {
		l.own = map[K][]V{}
	}
	l.own[k] = slices.DeleteFunc(slices.Clone(l.below.Of(k)), l.gone)
}

func (l *lists[K, V]) add(k K, v V) {
	l.detach(k)
	l.own[k] = append(l.own[k], v)
}

// sort restores the order of own lists after members were added behind those from below.
func (l *lists[K, V]) sort(compare func(a, b V) int) {
	if l.below == nil {
		return // members were added in order
	}
	for _, list := range l.own {
		slices.SortStableFunc(list, compare)
	}
}
