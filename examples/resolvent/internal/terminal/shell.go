package terminal

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// What is printed for a shell is lines of commands and nothing else: each word of them is a
// constant of this program, or data that Word has made one word. They mean the same in sh,
// bash, zsh and dash, also where they are pasted.

// maxPiece is the number of bytes of a word that stand on one line. A terminal cuts longer
// lines off, at 1,024 bytes on some systems, and with them the closing quote.
const maxPiece = 400

// Command returns the words of one command, quoted.
func Command(words ...string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(Word(word))
	}
	return b.String()
}

// Word is a text as one word of a shell. The text is valid UTF-8 without characters that control a
// terminal.
func Word(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:/", r)
	}
	if text != "" && len(text) <= maxPiece && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var b strings.Builder
	size := maxPiece
	if len(text) > maxPiece {
		b.WriteString("\\\n") // joins two lines, and the words at their ends
	}
	b.WriteByte('\'')
	for i, c := range text {
		piece := text[i : i+utf8.RuneLen(c)]
		if c == '\'' {
			piece = `'\''`
		}
		if size -= len(piece); size < 0 {
			b.WriteString("'\\\n'")
			size = maxPiece - len(piece)
		}
		b.WriteString(piece)
	}
	b.WriteByte('\'')
	return b.String()
}

// Printable returns JSON values as one line of ASCII without single quotes, exclamation
// marks and characters that control a terminal.
func Printable(values []byte) string {
	var b strings.Builder
	for _, c := range strings.TrimSpace(string(values)) {
		switch {
		case c == '\n':
			b.WriteByte(' ') // between two values
		case c >= ' ' && c < 0x7f && c != '\'' && c != '!':
			b.WriteRune(c)
		default:
			for _, unit := range utf16.AppendRune(nil, c) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
