package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What catalogs and manifests say is the text of strangers. Here it is made
// harmless for whoever reads it on a terminal.

// Legible escapes what is written to it.
type Legible struct{ To io.Writer }

// Write writes p escaped.
func (l Legible) Write(p []byte) (int, error) {
	if _, err := io.WriteString(l.To, escaped(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escaped shows the characters that control a terminal, or the direction of
// writing, as Go writes them in strings. Line breaks and tabs stay.
func escaped(text string) string {
	return escape(text, func(c rune) bool { return c != '\n' && c != '\t' && controls(c) })
}

// Plain is escaped for a name: line breaks and tabs are shown as well, so that it
// is a single line, and a single cell of a table.
func Plain(name string) string { return escape(name, controls) }

// controls reports whether a character is not shown, but does something.
func controls(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029'
}

func escape(text string, hidden func(rune) bool) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		c, size := utf8.DecodeRuneInString(text)
		if hidden(c) || c == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Flat makes one line of a text that has several.
func Flat(text string) string {
	if !strings.ContainsAny(text, "\n\r") {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// Indented puts the lines of a text but the first one below it.
func Indented(text, indent string) string { return strings.ReplaceAll(text, "\n", "\n"+indent) }
