package pack

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	w := NewWriter()
	w.Uint(math.MaxUint64)
	w.Int(math.MinInt)
	w.Int(7)
	w.Bool(true)
	w.Count(2)
	for _, text := range []string{"", "same", "same"} {
		w.String(text)
	}
	var table, shared, empty Table
	for i := range uint32(3) {
		table.Add(i, math.MaxUint32, 2*i)
	}
	for _, n := range []uint32{5, 6, 5} {
		shared.Shared([]uint32{n, 1}, func() { shared.Add(n) })
	}
	w.Table(&table)
	w.Table(&shared)
	w.Table(&empty)
	assert.EqualValues(t, 1, w.Text("same"))

	r := NewReader(string(w.Bytes()))
	assert.EqualValues(t, uint64(math.MaxUint64), r.Uint())
	assert.Equal(t, math.MinInt, r.Int())
	assert.Equal(t, 7, r.Int())
	assert.True(t, r.Bool())
	assert.Equal(t, 2, r.Count(1))
	assert.Equal(t, []string{"", "same", "same"}, []string{r.String(), r.String(), r.String()})
	assert.Equal(t, 2, r.Texts())
	assert.Equal(t, "same", r.Text(1))
	rows := r.Table(3)
	assert.Equal(t, 3, rows.Len())
	assert.Equal(t, []int{2, math.MaxUint32, 4}, []int{rows.At(2, 0), rows.At(2, 1), rows.At(2, 2)})
	from, to := rows.Span(0, 2)
	assert.Equal(t, []int{0, 0}, []int{from, to})
	from, to = rows.Span(2, 2)
	assert.Equal(t, []int{2, 4}, []int{from, to})
	r.Below(rows, 0, 3)
	r.Ends(rows, 2, 4)
	assert.Equal(t, 2, r.Table(1).Len())
	none := r.Table(2)
	assert.Zero(t, none.Len())
	r.Ends(none, 1, 0)
	r.End()
	assert.NoError(t, r.Err())
	assert.Zero(t, r.Uint())
	assert.ErrorIs(t, r.Err(), ErrDamaged)
}

func TestReaderRefuses(t *testing.T) {
	var table Table
	table.Add(0, 2)
	table.Add(1, 1)
	rows := Rows{string(table.data), 2}
	for name, read := range map[string]func(*Reader){
		"a number that does not end":       func(r *Reader) { r.Uint() },
		"a signed number that does not":    func(r *Reader) { r.Int() },
		"an index beyond the list":         func(r *Reader) { r.Index(1) },
		"a truth value that is neither":    func(r *Reader) { r.Bool() },
		"more elements than there is room": func(r *Reader) { r.Count(1) },
		"a text that is not in the table":  func(r *Reader) { _ = r.String() },
		"a table that does not end":        func(r *Reader) { r.Table(2) },
		"a number that is too large":       func(r *Reader) { r.Below(rows, 0, 1) },
		"ends that do not ascend":          func(r *Reader) { r.Ends(rows, 1, 1) },
		"ends that end too soon":           func(r *Reader) { r.Ends(rows, 0, 2) },
		"something left":                   func(r *Reader) { r.End() },
	} {
		r := NewReader("\x00\x80") // no texts, half a number
		assert.NoError(t, r.Err())
		read(r)
		assert.ErrorIs(t, r.Err(), ErrDamaged, name)
	}
	for _, data := range []string{"", "\x01", "\x01\x02\x00\x00\x00a", "\x02\x01\x00\x00\x00\x00\x00\x00\x00a", "\xff\xff\xff\xff\x7f"} {
		assert.ErrorIs(t, NewReader(data).Err(), ErrDamaged, "%q", data)
	}
}
