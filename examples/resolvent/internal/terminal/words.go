package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// Count is a number of things, in the plural unless it is one.
func Count(n int, thing string) string { return fmt.Sprintf("%d %s%s", n, thing, Verb(n, "", "s")) }

// Verb returns the word for one thing, or that for another number of them.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// TrueFirst compares two things by whether something is so: the one of which it is comes first.
func TrueFirst(a, b bool) int { return map[bool]int{true: -1}[a] - map[bool]int{true: -1}[b] }

// OneOf lists words as alternatives.
func OneOf(words []string) string { return Listed(words, "or") }

// Listed joins words, the last one with another word before it.
func Listed(words []string, before string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + before + " " + words[last]
}

// Few lists some names, and a number of the others.
func Few(names []string) string {
	return strings.Join(First(names, 4, "%d others"), ", ")
}

// First returns the first texts, and how many follow if that is more than one.
func First(texts []string, most int, rest string) []string {
	if more := len(texts) - most; more > 1 {
		return append(slices.Clone(texts[:most]), fmt.Sprintf(rest, more))
	}
	return texts
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

// Labeled is a text behind its label, empty if there is none.
func Labeled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}

// YAML writes documents in n pieces. No text in them begins a line: it stays on its own. Each
// document has a dumper of its own, as one keeps all events of its documents.
func (p *Page) YAML(n int, thing string, documents func(i int) ([]*yaml.Node, error)) (err error) {
	separator := ""
	p.Each(n, thing, func(i int) bool {
		var nodes []*yaml.Node
		nodes, err = documents(i)
		for _, node := range nodes {
			quote(node)
			text, failed := yaml.Dump(node, yaml.WithLineWidth(-1))
			err = cmp.Or(err, failed)
			p.Buffer.WriteString(separator + string(text))
			separator = "---\n"
		}
		return err == nil
	})
	return err
}

// YAMLText writes a document that is YAML already.
func (p *Page) YAMLText(text []byte) error {
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return err
	}
	return p.YAML(1, "document", func(int) ([]*yaml.Node, error) { return []*yaml.Node{&document}, nil })
}

// YAMLOf makes documents of JSON values, with their order of keys.
func YAMLOf(values []byte) (documents []*yaml.Node, err error) {
	from := jsontext.NewDecoder(bytes.NewReader(values))
	for err == nil && from.PeekKind() != 0 {
		var node *yaml.Node
		node, err = nodeOf(from)
		documents = append(documents, node)
	}
	return documents, err
}

func nodeOf(from *jsontext.Decoder) (*yaml.Node, error) {
	token, err := from.ReadToken()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}
	switch kind := token.Kind(); kind {
	case '{', '[':
		end := jsontext.Kind('}')
		if node.Kind, node.Value = yaml.MappingNode, ""; kind == '[' {
			node.Kind, end = yaml.SequenceNode, ']'
		}
		for err == nil && from.PeekKind() != end {
			var child *yaml.Node
			child, err = nodeOf(from)
			node.Content = append(node.Content, child)
		}
		if err == nil {
			_, err = from.ReadToken()
		}
	case '"':
		if node.Tag = "!!str"; !plain.MatchString(node.Value) || typed.MatchString(node.Value) {
			err = node.Encode(node.Value)
		}
	}
	return node, err
}

// plain are texts that need no look at the rules of YAML, unless some YAML takes them for
// another type.
var (
	plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9./-]*$`)
	typed = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)
)

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

// EncodeLine writes a document as one line, at once.
func EncodeLine[T any](w io.Writer, body T, how ...json.Options) error {
	text, err := json.Marshal(document[T]{Schema, body}, how...)
	if err == nil {
		_, err = w.Write(append(JSON(text), '\n'))
	}
	return err
}
