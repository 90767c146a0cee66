package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/catalogcheck"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// strangeRows are three rows, of which two share a note, and a picture.
func strangeRows(t *testing.T) string {
	t.Helper()
	p := &Rows{Title: "T" + markedUp, Totals: []string{"2 stuck" + markedUp}, Legend: markedUp, Columns: []string{"Name", "Never"}}
	shared := Note{Heading: "Why" + markedUp, Text: "one cause" + markedUp, Details: "fix" + markedUp, Summary: "Picture", Draw: func() (string, error) {
		d := &graph.Drawing{}
		d.AddNote("title"+markedUp, "text"+markedUp)
		return d.SVG()
	}}
	row := func(name, namespace, state string, stuck bool, notes ...*Note) {
		p.Add(&Row{Cluster: "c", Namespace: namespace + markedUp, Name: name + markedUp, State: state, Stuck: stuck, Cells: []string{name + markedUp, ""}}, notes...)
	}
	row("fine", "a", "current", false, &Note{Rank: "1", Heading: "Before", Text: "first", Summary: "Update graph", Draw: func() (string, error) {
		in := checked(t, packageOf("p"), channelOf("p", object{"name": "p.v2", "replaces": "p.v1"}, object{"name": "p.v1"}), bundleOf("p", 1), bundleOf("p", 2))
		s := in.Catalogs[0].Checked.Snapshot
		g := catalogcheck.NewGraph(s, s.Package("p"))
		g.MarkInstalled(map[string]int{"p.v1": 3})
		return g.SVG()
	}})
	same := shared // which says the same, and is another one
	row("two", "a", "failed", true, &shared)
	row("three", "b", "failed", true, &same)
	var page bytes.Buffer
	require.NoError(t, p.Write(t.Context(), &page))
	return page.String()
}

func TestRows(t *testing.T) {
	page := strangeRows(t)
	assert.Equal(t, page, strangeRows(t), "same input, other bytes")
	assert.Equal(t, 1, strings.Count(page, "<script"))
	assert.NotContains(t, page, "<img")
	assert.NotContains(t, page, "Never", "an empty column")
	assert.Equal(t, 1, strings.Count(page, "one cause"))
	assert.Contains(t, page, `data-rows="0 1"`)
	assert.Contains(t, page, `data-rows="2"`)
	assert.Equal(t, 2, strings.Count(page, `href="#note-1"`))
	assert.NotContains(t, page, `name="cluster"`, "a filter by the only cluster")
}

func TestRowsBounds(t *testing.T) {
	p := &Rows{Columns: []string{"Name"}}
	large := func() (string, error) { return strings.Repeat("x", maxRowsDrawn), nil }
	for i := range maxNamed + 2 {
		p.Add(&Row{Name: "n", Cells: []string{"n"}}, &Note{Text: "shared"}, &Note{Rank: "1", Text: fmt.Sprint(i), Draw: large})
	}
	var page bytes.Buffer
	require.NoError(t, p.Write(t.Context(), &page))
	assert.Contains(t, page.String(), "n, and 2 more")
	assert.Equal(t, maxNamed+1, strings.Count(page.String(), "because the page is large already"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, p.Write(ctx, &page), context.Canceled)

	p, page = &Rows{Columns: []string{"Name"}}, bytes.Buffer{}
	for i := range maxRows + 2 {
		p.Add(&Row{Name: "n", Stuck: i == maxRows+1, Cells: []string{"n"}}, &Note{Text: fmt.Sprint("note ", i)})
	}
	require.NoError(t, p.Write(t.Context(), &page))
	assert.Contains(t, page.String(), "There are 2 more rows")
	assert.Contains(t, page.String(), fmt.Sprint("note ", maxRows+1), "what is stuck comes first")
	assert.NotContains(t, page.String(), fmt.Sprint("note ", maxRows), "what is said of rows that are not shown")
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
	assert.Contains(t, hash, "state=failed&state=current&namespace=&text=THREE%3C")

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
