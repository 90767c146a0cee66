package inventory

import "slices"

// lists are those of each key: their own, else those below, which may be shared.
type lists[K comparable, V any] struct {
	own   map[K][]V
	below *lists[K, V]
	// gone tells what an own list leaves out of the one below.
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

// keep gives a key a list of its own.
func (l *lists[K, V]) keep(k K) {
	if _, ok := l.own[k]; ok {
		return
	}
	if l.own == nil {
		l.own = map[K][]V{}
	}
	l.own[k] = slices.DeleteFunc(slices.Clone(l.below.Of(k)), l.gone)
}

func (l *lists[K, V]) add(k K, v V) {
	l.keep(k)
	l.own[k] = append(l.own[k], v)
}

// sort has what was added among what is below.
func (l *lists[K, V]) sort(compare func(a, b V) int) {
	if l.below == nil {
		return // it was added in order
	}
	for _, list := range l.own {
		slices.SortStableFunc(list, compare)
	}
}
