package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
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

// Section prints messages, or what is put together already, below a title, and nothing if
// there are none.
func Section[T string | Lines](w *bytes.Buffer, title string, lines []T) {
	if len(lines) == 0 {
		return
	}
	w.WriteString("\n" + title + "\n")
	for _, line := range lines {
		text, whole := any(line).(Lines)
		if !whole {
			text = Lines(Line(string(line)))
		}
		w.WriteString("  " + strings.ReplaceAll(string(text), "\n", "\n  ") + "\n")
	}
}

// Dash stands in tables for what there is not.
func Dash(text string) string { return cmp.Or(text, "-") }

// Encode writes JSON for programs, at once.
func Encode(w io.Writer, v any) error { return encode(w, v, jsontext.WithIndent("  ")) }

// EncodeYAML writes documents in which no text begins a line: it stays on its own.
func EncodeYAML[T any](w io.Writer, documents []T) error {
	if len(documents) == 0 {
		return nil
	}
	out, err := yaml.NewDumper(w, yaml.WithLineWidth(-1))
	for i := range documents {
		var node yaml.Node
		if err = cmp.Or(err, node.Encode(documents[i])); err != nil {
			return err
		}
		quote(&node)
		if err = out.Dump(&node); err != nil {
			return err
		}
	}
	return cmp.Or(err, out.Close())
}

// quote has texts of several lines written in quotes.
func quote(n *yaml.Node) {
	switch several := strings.ContainsAny(n.Value, "\n\r\u0085\u2028\u2029"); {
	case several:
		n.Style = yaml.DoubleQuotedStyle
	case n.Style == yaml.DoubleQuotedStyle:
		n.Style = yaml.SingleQuotedStyle
	}
	for _, child := range n.Content {
		quote(child)
	}
}

// EncodeLine is Encode for one line.
func EncodeLine(w io.Writer, v any) error { return encode(w, v) }

func encode(w io.Writer, v any, options ...json.Options) error {
	text, err := json.Marshal(v, options...)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
