package manifest

import (
	"bufio"
	"bytes"
	"errors"

	"go.yaml.in/yaml/v4"
)

// yamlStream reads the YAML of a stream by lines. It splits documents at their markers, and the
// items of a large List at their dashes: what follows a dash at that depth belongs to no item
// before. Where a quoted text or a flow collection says otherwise, its part is an error, as is
// an alias of another part; the text of a program has neither.
type yamlStream struct {
	*stream
	line int // the number of lines that were read
	// text has the lines of a document, or of some items, and stands behind the line first.
	text  []byte
	first int
	begun bool // the document has more than directives and comments
	// itemsAt is where the line behind "items:" begins in text, dash the indentation of the
	// items there, -1 while it is not known or if they are no such lines.
	itemsAt, dash int
	waits         bool // for the line behind "items:"

	items *list // of a document that is split, else nil
	ended bool  // all items are read
	// rest has the other lines of the document, at their places, and stands behind the line top.
	rest []byte
	top  int
}

// runBytes is how much text of items is parsed at once.
const runBytes = 256 << 10

func newYAMLStream(s *stream, line int) *yamlStream {
	return &yamlStream{stream: s, line: line, first: line, dash: -1}
}

func (y *yamlStream) read() error {
	for {
		line, err := y.next()
		if y.source.err != nil {
			return y.source.err
		}
		if y.begun && isMarker(line) {
			if err := y.endDocument(); err != nil {
				return err
			}
		}
		if addErr := y.add(line); addErr != nil {
			return addErr
		}
		if err != nil { // the end
			return y.endDocument()
		}
		if y.items == nil && y.dash >= 0 && len(y.text) > y.limits.split {
			if err := y.split(); err != nil {
				return err
			}
		}
	}
}

// next returns a line with its end. It is valid until the next call.
func (y *yamlStream) next() ([]byte, error) {
	line, err := y.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = y.r.ReadSlice('\n')
		long = append(long, line...)
	}
	return long, err
}

// isMarker reports whether a line begins a document.
func isMarker(line []byte) bool {
	after, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(after) == 0 || bytes.IndexByte([]byte(" \t\r\n"), after[0]) >= 0)
}

// contentOf returns the indentation of a line and its text, empty if that is a comment.
func contentOf(line []byte) (indent int, content []byte) {
	content = bytes.TrimLeft(line, " ")
	indent = len(line) - len(content)
	if content = bytes.TrimRight(content, " \t\r\n"); len(content) > 0 && content[0] == '#' {
		content = nil
	}
	return indent, content
}

// isDash reports whether the text of a line begins an item.
func isDash(content []byte) bool {
	return len(content) > 0 && content[0] == '-' && (len(content) == 1 || content[1] == ' ')
}

// add takes a line into the document.
func (y *yamlStream) add(line []byte) error {
	indent, content := contentOf(line)
	if len(content) > 0 && !isMarker(line) && (content[0] != '%' || indent > 0) {
		y.begun = true
	}
	if y.items == nil && len(content) > 0 {
		if y.waits && isDash(content) {
			y.dash = indent
		}
		if y.waits = y.itemsAt == 0 && indent == 0 && string(content) == "items:"; y.waits {
			y.itemsAt = len(y.text) + len(line)
		}
	}
	if y.items != nil && !y.ended && len(content) > 0 && indent <= y.dash {
		isItem := indent == y.dash && isDash(content)
		if !isItem || len(y.text) >= runBytes {
			if err := y.run(); err != nil {
				return err
			}
		}
		if y.ended = !isItem; y.ended { // errors name the lines of the input
			y.rest = append(y.rest, bytes.Repeat(newline, y.line-y.top-bytes.Count(y.rest, newline))...)
		}
	}
	if y.ended {
		y.rest = append(y.rest, line...)
	} else {
		y.text = append(y.text, line...)
	}
	y.line++
	return nil
}

// split has the items of the document read by themselves from now on.
func (y *yamlStream) split() error {
	text := y.text[y.itemsAt:]
	y.rest = append(bytes.TrimRight(bytes.Clone(y.text[:y.itemsAt]), " \t\r\n"), " []\n"...)
	y.items, y.top = y.list(), y.first
	y.line = y.first + bytes.Count(y.text[:y.itemsAt], newline)
	y.text, y.first = nil, y.line
	for line := range bytes.Lines(text) {
		if err := y.add(line); err != nil {
			return err
		}
	}
	return nil
}

// run reads the items in text.
func (y *yamlStream) run() error {
	var out bytes.Buffer
	err := y.load(y.text, y.first, func(document *yaml.Node) error {
		for _, list := range document.Content {
			for _, item := range list.Content {
				out.Reset()
				if err := writeJSON(y.ctx, y.limits, &out, item, y.first); err != nil {
					return y.syntax(err)
				}
				y.items.add(bytes.TrimSpace(out.Bytes()))
			}
		}
		return nil
	})
	y.text, y.first, y.source.begun = y.text[:0], y.line, y.source.size
	return err
}

// endDocument reads what is left of a document.
func (y *yamlStream) endDocument() error {
	ended := *y
	*y = *newYAMLStream(y.stream, y.line)
	y.source.begun = y.source.size
	if ended.items == nil {
		return y.yaml(ended.text, ended.first)
	}
	if !ended.ended {
		if err := ended.run(); err != nil {
			return err
		}
	}
	return y.load(ended.rest, ended.top, func(document *yaml.Node) error {
		var out bytes.Buffer
		if err := writeJSON(y.ctx, y.limits, &out, document, ended.top); err != nil {
			return y.syntax(err)
		}
		return ended.items.end(bytes.TrimSpace(out.Bytes()))
	})
}
