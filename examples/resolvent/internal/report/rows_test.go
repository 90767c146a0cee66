package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// strangeRows are three rows, of which two share a note, and a picture.
func strangeRows(t *testing.T) string {
	t.Helper()
	p := &Rows{Title: "T" + markedUp, Place: "Namespace", Totals: []string{"2 stuck" + markedUp}, Columns: []string{"Name", "Never"}}
	p.Legends = []Legend{{"Words", []Term{{"failed", markedUp}}}}
	p.Source = NewSource(inputs.Streams{Program: "p", Version: "p v1", Args: []string{"-f", "/home/me/" + markedUp}, Err: said(t, "note"+markedUp)}, "2026-11-26", cache.NewView(nil))
	why := p.Section(Section{Heading: "Why" + markedUp})
	below := p.Section(Section{Heading: "Before", Below: true, Steps: true})
	row := func(name, place, state string, stuck bool) *Row {
		r := &Row{Cluster: "c", Place: place + markedUp, Name: name + markedUp, State: state, Words: "is " + state, Stuck: stuck, Cells: []string{name + markedUp, ""}}
		p.Add(r)
		return r
	}
	below.Add(&Note{Title: "first" + markedUp, Summary: "Update graph", Draw: func() (string, error) {
		in := checked(t, packageOf("p"), channelOf("p", object{"name": "p.v2", "replaces": "p.v1"}, object{"name": "p.v1"}), bundleOf("p", 1), bundleOf("p", 2))
		s := in.Catalogs[0].Checked.Snapshot
		g := check.NewGraph(s, s.Package("p"))
		g.MarkInstalled(map[string]int{"p.v1": 3})
		return g.SVG()
	}}, row("fine", "a", "current", false))
	shared := func() *Note { // which says the same, and is another one each time
		do := []Do{{Label: "Fix 1" + markedUp, Steps: []string{"one" + markedUp, "two"}, Then: "then" + markedUp, Careful: []string{"careful" + markedUp}}}
		return &Note{Lines: []string{"one cause" + markedUp}, Do: do, More: []string{"more" + markedUp}, Details: "fix" + markedUp, Summary: "Picture", Draw: func() (string, error) {
			d := &graph.Drawing{}
			d.AddNote("title"+markedUp, "text"+markedUp)
			return d.SVG()
		}}
	}
	why.Add(shared(), row("two", "a", "failed", true))
	why.Add(shared(), row("three", "b", "failed", true))
	var page bytes.Buffer
	require.NoError(t, p.Write(t.Context(), &page))
	return page.String()
}

// said is a writer to which something was said.
func said(t *testing.T, text string) *terminal.Later {
	t.Helper()
	l := &terminal.Later{To: io.Discard}
	_, err := io.WriteString(l, text+"\n")
	require.NoError(t, err)
	return l
}

func TestRows(t *testing.T) {
	page := strangeRows(t)
	assert.Equal(t, page, strangeRows(t), "same input, other bytes")
	assert.Equal(t, 1, strings.Count(page, "<script"))
	assert.NotContains(t, page, "<img")
	assert.NotContains(t, page, "Never", "an empty column")
	assert.Equal(t, 1, strings.Count(page, "one <bdi>cause"))
	assert.Contains(t, page, `data-rows="0 1"`)
	assert.Contains(t, page, `data-rows="2"`)
	assert.Equal(t, 2, strings.Count(page, `href="#note-1"`))
	assert.NotContains(t, page, `name="cluster"`, "a filter by the only cluster")
	assert.NotContains(t, page, "/home/me", "a folder of this machine")
	assert.Regexp(t, `(?s)one <bdi>cause.*<table.*first`, page, "causes, the table, and what else there is to say")
	assert.Regexp(t, `(?s)<ol>\s*<li><bdi>one.*<li>two.*Then:.*Careful:`, page)
	assert.Regexp(t, `(?s)<footer>.*note.*2026-11-26.*p v1`, page)
}

func TestRowsBounds(t *testing.T) {
	p := &Rows{Columns: []string{"Name"}}
	shared, own := p.Section(Section{Heading: "shared"}), p.Section(Section{Heading: "own"})
	large := func() (string, error) { return strings.Repeat("x", maxRowsDrawn), nil }
	for i := range maxNamed + 2 {
		r := &Row{Name: "n", Cells: []string{"n"}}
		p.Add(r)
		shared.Add(&Note{Lines: []string{"shared"}}, r)
		own.Add(&Note{Lines: []string{fmt.Sprint(i)}, Draw: large}, r)
	}
	var page bytes.Buffer
	require.NoError(t, p.Write(t.Context(), &page))
	assert.Contains(t, page.String(), "n, and 2 more")
	assert.Equal(t, maxNamed+1, strings.Count(page.String(), "because the page is already large"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, p.Write(ctx, &page), context.Canceled)

	p, page = &Rows{Columns: []string{"Name"}}, bytes.Buffer{}
	notes := p.Section(Section{Heading: "notes"})
	for i := range maxRows + 2 {
		r := &Row{Name: "n", Stuck: i == maxRows+1, Cells: []string{"n"}}
		p.Add(r)
		notes.Add(&Note{Lines: []string{fmt.Sprint("note ", i)}}, r)
	}
	require.NoError(t, p.Write(t.Context(), &page))
	assert.Contains(t, page.String(), "2 more rows are not on this page")
	assert.Contains(t, page.String(), fmt.Sprint("note ", maxRows+1), "what is stuck comes first")
	assert.NotContains(t, page.String(), fmt.Sprint("note ", maxRows), "what is said of rows that are not shown")
}

// Names and versions are marked up as what is not broken; a path is, behind its slashes.
func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"updates to 0.9.4, then on.": "updates to <bdi>0.9.4,</bdi> then on.",
		"a-b/c-d <x>":                "<bdi>a-b/</bdi><bdi>c-d</bdi> &lt;x&gt;",
		"":                           "",
		" two  spaces ":              " two  spaces ",
	} {
		assert.EqualValues(t, want, prose(text))
	}
}

// Paths of arguments lose the folders that lead to them, wherever the page shows them; names
// that look like them stay.
func TestSource(t *testing.T) {
	args := []string{"status", "-f", "/home/me/c.yaml", "--catalog", "ns/n=/srv/cat/x,priority=1", "--catalog=oci:/srv/cat", "https://u:p@h/x?t=1", "-n", "/a"}
	s := NewSource(inputs.Streams{Program: "kubectl resolvent", Args: args}, "2026-11-26", nil)
	assert.Equal(t, `kubectl resolvent status -f c.yaml --catalog 'ns/n=x,priority=1' '--catalog=oci:cat' 'https://h/x?...' -n a`, s.Command)
	assert.Equal(t, "x of cat, in /srv/other and ns/a", s.shown("/srv/cat/x of /srv/cat, in /srv/other and ns/a"))
	assert.Equal(t, "x", (*Source)(nil).shown("x"))
}

// In a real browser the filters hide rows and what is only about these, and the address
// keeps them: a second visit shows the same.
func TestRowsInBrowser(t *testing.T) {
	b := testkit.StartBrowser(t)
	page := []byte(strangeRows(t))
	b.Open(page)
	shown := func(selector string) any {
		return b.Eval(`[...document.querySelectorAll("` + selector + `")].filter(e => e.offsetParent).length`)
	}
	assert.EqualValues(t, 3, shown("tr.item"))
	assert.EqualValues(t, 2, shown("section"))
	assert.Empty(t, b.Eval(`location.hash`))

	b.TabTo(`[name=state][value=failed]`)
	b.Press(" ", " ", 32)
	assert.EqualValues(t, 1, shown("tr.item"))
	assert.EqualValues(t, 1, shown("section"))
	b.Press(" ", " ", 32)
	b.TabTo(`[name=text]`)
	b.Call("Input.insertText", map[string]any{"text": "THREE<"}, nil)
	assert.EqualValues(t, 1, shown("tr.item"))
	assert.EqualValues(t, 1, shown("[data-rows]"))
	b.TabTo(`tr a`)
	b.Press("Enter", "\r", 13)
	assert.Equal(t, "note-1", b.Eval(`document.activeElement.id`))
	hash := b.Eval(`location.hash`).(string)
	assert.Contains(t, hash, "state=failed&state=current&place=&text=THREE%3C")

	b.Open(page)
	assert.EqualValues(t, 3, shown("tr.item"))
	b.Eval(fmt.Sprintf(`new Promise(done => { addEventListener("hashchange", () => setTimeout(done)); location.hash = %q })`, hash))
	assert.EqualValues(t, 1, shown("tr.item"))
	b.TabTo(`[type=reset]`)
	b.Press(" ", " ", 32)
	b.Eval(`new Promise(done => setTimeout(done))`)
	assert.EqualValues(t, 3, shown("tr.item"))
	assert.Empty(t, b.Eval(`location.hash`))

	b.Eval(`document.querySelectorAll("details").forEach(d => d.open = true)`)
	fits(t, b)
	assert.Contains(t, b.Eval(`document.querySelector(".node.installed").parentElement.textContent`), "installed 3 times")
	assert.Equal(t, "rgb(31, 95, 191)", b.Eval(`getComputedStyle(document.querySelector(".node.installed")).stroke`))
	assert.EqualValues(t, 1, b.Eval(`[...document.querySelectorAll("text.more")].filter(e => e.textContent == "installed").length`), "the legend")
	assert.Empty(t, b.Complaints)
}
