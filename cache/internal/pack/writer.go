// Package pack is the binary form of what is kept on disk: whole numbers of
// variable length, texts by their index in a table, each text once, and tables of
// numbers of fixed length, which are read in place.
package pack

import "encoding/binary"

// Writer writes numbers and texts. Equal calls give equal bytes.
type Writer struct {
	body  []byte
	texts map[string]uint32
	ends  []byte
	text  []byte
}

// NewWriter returns an empty Writer.
func NewWriter() *Writer { return &Writer{texts: map[string]uint32{}} }

// Uint writes a number.
func (w *Writer) Uint(n uint64) { w.body = binary.AppendUvarint(w.body, n) }

// Int writes a number that may be negative.
func (w *Writer) Int(n int) { w.body = binary.AppendVarint(w.body, int64(n)) }

// Bool writes a truth value.
func (w *Writer) Bool(b bool) {
	if b {
		w.Uint(1)
	} else {
		w.Uint(0)
	}
}

// Count writes how many elements follow.
func (w *Writer) Count(n int) { w.Uint(uint64(n)) }

// String writes a text.
func (w *Writer) String(s string) { w.Uint(uint64(w.Text(s))) }

// Text returns the index of a text, for a table.
func (w *Writer) Text(s string) uint32 {
	index, ok := w.texts[s]
	if !ok {
		index = uint32(len(w.texts))
		w.texts[s] = index
		w.text = append(w.text, s...)
		w.ends = binary.LittleEndian.AppendUint32(w.ends, uint32(len(w.text)))
	}
	return index
}

// Table is a table that grows. The zero Table is empty.
type Table struct {
	data  []byte
	rows  int
	known map[string]uint32
}

// Add adds a row and returns its index. All rows have the same length.
func (t *Table) Add(row ...uint32) uint32 {
	for _, n := range row {
		t.data = binary.LittleEndian.AppendUint32(t.data, n)
	}
	t.rows++
	return uint32(t.rows - 1)
}

// Len is the number of rows.
func (t *Table) Len() uint32 { return uint32(t.rows) }

// Shared returns the row of a value with a key; the first time add has to add it.
func (t *Table) Shared(key []uint32, add func()) uint32 {
	var text []byte
	for _, n := range key {
		text = binary.LittleEndian.AppendUint32(text, n)
	}
	index, ok := t.known[string(text)]
	if ok {
		return index
	}
	if t.known == nil {
		t.known = map[string]uint32{}
	}
	index = t.Len()
	t.known[string(text)] = index
	add()
	return index
}

// Table writes a table.
func (w *Writer) Table(t *Table) {
	w.Count(t.rows)
	w.body = append(w.body, t.data...)
}

// Bytes returns everything that was written, the texts first.
func (w *Writer) Bytes() []byte {
	out := binary.AppendUvarint(nil, uint64(len(w.texts)))
	out = append(out, w.ends...)
	out = append(out, w.text...)
	return append(out, w.body...)
}
