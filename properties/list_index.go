package properties

import "slices"

// listIndex finds elements in a growing list without repeats. It walks short lists,
// as most are, and has a map for longer ones: a hostile bundle states 10,000 APIs.
type listIndex[E comparable] struct{ known map[E]int }

// walkedMax is the length up to which a list has no map (BenchmarkLoadCommunity: 22 to 17 MB).
const walkedMax = 32

// of returns the index of an element. If the list does not have it, that is the
// length of the list, and the caller must append the element.
func (x *listIndex[E]) of(list []E, element E) int {
	if len(list) <= walkedMax {
		if i := slices.Index(list, element); i >= 0 {
			return i
		}
		return len(list)
	}
	if x.known == nil {
		x.known = make(map[E]int, 2*len(list))
		for i, e := range list {
			x.known[e] = i
		}
	}
	if i, ok := x.known[element]; ok {
		return i
	}
	x.known[element] = len(list)
	return len(list)
}
