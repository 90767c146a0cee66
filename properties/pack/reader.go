package pack

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrDamaged is the error of bytes that no Writer has written.
var ErrDamaged = errors.New("the packed data is damaged")

// Reader reads what a Writer wrote. From the first error on it returns zero
// values, and Err is set. It never reads beyond its bytes, and it allocates in
// proportion to them.
type Reader struct {
	rest   []byte
	texts  []string
	values [][]byte // of texts that were asked for as bytes
	err    error
}

// NewReader returns a Reader of data, of which it keeps nothing.
func NewReader(data []byte) *Reader {
	r := &Reader{rest: data}
	sizes := make([]int, r.Count(1))
	total := 0
	for i := range sizes {
		sizes[i] = r.Count(0)
		if total += sizes[i]; total > len(r.rest) {
			r.Fail()
			return r
		}
	}
	if r.err != nil {
		return r
	}
	text := string(r.rest[:total])
	r.rest = r.rest[total:]
	r.texts = make([]string, len(sizes))
	for i, size := range sizes {
		r.texts[i], text = text[:size], text[size:]
	}
	return r
}

// Fail notes that what was read makes no sense.
func (r *Reader) Fail() {
	if r.err == nil {
		r.err, r.rest = ErrDamaged, nil
	}
}

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// End makes it an error if anything is left.
func (r *Reader) End() {
	if len(r.rest) > 0 {
		r.Fail()
	}
}

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.Fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// Int reads a number that may be negative.
func (r *Reader) Int() int {
	n, size := binary.Varint(r.rest)
	if size <= 0 || int64(int(n)) != n {
		r.Fail()
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// Index reads a number below n.
func (r *Reader) Index(n int) int {
	i := r.Uint()
	if i >= uint64(n) {
		r.Fail()
		return 0
	}
	return int(i)
}

// Bool reads a truth value.
func (r *Reader) Bool() bool { return r.Index(2) == 1 }

// Count reads how many elements follow, each of which takes at least some bytes.
func (r *Reader) Count(elementBytes int) int {
	n := r.Uint()
	if n > math.MaxInt32 || int(n)*elementBytes > len(r.rest) {
		r.Fail()
		return 0
	}
	return int(n)
}

// String reads a text.
func (r *Reader) String() string {
	i := r.Index(len(r.texts))
	if r.err != nil {
		return ""
	}
	return r.texts[i]
}

// Value reads a text as bytes, which are shared: nobody may change them.
func (r *Reader) Value() []byte {
	i := r.Index(len(r.texts))
	if r.err != nil {
		return nil
	}
	if r.values == nil {
		r.values = make([][]byte, len(r.texts))
	}
	if r.values[i] == nil {
		r.values[i] = []byte(r.texts[i])
	}
	return r.values[i]
}

// Shared reads a value that Writer.Shared wrote; seen are those of its table.
func Shared[T any](r *Reader, seen *[]T, read func() T) (value T) {
	i := r.Index(len(*seen) + 1)
	if r.err != nil {
		return value
	}
	if i == len(*seen) {
		*seen = append(*seen, read())
	}
	return (*seen)[i]
}
