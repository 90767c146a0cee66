package index

import (
	"encoding/binary"
	"errors"
)

// The payload of an index is a table of distinct texts, followed by tables of numbers.
// Numbers have a fixed length and are read in place. A number may be the index of a text
// or of a row in another table.

// errDamaged is the error of bytes that no writer writes.
var errDamaged = errors.New("the packed data is damaged")

// table is a growing table. The zero table is empty.
type table struct {
	data []byte
	rows uint32
}

// add adds a row and returns its index. All rows have the same length.
func (t *table) add(row ...uint32) uint32 {
	for _, n := range row {
		t.data = binary.LittleEndian.AppendUint32(t.data, n)
	}
	t.rows++
	return t.rows - 1
}

// texts are distinct texts, each with an index.
type texts struct {
	known map[string]uint32
	ends  table
	all   []byte
}

// index returns the index of a text.
func (t *texts) index(s string) uint32 {
	index, ok := t.known[s]
	if !ok {
		t.all = append(t.all, s...)
		index = t.ends.add(uint32(len(t.all)))
		t.known[s] = index
	}
	return index
}

// appendTable appends a table to a payload.
func appendTable(payload []byte, t *table) []byte {
	return append(binary.LittleEndian.AppendUint32(payload, t.rows), t.data...)
}

// appendTexts appends texts to a payload.
func appendTexts(payload []byte, t *texts) []byte {
	return append(appendTable(payload, &t.ends), t.all...)
}

// reader reads a payload. Its texts and tables are parts of the payload. After the first
// error, err is set and all tables are empty.
type reader struct {
	rest string
	ends rows // of the texts
	all  string
	err  error
}

func newReader(payload string) *reader {
	r := &reader{rest: payload}
	ends := r.table(1)
	total := 0
	if n := ends.len(); n > 0 {
		total = ends.at(n-1, 0)
	}
	if total > len(r.rest) {
		r.fail()
	}
	r.checkEnds(ends, 0, total)
	if r.err == nil {
		r.ends, r.all, r.rest = ends, r.rest[:total], r.rest[total:]
	}
	return r
}

// fail records that the payload is damaged.
func (r *reader) fail() {
	if r.err == nil {
		r.err, r.rest = errDamaged, ""
	}
}

// text returns the text with an index below ends.len().
func (r *reader) text(i int) string {
	from, to := r.ends.span(i, 0)
	return r.all[from:to]
}

// table reads a table with the given number of columns.
func (r *reader) table(columns int) rows {
	if len(r.rest) < 4 {
		r.fail()
		return rows{columns: columns}
	}
	bytes := 4 * columns * rows{r.rest[:4], 1}.at(0, 0)
	if r.rest = r.rest[4:]; bytes > len(r.rest) {
		r.fail()
		return rows{columns: columns}
	}
	t := rows{r.rest[:bytes], columns}
	r.rest = r.rest[bytes:]
	return t
}

// checkBelow fails if a number in a column is not below n.
func (r *reader) checkBelow(t rows, column, n int) {
	for row := range t.len() {
		if t.at(row, column) >= n {
			r.fail()
			return
		}
	}
}

// checkEnds fails if the numbers in a column do not ascend to n, as the ends of spans do.
func (r *reader) checkEnds(t rows, column, n int) {
	last := 0
	for row := range t.len() {
		end := t.at(row, column)
		if end < last {
			r.fail()
			return
		}
		last = end
	}
	if last != n {
		r.fail()
	}
}

// rows is a table that is read in place. It is immutable.
type rows struct {
	data    string
	columns int
}

func (t rows) len() int {
	if t.columns == 0 {
		return 0
	}
	return len(t.data) / (4 * t.columns)
}

// at returns a number. It is below 2^32.
func (t rows) at(row, column int) int {
	at := 4 * (row*t.columns + column)
	b := t.data[at : at+4]
	return int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
}

// span returns the range of rows in another table that belong to a row. The column has the
// end of that range.
func (t rows) span(row, column int) (from, to int) {
	if row > 0 {
		from = t.at(row-1, column)
	}
	return from, t.at(row, column)
}
