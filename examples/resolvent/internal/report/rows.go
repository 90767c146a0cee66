package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

const (
	maxRows      = 10000   // on a page
	maxRowsDrawn = 3 << 20 // bytes of pictures on a page of rows
	maxNamed     = 12      // requests of a note that it names
)

// Rows is a page of requests, a row each, and of what is said of them. The zero value has
// none.
type Rows struct {
	Title string
	// Totals are paragraphs above the rows, Legend says what the states mean.
	Totals []string
	Legend string
	// Columns are titles of the cells. A column that is empty in all rows is not shown.
	Columns []string
	rows    []*Row
	notes   []*Note
	known   map[noteKey]*Note
}

// Row is a request. Filters choose rows by cluster, namespace and state.
type Row struct {
	Cluster, Namespace, Name, State string
	Stuck                           bool
	Cells                           []string
	Note                            int // number of the first one about it
	at                              int
}

// Note is what is said of rows, with a picture if Draw is set. Notes of one heading stand
// together, and headings in the order of their ranks.
type Note struct {
	Rank, Heading, Text, Details string
	// Summary is the name of the picture.
	Summary string
	Draw    func() (svg string, err error)
	// Number, Stuck and Picture are set by the page.
	Number  int
	Stuck   bool
	Picture *picture
	about   []*Row
}

type noteKey struct{ rank, text, details string }

// Add adds a row and what is said of it: a note that is known already is about it as well,
// and so is one that says the same.
func (p *Rows) Add(r *Row, notes ...*Note) {
	if p.known == nil {
		p.known = map[noteKey]*Note{}
	}
	p.rows = append(p.rows, r)
	for _, n := range notes {
		if key := (noteKey{n.Rank, n.Text, n.Details}); n.about == nil && p.known[key] == nil {
			p.known[key] = n
			p.notes = append(p.notes, n)
		} else if n.about == nil {
			n = p.known[key]
		}
		n.about, n.Stuck = append(n.about, r), n.Stuck || r.Stuck
	}
}

// Places are those of the rows in the table.
func (n *Note) Places() string {
	return strings.Join(terminal.Mapped(n.about, func(r *Row) string { return strconv.Itoa(r.at) }), " ")
}

// Concerned names the first of the rows.
func (n *Note) Concerned() string {
	names := terminal.Mapped(n.about[:min(len(n.about), maxNamed)], func(r *Row) string {
		return strings.TrimPrefix(r.Cluster+": "+r.Name, ": ")
	})
	if more := len(n.about) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// filters are the states, and the clusters and namespaces where there are several.
func (p *Rows) filters() []filter {
	options := func(of func(*Row) string) (list []option) {
		seen := map[string]bool{"": true}
		for _, r := range p.rows {
			if value := of(r); !seen[value] {
				seen[value] = true
				list = append(list, option{value, value, true})
			}
		}
		return list
	}
	states := filter{Name: "state", Boxes: true, Options: options(func(r *Row) string { return r.State })}
	clusters := filter{Name: "cluster", Label: "Cluster", Options: options(func(r *Row) string { return r.Cluster })}
	namespaces := filter{Name: "namespace", Label: "Namespace", Options: options(func(r *Row) string { return r.Namespace })}
	slices.SortFunc(namespaces.Options, func(a, b option) int { return strings.Compare(a.Value, b.Value) })
	list := slices.DeleteFunc([]filter{clusters, namespaces}, func(f filter) bool { return len(f.Options) < 2 })
	return append([]filter{states}, list...)
}

// shown removes the columns that are empty.
func (p *Rows) shown() (columns []string) {
	for at := len(p.Columns) - 1; at >= 0; at-- {
		if slices.ContainsFunc(p.rows, func(r *Row) bool { return r.Cells[at] != "" }) {
			columns = slices.Insert(columns, 0, p.Columns[at])
			continue
		}
		for _, r := range p.rows {
			r.Cells = slices.Delete(r.Cells, at, at+1)
		}
	}
	return columns
}

// rowsPage is what the template shows.
type rowsPage struct {
	frame
	Totals, Columns []string
	Legend          string
	Rows            []*Row
	// More counts the rows that are not shown.
	More     int
	Sections []rowsSection
}

type rowsSection struct {
	Heading string
	Notes   []*Note
}

// Write writes the page: rows and notes that are stuck come first, and of these notes the
// ones about most rows. Of more rows than a browser shows well the first are on it.
func (p *Rows) Write(ctx context.Context, w io.Writer) error {
	slices.SortStableFunc(p.rows, func(a, b *Row) int { return terminal.TrueFirst(a.Stuck, b.Stuck) })
	for i, r := range p.rows {
		r.at = i
	}
	more := max(0, len(p.rows)-maxRows)
	p.rows = p.rows[:len(p.rows)-more]
	for _, n := range p.notes {
		n.about = slices.DeleteFunc(n.about, func(r *Row) bool { return r.at >= maxRows })
	}
	p.notes = slices.DeleteFunc(p.notes, func(n *Note) bool { return len(n.about) == 0 })
	slices.SortStableFunc(p.notes, func(a, b *Note) int {
		return cmp.Or(strings.Compare(a.Rank, b.Rank), terminal.TrueFirst(a.Stuck, b.Stuck), len(b.about)-len(a.about), a.about[0].at-b.about[0].at)
	})
	page := rowsPage{frame: newFrame(p.Title, "Any text", p.filters()), Totals: p.Totals, Legend: p.Legend, Columns: p.shown(), Rows: p.rows, More: more}
	drawn := 0
	for i, n := range p.notes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n.Number = i + 1
		for _, r := range n.about {
			r.Note = cmp.Or(r.Note, n.Number)
		}
		if n.Draw != nil {
			n.Picture = newPicture(n.Summary, drawn < maxRowsDrawn, n.Draw)
			drawn += len(n.Picture.SVG)
		}
		if i == 0 || p.notes[i-1].Heading != n.Heading {
			page.Sections = append(page.Sections, rowsSection{Heading: n.Heading})
		}
		last := &page.Sections[len(page.Sections)-1]
		last.Notes = append(last.Notes, n)
	}
	return layout().ExecuteTemplate(&canceling{ctx, w}, "rows.html", page)
}
