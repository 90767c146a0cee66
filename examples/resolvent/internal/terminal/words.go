package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Count is a number of things, in the plural unless it is one.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// OneOf lists words as alternatives.
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Mapped applies a function to all elements of a list. Of an empty list it makes an empty
// one, which JSON writes as [].
func Mapped[From, To any](list []From, f func(From) To) []To {
	out := make([]To, len(list))
	for i := range list {
		out[i] = f(list[i])
	}
	return out
}

// Section prints lines below a title, and nothing if there are none.
func Section(w *bytes.Buffer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.WriteString("\n" + title + "\n")
	for _, line := range lines {
		w.WriteString("  " + Indented(line, "  ") + "\n")
	}
}

// Dash stands in tables for what there is not.
func Dash(text string) string { return cmp.Or(text, "-") }

// Encode writes JSON for programs.
func Encode(w io.Writer, v any) error {
	return json.MarshalEncode(jsontext.NewEncoder(w, jsontext.WithIndent("  ")), v)
}

// EncodeLine writes JSON for programs as one line, at once.
func EncodeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}
