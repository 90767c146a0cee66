package terminal

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table aligns the cells of rows. On a terminal that is too narrow for it, columns fall away. If that is not
// enough, a row is a short stack: its first cell, and below it the others with their titles.
type Table struct {
	// Optional are titles of columns that are left out if all rows have nothing in them.
	Optional []string
	// Falling are titles of columns, in the order in which they fall away.
	Falling []string
	// Colors colour the cells of columns, by their titles.
	Colors map[string]func(cell string) string
	// Untitled: the first row is one as the others, and no row becomes a stack.
	Untitled bool

	rows   [][]string
	widths []int
	// words are the widths of what is never broken.
	words []int
	// stacked is the width of the stacks, 0 if rows are rows. wide is that of a terminal that is too
	// narrow for rows.
	stacked, wide int
	// fallen are the titles of the columns that fell away.
	fallen []string
}

// Row adds a row, each cell in one line.
func (t *Table) Row(cells ...string) {
	more := make([]int, max(0, len(cells)-len(t.widths)))
	t.widths, t.words = append(t.widths, more...), append(t.words, more...)
	for i, cell := range cells {
		cells[i] = Plain(Dash(Flat(cell)))
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cells[i]))
		for part := range parts(cells[i]) {
			t.words[i] = max(t.words[i], utf8.RuneCountInString(strings.TrimRight(part, " ")))
		}
	}
	t.rows = append(t.rows, cells)
}

// parts are those of a cell behind which it can be broken: words, and names behind which a slash
// and another name follow.
func parts(cell string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.SplitAfterSeq(cell, " ") {
			for part := range strings.SplitAfterSeq(word, "/") {
				if part != "" && !yield(part) {
					return
				}
			}
		}
	}
}

// Write writes the table as a part of a piece.
func (t *Table) Write(w *bytes.Buffer, s Style) {
	t.fit(s.width)
	for i := range t.rows {
		t.write(w, i)
	}
	t.end(w)
}

// end says what fell away.
func (t *Table) end(w *bytes.Buffer) {
	if len(t.fallen) > 0 {
		w.WriteString("the terminal is too narrow for " + Listed(t.fallen, "and") + "\n")
	}
}

// fit removes optional columns, and makes the table fit a width, 0 for any.
func (t *Table) fit(width int) {
	t.prune()
	if width == 0 {
		return
	}
	all := make([]int, len(t.widths))
	for i := range all {
		all[i] = i
	}
	for n := range len(t.Falling) + 1 {
		columns := slices.DeleteFunc(slices.Clone(all), func(at int) bool { return slices.Contains(t.Falling[:n], t.rows[0][at]) })
		if widths, fits := t.fold(columns, width); fits {
			for _, at := range slices.Backward(all) {
				if !slices.Contains(columns, at) {
					t.fallen = append(t.fallen, t.rows[0][at])
					t.remove(at)
				}
			}
			slices.Reverse(t.fallen)
			t.widths = widths
			return
		}
	}
	t.widths, _ = t.fold(all, width)
	if t.wide = width; !t.Untitled {
		t.stacked = width
	}
}

// prune removes optional columns.
func (t *Table) prune() {
	for at := len(t.widths) - 1; at >= 0; at-- {
		stated := func(row []string) bool { return row[at] != Dash("") }
		if !slices.Contains(t.Optional, t.rows[0][at]) || slices.ContainsFunc(t.rows[1:], stated) {
			continue
		}
		t.remove(at)
	}
}

// remove removes a column.
func (t *Table) remove(at int) {
	for i := range t.rows {
		t.rows[i] = slices.Delete(t.rows[i], at, at+1)
	}
	t.widths, t.words = slices.Delete(t.widths, at, at+1), slices.Delete(t.words, at, at+1)
}

// between is the space between columns. Columns of words are not narrower than readable.
const between, readable = 2, 16

// fold narrows the widest of some columns, as far as no word has to be broken, until a row of them is as wide
// as a terminal. It returns their widths, and reports whether they fit.
func (t *Table) fold(columns []int, width int) (widths []int, fits bool) {
	widths = Mapped(columns, func(at int) int { return t.widths[at] })
	for {
		sum, widest := between*(len(widths)-1), -1
		for i, w := range widths {
			sum += w
			if w > max(t.words[columns[i]], readable) && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if sum <= width || widest < 0 {
			return widths, sum <= width
		}
		widths[widest]--
	}
}

// write writes a row, in several lines where a cell is wider than its column.
func (t *Table) write(w *bytes.Buffer, row int) {
	cells := t.rows[row]
	if t.stacked > 0 {
		t.stack(w, row)
		return
	}
	for cells != nil {
		var rest []string // what does not fit into the line
		last := len(cells) - 1
		for cells[last] == "" && last > 0 {
			last--
		}
		at, line := 0, ""
		for i, cell := range cells[:last+1] {
			head, tail := folded(cell, t.widths[i])
			if size := utf8.RuneCountInString(head); i > 0 && t.wide > 0 && at+size > t.wide { // further to the left it may fit
				if line = strings.TrimRight(line, " "); line != "" {
					w.WriteString(line + "\n")
				}
				line = strings.Repeat(" ", max(0, min(len(bit), t.wide-size)))
			}
			at += t.widths[i] + between
			if tail != "" && rest == nil {
				rest = make([]string, len(cells))
			}
			if tail != "" {
				rest[i] = tail
			}
			line += t.colored(row, i, head)
			if i < last {
				line += strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(head)+between)
			}
		}
		w.WriteString(line + "\n")
		cells = rest
	}
}

// stack writes a row as a stack. The titles have none of their own.
func (t *Table) stack(w *bytes.Buffer, row int) {
	const indent, separator = "  ", "; "
	if row == 0 {
		return
	}
	w.WriteString(t.rows[row][0] + "\n")
	at := 0
	for i, cell := range t.rows[row][1:] {
		if cell == Dash("") {
			continue
		}
		text := strings.ToLower(t.rows[0][i+1]) + ": " + cell
		size := utf8.RuneCountInString(text) + len(separator)
		switch {
		case at > 0 && at+size <= t.stacked:
			w.WriteString(separator)
		case at > 0:
			w.WriteString(strings.TrimRight(separator, " ") + "\n" + indent)
			at = len(indent)
		default:
			w.WriteString(indent)
			at = len(indent)
		}
		w.WriteString(strings.TrimSuffix(text, cell) + t.colored(row, i+1, cell))
		at += size
	}
	if at > 0 {
		w.WriteByte('\n')
	}
}

// colored is a part of a cell in its colour.
func (t *Table) colored(row, at int, part string) string {
	if color := t.Colors[t.rows[0][at]]; color != nil && row > 0 {
		return color(part)
	}
	return part
}

// folded is what of a text fits into a width, to the end of the last part, and the rest.
func folded(text string, width int) (head, tail string) {
	if utf8.RuneCountInString(text) <= width {
		return text, ""
	}
	at, size := 0, 0
	for part := range parts(text) {
		bare := utf8.RuneCountInString(strings.TrimRight(part, " "))
		if at > 0 && size+bare > width {
			break
		}
		at, size = at+len(part), size+utf8.RuneCountInString(part)
	}
	return strings.TrimRight(text[:at], " "), strings.TrimLeft(text[at:], " ")
}
