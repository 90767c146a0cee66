package pack

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrDamaged is the error of bytes that no Writer has written.
var ErrDamaged = errors.New("the packed data is damaged")

// Reader reads what a Writer wrote. From the first error on it returns zero
// values, and Err is set. It never reads beyond its data, of which its texts and
// tables are parts, and it allocates nothing.
type Reader struct {
	rest string
	ends Rows // of the texts
	text string
	err  error
}

// NewReader returns a Reader of data.
func NewReader(data string) *Reader {
	r := &Reader{rest: data}
	ends := r.Table(1)
	total := 0
	if n := ends.Len(); n > 0 {
		total = ends.At(n-1, 0)
	}
	if total > len(r.rest) {
		r.Fail()
	}
	r.Ends(ends, 0, total)
	if r.err == nil {
		r.ends, r.text, r.rest = ends, r.rest[:total], r.rest[total:]
	}
	return r
}

// Fail notes that what was read makes no sense.
func (r *Reader) Fail() {
	if r.err == nil {
		r.err, r.rest = ErrDamaged, ""
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
	n, size := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		r.Fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// Int reads a number that may be negative.
func (r *Reader) Int() int {
	u := r.Uint()
	n := int64(u>>1) ^ -int64(u&1)
	if int64(int(n)) != n {
		r.Fail()
		return 0
	}
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
	if n > math.MaxInt32 || int64(n)*int64(elementBytes) > int64(len(r.rest)) {
		r.Fail()
		return 0
	}
	return int(n)
}

// String reads a text.
func (r *Reader) String() string {
	i := r.Index(r.ends.Len())
	if r.err != nil {
		return ""
	}
	return r.Text(i)
}

// Texts is the number of texts.
func (r *Reader) Texts() int { return r.ends.Len() }

// Text returns the text with an index below Texts.
func (r *Reader) Text(i int) string {
	from, to := r.ends.Span(i, 0)
	return r.text[from:to]
}

// Table reads a table of so many columns.
func (r *Reader) Table(columns int) Rows {
	n := 4 * columns * r.Count(4*columns)
	if r.err != nil {
		return Rows{columns: columns}
	}
	t := Rows{r.rest[:n], columns}
	r.rest = r.rest[n:]
	return t
}
