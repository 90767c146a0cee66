package terminal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Colours are the program's own; JSON and YAML say exactly what is so.
func TestPrint(t *testing.T) {
	colours := Style{mark: "MARK"}
	text := colours.Bold("a\x1b[31m") + "\tb\xff\n"
	for output, want := range map[string]string{
		OutputText: "\x1b[1ma\\x1b[31m\x1b[0m\tb\\xff\n",
		OutputJSON: text,
		OutputYAML: text,
	} {
		var out strings.Builder
		colours.print(&out, []byte(text), output)
		assert.Equal(t, want, out.String(), output)
	}
	assert.Equal(t, `a\n\tb`, Plain("a\n\tb"))
	assert.Equal(t, "grün \u200b", Plain("grün \u200b"), "nothing but what controls is escaped")
}

// What texts and errors say begins no line; only lines that are the program's own do.
func TestPrintf(t *testing.T) {
	var out strings.Builder
	several := errors.Join(errors.New("catalog a\nb: gone"), fmt.Errorf("catalog c: %w", errors.New("rule (line 1)\n  | x\n  | ^")))
	Printf(&out, "%s, %v and %s\n", "a\nb", fmt.Errorf("reading\nit: %w", several), Lines("own\nline"))
	assert.Equal(t, "a\\nb, reading\\nit: catalog a\\nb: gone\n  catalog c: rule (line 1)\n    | x\n    | ^ and own\nline\n", out.String())
}

// No line of what is told beside the output is a command of a workflow, or shows a secret.
func TestLegible(t *testing.T) {
	var out strings.Builder
	l := Legible{&out}
	fmt.Fprint(l, "a::b\n::error::x\n \t::stop\nhttps://me:pass@host/p?token=t: gone, http://host/q?a=b\n")
	assert.Equal(t, "a::b\n\\x3a:error::x\n \t\\x3a:stop\nhttps://host/p?...: gone, http://host/q?...\n", out.String())
}

// JSON on a pipe is data for readers of lines, too: what some take for the end of one, and what a
// terminal obeys, is escaped, and means the same.
func TestJSONIsEscaped(t *testing.T) {
	const name = "a\u2028b\u2029c\u202ed\u0085e\u009bf\x7fg é 水"
	for _, write := range []func(to *strings.Builder) error{
		func(to *strings.Builder) error { return EncodeLine(to, map[string]string{"name": name}) },
		func(to *strings.Builder) error {
			p := NewPage(t.Context(), to, OutputJSON)
			return cmp.Or(WriteJSON(p, map[string]string{"name": name}), p.Close())
		},
		func(to *strings.Builder) error {
			p := NewPage(t.Context(), to, OutputSARIF)
			return cmp.Or(WriteIndented(p, map[string]string{"name": name}), p.Close())
		},
	} {
		var to strings.Builder
		require.NoError(t, write(&to))
		assert.Contains(t, to.String(), `a\u2028b\u2029c\u202ed\u0085e\u009bf\u007fg é 水`)
		var got struct{ Name string }
		require.NoError(t, json.Unmarshal([]byte(to.String()), &got))
		assert.Equal(t, name, got.Name)
	}
}
