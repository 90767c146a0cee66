package manifest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// stream is an input that is too large to be held as a whole, such as all operators of a cluster
// with many tenants. It reads a List item by item, and keeps what resolution reads of each.
type stream struct {
	*input
	source *countedInput
	r      *bufio.Reader
	// at and line are how many bytes and lines stand before r.
	at   int64
	line int
}

// countedInput counts what is read, and knows the lines of the end of it.
type countedInput struct {
	ctx    context.Context
	name   string
	limits limits
	r      io.Reader
	err    error // what ended reading, but the end of the input
	// size is what has been read so far, begun where the value that is read now began.
	size, begun int64
	lines       int
	// parts are the last two parts read. The decoder reads on where it needs to, so that the
	// place of an error is in one of them.
	parts [2]chunk
}

type chunk struct {
	at    int64
	lines int // before it
	data  []byte
}

// partBytes is how much is read at once.
const partBytes = 64 << 10

var newline = []byte("\n")

func (s *countedInput) Read(p []byte) (int, error) {
	var n int
	switch {
	case s.err != nil:
	case s.ctx.Err() != nil:
		s.err = s.ctx.Err()
	case s.size > s.limits.bytes:
		s.err = &Error{Source: s.name, Err: fmt.Errorf("more than %s of manifests", bytesText(s.limits.bytes))}
	case s.size-s.begun > s.limits.object+partBytes:
		s.err = &Error{Source: s.name, Err: fmt.Errorf("an object of more than %s", bytesText(s.limits.object))}
	default:
		var err error
		n, err = s.r.Read(p[:min(len(p), partBytes)])
		next := chunk{s.size, s.lines, append(s.parts[0].data[:0], p[:n]...)}
		s.parts = [2]chunk{s.parts[1], next}
		s.size += int64(n)
		s.lines += bytes.Count(p[:n], newline)
		if err == io.EOF {
			return n, err
		}
		if err != nil {
			s.err = fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return n, s.err
}

// line returns the line of a place near the end of what is read, from 1.
func (s *countedInput) line(at int64) int {
	for _, p := range [2]chunk{s.parts[1], s.parts[0]} {
		if at >= p.at {
			return 1 + p.lines + bytes.Count(p.data[:min(int(at-p.at), len(p.data))], newline)
		}
	}
	return 1 + s.parts[0].lines
}

// read reads all documents.
func (s *stream) read() error {
	s.r = bufio.NewReaderSize(s.source, partBytes)
	for {
		begin, _ := s.r.Peek(partBytes)
		if s.source.err != nil {
			return s.source.err
		}
		if !isJSON(begin) {
			return newYAMLStream(s, s.line).read()
		}
		if err := s.json(); err != nil {
			return err
		}
	}
}

// json reads JSON documents up to what is none.
func (s *stream) json() error {
	values := jsontext.NewDecoder(s.r)
	for {
		if err := s.object(values); err != nil {
			fault, isFault := errors.AsType[*Error](err)
			syntax, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
			switch {
			case s.source.err != nil:
				return s.source.err
			case isFault:
				return fault
			case errors.Is(err, io.ErrUnexpectedEOF):
				return s.syntax(fmt.Errorf("line %d: %w", 1+s.source.lines, errCutOff))
			case isSyntax:
				return s.syntax(syntaxAt(s.source.line(s.at+syntax.ByteOffset), syntax))
			}
			return s.syntax(err)
		}
		unread := values.UnreadBuffer()
		if rest := bytes.TrimLeft(unread, " \t\r\n"); len(rest) > 1 && isJSON(rest) {
			continue
		}
		buffered, _ := s.r.Peek(s.r.Buffered())
		s.at = s.source.size - int64(len(unread)+len(buffered))
		s.line = s.source.lines - bytes.Count(unread, newline) - bytes.Count(buffered, newline)
		s.r = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(unread)), s.r), partBytes)
		return nil
	}
}

// object reads one JSON document, and the items of a List one by one.
func (s *stream) object(values *jsontext.Decoder) error {
	l := s.list()
	rest := bytes.NewBufferString("{")
	if _, err := values.ReadToken(); err != nil {
		return err
	}
	for values.PeekKind() == '"' {
		name, err := values.ReadValue()
		if err != nil {
			return err
		}
		if rest.Len() > 1 {
			rest.WriteByte(',')
		}
		rest.Write(name)
		rest.WriteByte(':')
		if string(name) != `"items"` || values.PeekKind() != '[' {
			value, err := values.ReadValue()
			if err != nil {
				return err
			}
			rest.Write(value)
			l.learn(string(name), value)
			s.source.begun = s.source.size
			continue
		}
		rest.WriteString("[]")
		if _, err := values.ReadToken(); err != nil {
			return err
		}
		for kind := values.PeekKind(); kind != ']' && kind != 0; kind = values.PeekKind() {
			item, err := values.ReadValue()
			if err != nil {
				return err
			}
			s.source.begun = s.source.size
			l.add(item)
		}
		if _, err := values.ReadToken(); err != nil {
			return err
		}
	}
	if _, err := values.ReadToken(); err != nil {
		return err
	}
	rest.WriteByte('}')
	return l.end(rest.Bytes())
}

// list has the items of a document until it is known whether that is a List: kubectl prints
// the kind last.
type list struct {
	stream *stream
	// of is the kind of the items, if the document states it before them.
	of, apiVersion string
	items          []listItem
}

// listItem is an item, or what is wrong with it. raw is set where it states no kind.
type listItem struct {
	object *parsed
	raw    jsontext.Value
	err    error
}

func (s *stream) list() *list { return &list{stream: s} }

// learn notes what a member of the document says of its items.
func (l *list) learn(name string, value jsontext.Value) {
	var text string
	if value.Kind() != '"' || jsonfield.Decode(value, &text, "") != nil {
		return
	}
	switch name {
	case `"kind"`:
		l.of, _ = strings.CutSuffix(text, "List")
	case `"apiVersion"`:
		l.apiVersion = text
	}
}

func (l *list) place() Error {
	return Error{Source: l.stream.input.source, Document: l.stream.document + 1, Item: len(l.items)}
}

// add reads an item. It does not keep the text.
func (l *list) add(raw jsontext.Value) {
	at := l.place()
	h, err := readHead(at, raw)
	if err == nil && h.Kind == "" && l.of == "" {
		l.items = append(l.items, listItem{raw: raw.Clone()})
		return
	}
	l.items = append(l.items, l.read(at, h, raw, err))
}

func (l *list) read(at Error, h head, raw jsontext.Value, err error) listItem {
	if err != nil {
		return listItem{err: err}
	}
	if h.Kind == "" && l.of != "" {
		h.Kind, h.APIVersion = l.of, l.apiVersion
	}
	o, err := parse(at, h, raw)
	return listItem{object: o, err: err}
}

// end reads the document, of which rest is all but its items.
func (l *list) end(rest jsontext.Value) error {
	c, in := l.stream.collector, l.stream.input
	if len(l.items) == 0 {
		return in.next(rest)
	}
	if err := in.count(); err != nil {
		return err
	}
	at := Error{Source: in.source, Document: in.document, Item: -1}
	h, err := readHead(at, rest)
	if err != nil {
		return err
	}
	kind, isList := strings.CutSuffix(h.Kind, "List")
	if !isList {
		return c.object(at, h, rest)
	}
	l.of, l.apiVersion = kind, h.APIVersion
	for i, item := range l.items {
		if item.raw != nil {
			at.Item = i
			ih, err := readHead(at, item.raw)
			item = l.read(at, ih, item.raw, err)
		}
		if item.err != nil {
			return item.err
		}
		if item.object == nil {
			continue
		}
		if err := c.keep(item.object); err != nil {
			return err
		}
	}
	return nil
}
