package terminal

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWrapped(t *testing.T) {
	for text, want := range map[string]string{
		"one two three four five\n":                 "one two three four\n  five\n",
		"  12. one two three four\nx\n":             "  12. one two three\n      four\nx\n",
		"  - one two three four\n":                  "  - one two three\n    four\n",
		"  ├─ one two three four\n":                 "  ├─ one two three\n  │  four\n",
		"  | one two three four five\n":             "  | one two three four five\n",
		"a-name-that-is-wider-than-all b\n":         "a-name-that-is-wider-than-all\n  b\n",
		"\x1b[1mone two three four\x1b[0m\n":        "\x1b[1mone two three four\x1b[0m\n",
		"      one two three a-name-of-19-letter\n": "      one two three\n a-name-of-19-letter\n",
		"          a-name-of-19-letter\n":           " a-name-of-19-letter\n",
		"          a-name-of-19-letter and\n":       " a-name-of-19-letter\n   and\n",
		"   a-name-that-is-wider-than-all\n":        "a-name-that-is-wider-than-all\n",
		"one two three four  \n":                    "one two three four  \n",
		"              one two three four\n":        "              one\n  two three four\n",
		"one two three four 日本語\n":                  "one two three four\n  日本語\n",
	} {
		assert.Equal(t, want, wrapped(text, 20), "%q", text)
		assert.Equal(t, text, wrapped(text, 0), "no terminal")
	}
}

// Of any text: no word is lost or broken, and a line is wide only if it is a single word.
func TestWrappedKeepsWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "word", "a-longer-name.v1.2.3", "\x1b[1mbold\x1b[0m", "日本語"}
	begins := []string{"", "  ", "    - ", "1. ", "│  ├─ ", "  └─ ", "                    "}
	for range 3000 {
		line := begins[random.IntN(len(begins))]
		for range random.IntN(30) {
			line += words[random.IntN(len(words))] + strings.Repeat(" ", 1+random.IntN(2))
		}
		width := narrowest + random.IntN(30)
		got := wrapped(line, width)
		bare := func(s string) []string {
			return strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune(" \n│├└─", c) })
		}
		assert.Equal(t, bare(line), bare(got), "%q", line)
		for part := range strings.Lines(got) {
			words := strings.Fields(strings.TrimLeft(part, branches+"-1."))
			assert.True(t, seen(strings.TrimRight(part, " \n")) <= width || len(words) <= 1, "%q of %q in %d", part, line, width)
		}
	}
}
