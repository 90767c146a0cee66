package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
)

// Reader reads the documents of files. It is for one goroutine.
type Reader struct {
	Limits  catalog.Limits
	Strings *properties.Interner
	Sink    Sink
	// Whole reports whether to keep a document whole, which resolution does not need. Nil
	// keeps none.
	Whole func(d *Document) bool

	doc Document // that is read; its lists serve all files
}

// Sink takes what a Reader finds.
type Sink interface {
	// Document takes a complete document. It may use it until it returns.
	Document(d *Document)
	// Fault takes a fault of a file.
	Fault(f catalog.Fault)
	// Damage takes a package that an unreadable file mentions. It is called after
	// Document for the documents of that file.
	Damage(file, pkg string)
}

// fileReader reads the documents of one file.
type fileReader struct {
	*Reader
	name      string
	text      []byte
	lines     lines
	decoder   decoder
	documents int
	// mentioned are the packages that the file mentions, with repeats.
	mentioned []string
	damaged   bool
}

// errStop ends the reading of a file early.
var errStop = errors.New("stop")

// ReadFile reads a file. Its error is that of ctx. Errors of the file become faults.
func (r *Reader) ReadFile(ctx context.Context, name string, text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	f := &fileReader{Reader: r, name: name, text: text, lines: lines{text: text}}
	f.decoder.doc = &f.doc

	var err error
	if limit := r.Limits.FileBytes; int64(len(text)) > limit {
		f.damage(code.Limit, 1, 1, fmt.Sprintf("the file is larger than the %d bytes allowed", limit), text)
	} else {
		err = f.read(ctx)
	}
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	if f.damaged {
		for _, pkg := range f.mentioned {
			r.Sink.Damage(name, pkg)
		}
	}
	return nil
}

// read splits the file into documents. Text that starts with a brace is first tried as
// JSON, whatever the name of the file, as YAML readers do.
func (f *fileReader) read(ctx context.Context) error {
	if startsJSON(f.text) && isJSONFile(f.name) {
		return f.readJSON(ctx, 0, len(f.text), false)
	}
	for start := 0; start < len(f.text); {
		end := f.nextDocument(start)
		var err error
		if startsJSON(f.text[start:end]) {
			err = f.readJSON(ctx, start+markerLength(f.text[start:end]), end, true)
		} else {
			err = f.readYAML(ctx, start, end)
		}
		if err != nil {
			return err
		}
		start = end
	}
	return nil
}

// IsCatalogFile reports whether a file has the extension of JSON or YAML.
func IsCatalogFile(name string) bool { return IsYAMLFile(name) || isJSONFile(name) }

// IsYAMLFile reports whether a file has the extension of YAML.
func IsYAMLFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		return true
	}
	return false
}

// isJSONFile reports whether a file has an extension of JSON.
func isJSONFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// startsJSON reports whether the text, after a document marker, opens an object.
func startsJSON(text []byte) bool {
	text = bytes.TrimLeft(text[markerLength(text):], " \t\r\n")
	return len(text) > 0 && text[0] == '{'
}

var marker = []byte("---")

// markerLength returns the length of the document marker at the start of the text, 0
// without one.
func markerLength(text []byte) int {
	if !bytes.HasPrefix(text, marker) || (len(text) > len(marker) && !bytes.ContainsAny(text[3:4], " \t\r\n")) {
		return 0
	}
	return len(marker)
}

// nextDocument returns the end of the document at start. That is the next marker in the
// first column, which no scalar of YAML and no string of JSON can contain. A text with
// directives is not split, because these precede the marker.
func (f *fileReader) nextDocument(start int) int {
	if start == 0 && (bytes.HasPrefix(f.text, []byte("%")) || bytes.Contains(f.text, []byte("\n%"))) {
		return len(f.text)
	}
	for at := start; ; {
		i := bytes.Index(f.text[at:], []byte("\n---"))
		if i < 0 {
			return len(f.text)
		}
		at += i + 1
		if markerLength(f.text[at:]) > 0 {
			return at
		}
	}
}

// readJSON reads the documents between two offsets. With maybeYAML it reads them as YAML
// if the first one is not JSON, because YAML has braces too.
func (f *fileReader) readJSON(ctx context.Context, start, end int, maybeYAML bool) error {
	cursor := newJSONCursor(f.text[start:end], f.Strings, f.Limits.Depth)
	f.decoder.cursor = cursor
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		kind := cursor.kind()
		from := cursor.next()
		line, column := f.lines.at(start + from)
		f.doc.reset(Origin{f.name, line, column})
		err := error(errNotObject)
		if kind == '{' || kind == 0 {
			err = f.decoder.document()
		}
		switch {
		case errors.Is(err, io.EOF) && kind == 0:
			return nil
		case err != nil && first && maybeYAML:
			return f.readYAML(ctx, start, end)
		case err != nil:
			at := start + cursor.offset()
			if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				at = start + int(syntactic.ByteOffset)
			}
			line, column := f.lines.at(at)
			f.damage(code.Syntax, line, column, jsonMessage(err), f.text[start+from:end])
			return nil
		}
		f.doc.Size = cursor.offset() - from
		if f.whole() {
			f.doc.Whole = bytes.Clone(f.text[start+from : start+cursor.offset()])
		}
		if err := f.finish(); err != nil {
			return err
		}
	}
}

var errNotObject = errors.New("a document must be an object with a schema")

func jsonMessage(err error) string {
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err = syntactic.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the file ends in the middle of a document"
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// readYAML reads the documents between two offsets. There are several only if the text
// could not be split.
func (f *fileReader) readYAML(ctx context.Context, start, end int) error {
	text := f.text[start:end]
	above, _ := f.lines.at(start)
	if limit := f.Limits.DocumentBytes; len(text) > limit {
		f.damage(code.Limit, above, 1, fmt.Sprintf("the document is %d bytes long, more than the %d allowed", len(text), limit), text)
		return nil
	}
	lost := text // nil once it has been searched for packages
	cursor := newYAMLCursor(f.Limits, len(text), f.Strings)
	f.decoder.cursor = cursor
	err := eachYAML(ctx, f.Limits, text, func(root *yaml.Node) error {
		f.doc.reset(Origin{f.name, above + root.Line - 1, root.Column})
		f.doc.Size = len(text)
		if root.Kind != yaml.MappingNode {
			f.damage(code.Syntax, f.doc.Line, f.doc.Column, errNotObject.Error(), lost)
			lost = nil
			return nil
		}
		cursor.node, cursor.frames, cursor.depth = root, nil, 0
		if err := f.decoder.document(); err != nil {
			f.doc.Report(Problem{Code: CodeOf(err), Message: err.Error()})
		}
		if f.whole() {
			var err error
			if f.doc.Whole, err = newYAMLCursor(f.Limits, len(text), f.Strings).appendJSON(nil, root, nil); err != nil {
				f.doc.Report(Problem{Code: CodeOf(err), Message: err.Error()})
			}
		}
		return f.finish()
	})
	if syntax, ok := errors.AsType[*syntaxFault](err); ok {
		f.damage(syntax.code, above+syntax.line-1, syntax.column, syntax.message, lost)
		return nil
	}
	return err
}

func (f *fileReader) whole() bool { return f.Whole != nil && f.Whole(&f.doc) }

// finish passes a complete document to the sink.
func (f *fileReader) finish() error {
	f.documents++
	if limit := f.Limits.Documents; f.documents > limit {
		f.damage(code.Limit, f.doc.Line, f.doc.Column, fmt.Sprintf("the file has more than the %d documents allowed", limit), f.text)
		return errStop
	}
	f.mention()
	f.Sink.Document(&f.doc)
	return nil
}

// mention records the package of the current document.
func (f *fileReader) mention() {
	switch {
	case f.doc.Schema == SchemaPackage && f.doc.Name != "":
		f.mentioned = append(f.mentioned, f.doc.Name)
	case f.doc.Pkg != "":
		f.mentioned = append(f.mentioned, f.doc.Pkg)
	}
}

// damage records that the file cannot be read at a place. rest is the lost text, from the
// start of the broken document.
func (f *fileReader) damage(code catalog.Code, line, column int, message string, rest []byte) {
	f.damaged = true
	f.mention()
	f.mentioned = append(f.mentioned, mentions(rest)...)
	f.Sink.Fault(Origin{f.name, line, column}.Fault(code, message+"; packages that this file mentions are not used"))
}
