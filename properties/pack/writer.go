// Package pack is the binary form of what is kept on disk: whole numbers of
// variable length, and texts by their index in a table, each text once.
package pack

import "encoding/binary"

// Writer writes numbers and texts. Equal calls give equal bytes.
type Writer struct {
	body  []byte
	texts map[string]uint64
	sizes []byte
	text  []byte
}

// NewWriter returns an empty Writer.
func NewWriter() *Writer { return &Writer{texts: map[string]uint64{}} }

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
func (w *Writer) String(s string) {
	index, ok := w.texts[s]
	if !ok {
		index = uint64(len(w.texts))
		w.texts[s] = index
		w.sizes = binary.AppendUvarint(w.sizes, uint64(len(s)))
		w.text = append(w.text, s...)
	}
	w.Uint(index)
}

// Table knows which values of one kind have been written. The zero Table knows none.
type Table struct{ known map[string]uint64 }

// Shared writes a value, or where an equal one stands in the table. write must
// not call Shared.
func (w *Writer) Shared(t *Table, write func()) {
	start := len(w.body)
	write()
	value := string(w.body[start:])
	w.body = w.body[:start]
	index, ok := t.known[value]
	if ok {
		w.Uint(index)
		return
	}
	if t.known == nil {
		t.known = map[string]uint64{}
	}
	index = uint64(len(t.known))
	t.known[value] = index
	w.Uint(index)
	w.body = append(w.body, value...)
}

// Bytes returns everything that was written, the texts first.
func (w *Writer) Bytes() []byte {
	out := binary.AppendUvarint(nil, uint64(len(w.texts)))
	out = append(out, w.sizes...)
	out = append(out, w.text...)
	return append(out, w.body...)
}
