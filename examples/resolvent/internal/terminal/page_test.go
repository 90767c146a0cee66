package terminal

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// Once the time is over, no piece is begun, what was begun ends properly, and the page says
// how much is missing.
func TestPageInterrupted(t *testing.T) {
	numbers := func(n int) []int { return make([]int, n) }
	for name, c := range map[string]struct {
		output string
		write  func(p *Page, at func(i int)) error
		want   string
	}{
		"text": {OutputText, func(p *Page, at func(int)) error {
			p.Each(9, "row", func(i int) bool {
				fmt.Fprintf(p, "row %d\n", i)
				at(i)
				return true
			})
			p.Each(9, "note", func(i int) bool { panic("the time is over") })
			return nil
		}, "row 0\nrow 1\nrow 2\n"},
		"table": {OutputText, func(p *Page, at func(int)) error {
			p.Table(Table{}, []string{"NAME", "OF"}, 9, "row", func(i int) []string {
				at(i)
				return []string{strings.Repeat("x", 4*i), ""}
			})
			return nil
		}, "NAME      OF\n"},
		"JSON": {OutputJSON, func(p *Page, at func(int)) error {
			list := ListOf(p, "row", numbers(9), func(int) map[string]int { return map[string]int{"a": 0} })
			make := list.at
			list.at = func(i int) map[string]int { at(i); return make(i) }
			return WriteJSON(p, struct {
				Rows List[map[string]int] `json:"rows"`
				Rest []int                `json:"rest"`
			}{list, nil})
		}, `{
  "schema": "resolvent/v1",
  "rows": [
    {
      "a": 0
    },
    {
      "a": 0
    },
    {
      "a": 0
    }
  ],
  "rest": []
}
`},
		"YAML": {OutputYAML, func(p *Page, at func(int)) error {
			return p.YAML(9, "row", func(i int) ([]*yaml.Node, error) {
				at(i)
				return YAMLOf([]byte(`{"b": "yes", "a": [1, "1", "x\ny", {}, "plain"]}`))
			})
		}, strings.Repeat("---\nb: 'yes'\na:\n- 1\n- '1'\n- \"x\\ny\"\n- {}\n- plain\n", 3)[len("---\n"):]},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out bytes.Buffer
			p := NewPage(ctx, &out, c.output)
			over := func() {
				p.ended.Store(int64(-time.Hour)) // before there was anything
				cancel()
			}
			require.NoError(t, c.write(p, func(i int) {
				if i == 2 {
					over()
				}
			}))
			printed := 3
			if name == "table" {
				printed = 0 // that of all rows is begun before
			}
			assert.EqualError(t, p.Close(), fmt.Sprintf("interrupted: %d of 9 rows printed", printed))
			assert.Equal(t, c.want, out.String())
		})
	}
}

// A picture that is not finished in time is not printed.
func TestPageWhole(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	p := NewPage(ctx, &out, OutputSVG)
	require.NoError(t, p.Whole("picture", func() (string, error) { return "<svg/>\n", nil }))
	require.NoError(t, p.Whole("picture", func() (string, error) {
		p.ended.Store(int64(-time.Hour))
		cancel()
		return "late", nil
	}))
	assert.EqualError(t, p.Close(), "interrupted: the picture is not printed")
	assert.Equal(t, "<svg/>\n", out.String())
}

// A row is as wide as the terminal: what does not fit is folded, at a blank if there is one,
// and nothing is lost.
func TestTableIsAsWideAsTheTerminal(t *testing.T) {
	write := func(width int) string {
		var table Table
		var b bytes.Buffer
		table.Row("NAME", "WHY")
		table.Row("lighthouse.v1.2.0", "for ferry and for everybody else who asks")
		table.Row("x", "")
		table.Write(&b, Style{width: width})
		return b.String()
	}
	const wide = "NAME               WHY\nlighthouse.v1.2.0  for ferry and for everybody else who asks\nx                  -\n"
	assert.Equal(t, wide, write(0))
	assert.Equal(t, wide, write(60))
	assert.Equal(t, `NAME               WHY
lighthouse.v1.2.0  for ferry and for
                   everybody else who
                   asks
x                  -
`, write(38))
	for width := 1; width < 60; width++ {
		lines := strings.Split(strings.TrimSuffix(write(width), "\n"), "\n")
		for _, word := range strings.Fields(wide)[2:8] {
			assert.Contains(t, strings.Fields(strings.Join(lines, " ")), word, width)
		}
	}
}

// No word, name or version is broken: columns are narrowed to their words, and rows of a table
// that does not fit even so are stacks.
func TestTableKeepsWords(t *testing.T) {
	written := func(width int) string {
		var b bytes.Buffer
		table := Table{Optional: []string{"NEVER"}}
		table.Row("NAME", "NEVER", "STATE", "WHY NOT")
		table.Row("a-namespace/a-name", "", "deadEnd", "nothing updates it")
		table.Row("b", "", "current", "")
		table.Write(&b, Style{width: width})
		return b.String()
	}
	assert.Equal(t, "NAME                STATE    WHY NOT\na-namespace/a-name  deadEnd  nothing updates it\nb                   current  -\n", written(0))
	assert.Equal(t, written(0), written(47))
	assert.Equal(t, "NAME              STATE    WHY NOT\na-namespace/      deadEnd  nothing updates\na-name                     it\nb                 current  -\n", written(44))
	assert.Equal(t, "a-namespace/a-name\n  state: deadEnd;\n  why not: nothing updates it\nb\n  state: current\n", written(28))
	fallen := func(width int) string {
		var b bytes.Buffer
		table := Table{Falling: []string{"HEAD", "STATE"}, Colors: map[string]func(string) string{"STATE": func(cell string) string { return "<" + cell + ">" }}}
		table.Row("NAME", "HEAD", "STATE")
		table.Row("a-namespace/a-name", "0.1.0", "deadEnd")
		table.Write(&b, Style{width: width})
		return b.String()
	}
	assert.Equal(t, "NAME                HEAD   STATE\na-namespace/a-name  0.1.0  <deadEnd>\n", fallen(34))
	assert.Equal(t, "NAME                STATE\na-namespace/a-name  <deadEnd>\nthe terminal is too narrow for HEAD\n", fallen(28))
	assert.Equal(t, "NAME\na-namespace/a-name\nthe terminal is too narrow for HEAD and STATE\n", fallen(20))
	assert.Equal(t, "a-namespace/a-name\n  head: 0.1.0;\n  state: <deadEnd>\n", fallen(8))
	var b bytes.Buffer
	facts := Table{Untitled: true}
	facts.Row("image", "host/a-name@sha256:0123456789abcdef") // no stack, so what is too wide stands further to the left
	facts.Row("kind", "none")
	facts.Write(&b, Style{width: 32})
	assert.Equal(t, "image  host/\n  a-name@sha256:0123456789abcdef\nkind   none\n", b.String())
}
