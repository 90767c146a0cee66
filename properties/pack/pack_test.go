package pack

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	w := NewWriter()
	var table Table
	w.Uint(math.MaxUint64)
	w.Int(math.MinInt)
	w.Bool(true)
	w.Count(2)
	for _, text := range []string{"", "same", "same"} {
		w.String(text)
	}
	for _, text := range []string{"a", "b", "a"} {
		w.Shared(&table, func() { w.String(text) })
	}

	r := NewReader(w.Bytes())
	var seen []string
	assert.EqualValues(t, uint64(math.MaxUint64), r.Uint())
	assert.Equal(t, math.MinInt, r.Int())
	assert.True(t, r.Bool())
	assert.Equal(t, 2, r.Count(1))
	assert.Equal(t, []string{"", "same", "same"}, []string{r.String(), r.String(), r.String()})
	for _, want := range []string{"a", "b", "a"} {
		assert.Equal(t, want, Shared(r, &seen, r.String))
	}
	assert.Equal(t, []string{"a", "b"}, seen)
	r.End()
	assert.NoError(t, r.Err())
	assert.Zero(t, r.Uint())
	assert.ErrorIs(t, r.Err(), ErrDamaged)
}

func TestReaderRefuses(t *testing.T) {
	for name, read := range map[string]func(*Reader){
		"a number that does not end":       func(r *Reader) { r.Uint() },
		"a signed number that does not":    func(r *Reader) { r.Int() },
		"an index beyond the list":         func(r *Reader) { r.Index(1) },
		"a truth value that is neither":    func(r *Reader) { r.Bool() },
		"more elements than there is room": func(r *Reader) { r.Count(1) },
		"a text that is not in the table":  func(r *Reader) { _ = r.String() },
		"bytes that are not in the table":  func(r *Reader) { r.Value() },
		"something left":                   func(r *Reader) { r.End() },
	} {
		r := NewReader([]byte{0, 0x80}) // no texts, half a number
		read(r)
		assert.ErrorIs(t, r.Err(), ErrDamaged, name)
	}
	for _, data := range [][]byte{nil, {1}, {2, 0}, {1, 2, 'a'}, {0xff, 0xff, 0xff, 0xff, 0x7f}} {
		assert.ErrorIs(t, NewReader(data).Err(), ErrDamaged, "%v", data)
	}
}
