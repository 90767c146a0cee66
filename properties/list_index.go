package properties

import "slices"

// listIndex finds elements of a list that grows and has no repeats. Most lists
// are short, and then are simply walked.
type listIndex[E comparable] struct{ known map[E]int }

// walkedMax is the length up to which walking a list is faster than a map.
const walkedMax = 32

// of returns the index of an element; the length of the list if it is not there,
// where the caller then has to append it.
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
