package solver

import "math/bits"

// index numbers handles 0, 1, 2 … in the order of their first use. It is a hash table with
// linear probing. Its cost, including that of reset, depends on the number of handles and
// not on their values.
type index struct {
	keys  []int32 // in order of their numbers
	slots []slot  // a power of two of them, at least twice the keys
	shift uint8
}

type slot struct {
	key    int32
	number int32 // the number plus one; 0 marks a free slot
}

const minSlots = 64

// find returns the number of key, or -1 if it has none.
func (x *index) find(key int32) int32 {
	if len(x.keys) == 0 {
		return -1
	}
	return x.slots[x.probe(key)].number - 1
}

// add returns the number of key, and whether it is new.
func (x *index) add(key int32) (number int32, isNew bool) {
	if 2*(len(x.keys)+1) > len(x.slots) {
		x.grow()
	}
	s := &x.slots[x.probe(key)]
	if s.number != 0 {
		return s.number - 1, false
	}
	x.keys = append(x.keys, key)
	*s = slot{key: key, number: int32(len(x.keys))}
	return s.number - 1, true
}

// probe returns the slot of key, or the free slot for it.
func (x *index) probe(key int32) uint32 {
	mask := uint32(len(x.slots) - 1)
	// Multiplying by 2^32 over the golden ratio spreads runs of handles.
	for i := uint32(key) * 2654435769 >> x.shift; ; i++ {
		s := &x.slots[i&mask]
		if s.number == 0 || s.key == key {
			return i & mask
		}
	}
}

func (x *index) grow() {
	n := max(minSlots, 2*len(x.slots))
	x.slots = make([]slot, n)
	x.shift = uint8(33 - bits.Len(uint(n)))
	for i, key := range x.keys {
		x.slots[x.probe(key)] = slot{key: key, number: int32(i) + 1}
	}
}

// reset empties the index and keeps its memory.
func (x *index) reset() {
	// No other key's probe sequence depends on the slot of the last key. So freeing
	// slots from last to first keeps the remaining keys reachable.
	for i := len(x.keys) - 1; i >= 0; i-- {
		x.slots[x.probe(x.keys[i])] = slot{}
	}
	x.keys = x.keys[:0]
}
