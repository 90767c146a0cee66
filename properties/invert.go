package properties

import "slices"

// Providers returns, for each API, the numbers of the sets that provide it,
// ascending. It does not make the sets.
func Providers[ID ~int32](r *SetReader) map[GVK][]ID {
	provided := newLists[ID](r.gvks.Len())
	for range 2 {
		for i := range r.sets.Len() {
			from, to := r.lists.Span(r.sets.At(i, setList), 0)
			for at := from; at < to; at++ {
				provided.add(r.members.At(at, 0), ID(i))
			}
		}
		provided.next()
	}
	providers := make(map[GVK][]ID, r.gvks.Len())
	for row := range r.gvks.Len() {
		if list := provided.list(row); len(list) > 0 {
			providers[r.gvk(row)] = list
		}
	}
	return providers
}

// Labeled returns, for each label, the numbers of the sets that carry it,
// ascending. It does not make the sets.
func Labeled[ID ~int32](r *SetReader) map[string][]ID {
	labeled := map[string][]ID{}
	for i := range r.sets.Len() {
		from, to := r.sets.Span(i, setLabels)
		for at := from; at < to; at++ {
			label := r.in.Text(r.labels.At(at, 0))
			labeled[label] = append(labeled[label], ID(i))
		}
	}
	for label, list := range labeled {
		labeled[label] = slices.Clip(slices.Clone(list))
	}
	return labeled
}

// lists are many lists in one piece of memory. What they hold is added twice, in
// the same order: first to know their lengths, and after next to fill them.
type lists[E any] struct {
	ends []int32 // of the lists as far as they are filled; at first, their lengths
	all  []E     // nil while counting
}

func newLists[E any](n int) lists[E] { return lists[E]{ends: make([]int32, n+1)} }

func (l *lists[E]) add(list int, e E) {
	if l.all != nil {
		l.all[l.ends[list]] = e
	}
	l.ends[list]++
}

// next ends the counting.
func (l *lists[E]) next() {
	if l.all != nil {
		return
	}
	total := int32(0)
	for i, n := range l.ends {
		l.ends[i] = total
		total += n
	}
	l.all = make([]E, total)
}

// list returns a list when all are filled.
func (l *lists[E]) list(i int) []E {
	from := int32(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.all[from:l.ends[i]:l.ends[i]]
}
