package document

import "bytes"

// lines finds the line and the column of offsets, fast if they ascend.
type lines struct {
	text   []byte
	offset int
	line   int // before offset, counted from 0
	start  int // of the line at offset
}

// at returns line and column, counted from 1; columns in bytes.
func (l *lines) at(offset int) (line, column int) {
	offset = min(offset, len(l.text))
	if offset < l.offset {
		l.offset, l.line, l.start = 0, 0, 0
	}
	passed := l.text[l.offset:offset]
	l.line += bytes.Count(passed, []byte{'\n'})
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		l.start = l.offset + i + 1
	}
	l.offset = offset
	return l.line + 1, offset - l.start + 1
}
