// Package numbers numbers the handles that a problem uses, and sorts numbers into lists and sets.
package numbers

import (
	"math/bits"
	"slices"
)

// Inverter makes inverse lists. Its memory is kept for the next ones.
type Inverter struct {
	count, members []int32
	by             [][]int32
}

// Lists returns, by number, the indices of the lists that have it, ascending and each once. They
// are valid until the next call, for ever if v is nil.
func (v *Inverter) Lists(lists int, list func(int) []int32) [][]int32 {
	if v == nil {
		v = &Inverter{}
	}
	count, all := v.count[:0], 0
	for x := range lists {
		for _, n := range list(x) {
			if more := int(n) + 1 - len(count); more > 0 {
				count = append(count, make([]int32, more)...)
			}
			count[n]++
			all++
		}
	}
	v.count = count
	v.members = slices.Grow(v.members[:0], all)
	v.by = slices.Grow(v.by[:0], len(count))
	inverted, rest := v.by[:len(count)], v.members[:all]
	for n, c := range count {
		inverted[n], rest = rest[:0:c], rest[c:]
	}
	for x := range lists {
		for _, n := range list(x) {
			if k := len(inverted[n]); k == 0 || inverted[n][k-1] != int32(x) {
				inverted[n] = append(inverted[n], int32(x))
			}
		}
	}
	return inverted
}

// Sets is a union-find forest (Galler and Fischer 1964): by number another number of its set, or
// itself.
type Sets []int32

// NewSets returns n sets of one number each.
func NewSets(n int) Sets {
	s := make(Sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Find returns the number that stands for the set of i.
func (s Sets) Find(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// Union makes one set of those of i and j.
func (s Sets) Union(i, j int32) { s[s.Find(i)] = s.Find(j) }

// Table numbers handles 0, 1, 2 … in the order of their first use. It is a hash table with
// linear probing. Its cost, including that of reset, depends on the number of handles and
// not on their values.
type Table struct {
	Keys  []int32 // in order of their numbers
	slots []slot  // a power of two of them, at least twice the keys
	shift uint8
}

type slot struct {
	key    int32
	number int32 // the number plus one; 0 marks a free slot
}

const minSlots = 64

// Find returns the number of key, or -1 if it has none.
func (x *Table) Find(key int32) int32 {
	if len(x.Keys) == 0 {
		return -1
	}
	return x.slots[x.probe(key)].number - 1
}

// Add returns the number of key, and whether it is new.
func (x *Table) Add(key int32) (number int32, isNew bool) {
	if 2*(len(x.Keys)+1) > len(x.slots) {
		x.grow()
	}
	s := &x.slots[x.probe(key)]
	if s.number != 0 {
		return s.number - 1, false
	}
	x.Keys = append(x.Keys, key)
	*s = slot{key: key, number: int32(len(x.Keys))}
	return s.number - 1, true
}

// probe returns the slot of key, or the free slot for it.
func (x *Table) probe(key int32) uint32 {
	mask := uint32(len(x.slots) - 1)
	// Multiplying by 2^32 over the golden ratio spreads runs of handles.
	for i := uint32(key) * 2654435769 >> x.shift; ; i++ {
		s := &x.slots[i&mask]
		if s.number == 0 || s.key == key {
			return i & mask
		}
	}
}

func (x *Table) grow() {
	n := max(minSlots, 2*len(x.slots))
	x.slots = make([]slot, n)
	x.shift = uint8(33 - bits.Len(uint(n)))
	for i, key := range x.Keys {
		x.slots[x.probe(key)] = slot{key: key, number: int32(i) + 1}
	}
}

// Reset empties the index and keeps its memory.
func (x *Table) Reset() {
	// No other key's probe sequence depends on the slot of the last key. So freeing
	// slots from last to first keeps the remaining keys reachable.
	for i := len(x.Keys) - 1; i >= 0; i-- {
		x.slots[x.probe(x.Keys[i])] = slot{}
	}
	x.Keys = x.Keys[:0]
}
