package pack

// Rows is a table that is read in place. It is immutable.
type Rows struct {
	data    string
	columns int
}

// Len is the number of rows.
func (t Rows) Len() int {
	if t.columns == 0 {
		return 0
	}
	return len(t.data) / (4 * t.columns)
}

// At returns a number, which is below 2^32.
func (t Rows) At(row, column int) int {
	at := 4 * (row*t.columns + column)
	b := t.data[at : at+4]
	return int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
}

// Span returns which elements of another table belong to a row, where a column
// says at which index those of each row end.
func (t Rows) Span(row, column int) (from, to int) {
	if row > 0 {
		from = t.At(row-1, column)
	}
	return from, t.At(row, column)
}

// Below makes it an error if a number in a column is not below n.
func (r *Reader) Below(t Rows, column, n int) {
	for row := range t.Len() {
		if t.At(row, column) >= n {
			r.Fail()
			return
		}
	}
}

// Ends makes it an error if the numbers in a column do not ascend to n, as the
// ends of spans do.
func (r *Reader) Ends(t Rows, column, n int) {
	last := 0
	for row := range t.Len() {
		end := t.At(row, column)
		if end < last {
			r.Fail()
			return
		}
		last = end
	}
	if last != n {
		r.Fail()
	}
}
