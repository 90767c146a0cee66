package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// eachDocument calls use for every document of the text that is not empty, as
// JSON, counting all of them from 1. The value is valid during the call only.
//
// JSON does not take the way through YAML, although nearly all JSON is YAML:
// concatenated values and escaped surrogate pairs are not, and it would be ten
// times slower.
func eachDocument(ctx context.Context, limits Limits, data []byte, use func(number int, raw jsontext.Value) error) error {
	d := documents{ctx: ctx, limits: limits, data: data, use: use}
	values := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		offset := int(values.InputOffset())
		if !looksLikeJSON(data[offset:]) {
			return d.yaml(offset)
		}
		raw, err := values.ReadValue()
		if err != nil {
			return d.fault(describeSyntax(data, err))
		}
		if err := d.next(raw); err != nil {
			return err
		}
	}
}

// documents counts the documents of a text.
type documents struct {
	ctx    context.Context
	limits Limits
	data   []byte
	number int // of the last one
	use    func(number int, raw jsontext.Value) error
}

func (d *documents) next(raw jsontext.Value) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	if d.number++; d.number > d.limits.Documents {
		return fmt.Errorf("more than %d documents", d.limits.Documents)
	}
	if raw.Kind() == 'n' {
		return nil
	}
	return d.use(d.number, raw)
}

// fault is what keeps the next document from being read.
func (d *documents) fault(err error) error { return &documentError{d.number + 1, err} }

// documentError is a fault of a document's syntax.
type documentError struct {
	number int
	err    error
}

func (e *documentError) Error() string { return fmt.Sprintf("document %d: %v", e.number, e.err) }

// looksLikeJSON tells JSON from YAML, whose flow style also begins with a
// brace, by what follows the brace.
func looksLikeJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return false
	}
	data = bytes.TrimLeft(data[1:], " \t\r\n")
	return len(data) == 0 || data[0] == '"' || data[0] == '}'
}

// describeSyntax gives a JSON error its line.
func describeSyntax(data []byte, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("line %d: the JSON ends in the middle of a value", 1+bytes.Count(data, []byte("\n")))
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(data[:min(max(int(syntax.ByteOffset), 0), len(data))], []byte("\n"))
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("line %d: field %q is given twice", line, syntax.JSONPointer.LastToken())
		}
		return fmt.Errorf("line %d: %w", line, syntax.Err)
	}
	return err
}

// yaml hands over the YAML documents of the text from the offset on.
func (d *documents) yaml(offset int) error {
	firstLine := bytes.Count(d.data[:offset], []byte("\n"))
	loader, err := yaml.NewLoader(contextReader{d.ctx, bytes.NewReader(d.data[offset:])},
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(d.limits.Depth))))
	if err != nil {
		return err
	}
	var buffer bytes.Buffer
	for {
		var document yaml.Node
		if err := loader.Load(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return d.fault(describeYAML(err, firstLine))
		}
		buffer.Reset()
		if err := writeJSON(d.ctx, d.limits, &buffer, &document, firstLine); err != nil {
			return d.fault(err)
		}
		if err := d.next(bytes.TrimSpace(buffer.Bytes())); err != nil {
			return err
		}
	}
}

// describeYAML leaves out the names that the YAML library gives its stages.
func describeYAML(err error, firstLine int) error {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return err
	}
	if load.ContextMsg != "" {
		return fmt.Errorf("line %d: %s (%s)", firstLine+load.Mark.Line, load.Message, load.ContextMsg)
	}
	return fmt.Errorf("line %d: %s", firstLine+load.Mark.Line, load.Message)
}
