package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What catalogs and manifests say is the text of strangers. Here it is made
// harmless for whoever reads it on a terminal or in the log of a workflow: it controls
// nothing, and begins no line.

// Lines is a text that is put together already, with line breaks of its own.
type Lines string

// Printf is fmt.Fprintf for people: all of their text goes through it. What texts and errors
// among args say does not begin a line, but for Lines.
func Printf(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case Lines:
		case error:
			args[i] = Message(arg)
		case fmt.Stringer:
			args[i] = Plain(arg.String())
		default:
			if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
				args[i] = Plain(v.String())
			}
		}
	}
	fmt.Fprintf(w, format, args...)
}

// Notes writes what is written to it at a time as one line.
type Notes struct{ To io.Writer }

func (n Notes) Write(p []byte) (int, error) {
	Printf(n.To, "%s\n", strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// Message is what an error says, each of several that it joins on a line of its own.
func Message(err error) Lines {
	parts := []error{errors.Unwrap(err)}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		parts = several.Unwrap()
	}
	var b strings.Builder
	rest := err.Error()
	for _, part := range parts {
		if part == nil {
			continue
		}
		before, after, found := strings.Cut(rest, part.Error())
		if !found {
			break
		}
		said := string(Message(part))
		if words := strings.TrimRight(before, " \n"); len(parts) > 1 && strings.Contains(before[len(words):], "\n") {
			before, said = words, "\n  "+strings.ReplaceAll(said, "\n", "\n  ")
		}
		b.WriteString(Line(before) + said)
		rest = after
	}
	return Lines(b.String() + Line(rest))
}

// Named is the message of an error behind the name of what it is about.
func Named(name string, err error) Lines { return Lines(Plain(name)+": ") + Message(err) }

// snippet begins the lines in which a message shows a place in a rule.
const snippet = "\n  | "

// Line is Plain for a message. Only the lines that show a place in a rule stay lines.
func Line(message string) string {
	return strings.Join(Mapped(strings.Split(message, snippet), Plain), snippet)
}

// Legible escapes what is written to it.
type Legible struct{ To io.Writer }

// users are the user and the password of a URL, and queries its query.
var (
	users   = regexp.MustCompile(`(\b[a-z]+://)[^\s/@"]*@`)
	queries = regexp.MustCompile(`(\bhttps?://[^\s?"]*\?)[^\s"]*[^\s"':,;)]`)
)

// Public is a text whose URLs are without what may be secret.
func Public(text string) string {
	return queries.ReplaceAllString(users.ReplaceAllString(text, "$1"), "$1...")
}

// Write writes p escaped, and URLs without what may be secret.
func (l Legible) Write(p []byte) (int, error) {
	if _, err := io.WriteString(l.To, wrapped(inert(Public(string(p))), widthOf(l.To))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escaped shows the characters that control a terminal, or the direction of
// writing, as Go writes them in strings. Line breaks and tabs stay.
func escaped(text string) string {
	return escape(text, func(c rune) bool { return c != '\n' && c != '\t' && controls(c) })
}

// inert is escaped for the log of a workflow, in which a line that begins with two colons,
// after any blanks, is a command.
func inert(text string) string {
	if text = escaped(text); !strings.Contains(text, "::") {
		return text
	}
	return command.ReplaceAllString(text, `$1\x3a:`)
}

var command = regexp.MustCompile(`(?m)^([\s\p{Z}]*)::`)

// Plain is escaped for a name: line breaks and tabs are shown as well, so that it
// is a single line, and a single cell of a table.
func Plain(name string) string { return escape(name, controls) }

// controls reports whether a character is not shown, but does something.
func controls(c rune) bool {
	return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029'
}

func escape(text string, hidden func(rune) bool) string {
	seen := 0 // what is looked at most is ASCII
	for seen < len(text) && (text[seen] >= ' ' && text[seen] < 0x7f || text[seen] < ' ' && !hidden(rune(text[seen]))) {
		seen++
	}
	if seen == len(text) || utf8.ValidString(text[seen:]) && strings.IndexFunc(text[seen:], hidden) < 0 {
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

// JSON has escapes for what a terminal would obey in JSON, and for what some readers take for the
// end of a line. Such characters are in strings alone.
func JSON(text []byte) []byte {
	hidden := func(c rune) bool { return c >= 0x7f && controls(c) }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out []byte
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if hidden(c) {
			out = fmt.Appendf(out, `\u%04x`, c)
		} else {
			out = append(out, text[:size]...)
		}
		text = text[size:]
	}
	return out
}

// Flat makes one line of a text that has several.
func Flat(text string) string {
	if !strings.ContainsAny(text, "\n\r") {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// Indented is Line for a message whose further lines stand further to the right.
func Indented(message, indent string) Lines {
	return Lines(strings.ReplaceAll(Line(message), "\n", "\n"+indent))
}
