package report

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

const (
	maxRows      = 10000   // on a page
	maxRowsDrawn = 3 << 20 // bytes of pictures on a page of rows
	maxNamed     = 12      // requests of a note that it names
)

// Rows is a page of what must be known of requests, then of all of them, a row each, then of
// what more there is to say. The zero value has none.
type Rows struct {
	Title  string
	Source *Source // nil if it is not known
	// Totals are paragraphs above all, Legends say what words in the table mean.
	Totals  []string
	Legends []Legend
	// Columns are titles of the cells. A column that is empty in all rows is not shown.
	Columns []string
	// Alike are those that are shown only if rows differ in them.
	Alike []string
	// Place is what Row.Place is, as a filter names it.
	Place    string
	sections []*Section
	rows     []*Row
}

// Legend says what words mean.
type Legend struct {
	Title string
	Terms []Term
}

type Term struct{ Word, Meaning string }

// Row is a request. Filters choose rows by cluster, place and state, which Words says to people.
type Row struct {
	Cluster, Place, Name, State, Words string
	Stuck                              bool
	Cells                              []string
	Note                               int // number of the first one about it
	at                                 int // -1 if it is not in the table
}

// Section is a titled list of notes.
type Section struct {
	Heading string
	// Steps: the notes are steps, to be taken in this order. Else those that count most come
	// first.
	Steps bool
	// Ordered: the notes keep the order in which they were added.
	Ordered bool
	// Below: it stands below the table.
	Below bool
	Notes []*Note
	known map[string]*Note
}

// Note is a text about rows, with a picture if Draw is set.
type Note struct {
	// Title names what it is about; empty for the names of the rows.
	Title string
	// Listed: the rows are named below as well.
	Listed bool
	// Lines are why, Do is what to do in turn, and More what else there is to say.
	Lines []string
	Do    []Do
	More  []string
	// Details are a text with lines of its own.
	Details string
	// Summary is the name of the picture.
	Summary string
	Draw    func() (svg string, err error)
	// Weight is how much it counts beside the rows that it is about.
	Weight int
	// Number, Stuck and Picture are set by the page.
	Number  int
	Stuck   bool
	Picture *picture
	about   []*Row
}

// Do is what to do: steps, what they bring, and what to know before.
type Do struct {
	Label, Then    string
	Steps, Careful []string
	// Commands carry it out, empty if there are none.
	Commands string
}

// key is equal for notes that say the same.
func (n *Note) key() string {
	return fmt.Sprintf("%q %q %q %q %q", n.Title, n.Lines, n.Do, n.More, n.Details)
}

func (p *Rows) Section(s Section) *Section {
	p.sections = append(p.sections, &s)
	return &s
}

func (p *Rows) Add(r *Row) { p.rows = append(p.rows, r) }

// Add adds a note about rows, nil for those that are not in the table. One that says the same
// as an earlier one is the earlier one.
func (s *Section) Add(n *Note, about ...*Row) {
	if s.known == nil {
		s.known = map[string]*Note{}
	}
	if known := s.known[n.key()]; known != nil {
		known.Weight += n.Weight
		n = known
	} else {
		s.known[n.key()] = n
		s.Notes = append(s.Notes, n)
	}
	for _, r := range about {
		if r != nil {
			n.about, n.Stuck = append(n.about, r), n.Stuck || r.Stuck
		}
	}
}

// Rows are the places in the table of the rows.
func (n *Note) Rows() string {
	return strings.Join(terminal.Mapped(n.about, func(r *Row) string { return strconv.Itoa(r.at) }), " ")
}

// Concerned names the first of the rows.
func (n *Note) Concerned() string {
	names := terminal.Mapped(n.about, func(r *Row) string { return strings.TrimPrefix(r.Cluster+": "+r.Name, ": ") })
	return strings.Join(terminal.First(names, maxNamed, "and %d more"), ", ")
}

// filters are the states, and the clusters and places where there are several.
func (p *Rows) filters() []filter {
	options := func(of func(*Row) (value, text string)) (list []option) {
		seen := map[string]bool{"": true}
		for _, r := range p.rows {
			if value, text := of(r); !seen[value] {
				seen[value] = true
				list = append(list, option{value, text, true})
			}
		}
		return list
	}
	states := filter{Name: "state", Boxes: true, Options: options(func(r *Row) (string, string) { return r.State, cmp.Or(r.Words, r.State) })}
	clusters := filter{Name: "cluster", Label: "Cluster", Options: options(func(r *Row) (string, string) { return r.Cluster, r.Cluster })}
	places := filter{Name: "place", Label: p.Place, Options: options(func(r *Row) (string, string) { return r.Place, r.Place })}
	slices.SortFunc(places.Options, func(a, b option) int { return strings.Compare(a.Value, b.Value) })
	list := slices.DeleteFunc([]filter{clusters, places}, func(f filter) bool { return len(f.Options) < 2 })
	return append([]filter{states}, list...)
}

// shown are the columns that say something; the others are removed.
func (p *Rows) shown() (columns []string) {
	for at := len(p.Columns) - 1; at >= 0; at-- {
		said := func(r *Row) bool { return r.Cells[at] != "" }
		if slices.Contains(p.Alike, p.Columns[at]) {
			said = func(r *Row) bool { return r.Cells[at] != p.rows[0].Cells[at] }
		}
		if slices.ContainsFunc(p.rows, said) {
			columns = slices.Insert(columns, 0, p.Columns[at])
			continue
		}
		for _, r := range p.rows {
			r.Cells = slices.Delete(r.Cells, at, at+1)
		}
	}
	return columns
}

// stacked begins the style of tables that do not fit: their rows are stacks of cells.
const stacked = "@media(max-width:47.99rem)"

// width is about how wide the table is with no name in it broken, in the unit of the style.
func (p *Rows) width(columns []string) int {
	const ofCharacter, between, margins = 0.47, 0.75, 2
	sum := float64(margins)
	for at, title := range append(slices.Clip(columns), "State") {
		most := len(title)
		for _, r := range p.rows {
			text := cmp.Or(r.Words, r.State)
			if at < len(columns) {
				text = strings.ReplaceAll(r.Cells[at], "/", "/ ")
			}
			for word := range strings.FieldsSeq(text) {
				most = max(most, utf8.RuneCountInString(word))
			}
		}
		sum += between + ofCharacter*float64(most)
	}
	return int(min(max(sum, 48), 120))
}

// rowsPage is what the template shows.
type rowsPage struct {
	frame
	Totals, Columns []string
	Legends         []Legend
	Rows            []*Row
	// More counts the rows that are not shown.
	More         int
	Above, Below []*Section
}

// Write writes the page: rows that are stuck come first. Of more rows than a browser shows well
// the first are on it.
func (p *Rows) Write(ctx context.Context, w io.Writer) error {
	slices.SortStableFunc(p.rows, func(a, b *Row) int { return terminal.TrueFirst(a.Stuck, b.Stuck) })
	for i, r := range p.rows {
		if r.at = i; i >= maxRows {
			r.at = -1
		}
	}
	more := max(0, len(p.rows)-maxRows)
	p.rows = p.rows[:len(p.rows)-more]
	page := rowsPage{frame: newFrame(p.Title, "Any text", p.filters(), p.Source), Totals: p.Totals, Legends: p.Legends, Rows: p.rows, More: more}
	page.Columns = p.shown()
	page.Style = template.CSS(strings.Replace(string(style), stacked, fmt.Sprintf("@media(max-width:%d.99rem)", p.width(page.Columns)), 1))
	for _, s := range p.sections {
		s.inTable()
		switch {
		case len(s.Notes) == 0:
		case s.Below:
			page.Below = append(page.Below, s)
		default:
			page.Above = append(page.Above, s)
		}
	}
	number, drawn := 0, 0
	for _, s := range slices.Concat(page.Above, page.Below) {
		for _, n := range s.Notes {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			number++
			n.Number = number
			for _, r := range n.about {
				r.Note = cmp.Or(r.Note, n.Number)
			}
			if n.Draw != nil {
				n.Picture = newPicture(n.Summary, drawn < maxRowsDrawn, n.Draw)
				drawn += len(n.Picture.SVG)
			}
		}
	}
	return execute(ctx, w, "rows.html", page.Source, page)
}

// inTable leaves out rows that are not in the table, with notes about nothing else, and sorts
// notes that are no steps.
func (s *Section) inTable() {
	s.Notes = slices.DeleteFunc(s.Notes, func(n *Note) bool {
		stated := len(n.about)
		n.about = slices.DeleteFunc(n.about, func(r *Row) bool { return r.at < 0 })
		return stated > 0 && len(n.about) == 0
	})
	if !s.Steps && !s.Ordered {
		slices.SortStableFunc(s.Notes, func(a, b *Note) int {
			return cmp.Or(terminal.TrueFirst(a.Stuck, b.Stuck), b.Weight+len(b.about)-a.Weight-len(a.about))
		})
	}
}
