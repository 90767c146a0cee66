package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// input is one input while it is read.
type input struct {
	*collector
	source   string
	data     []byte
	document int // the number of the last document, from 1
}

// read reads every document of the input that is not empty, as JSON.
//
// It does not read JSON as YAML, although nearly all JSON is YAML: concatenated values and
// escaped surrogate pairs are not, and it would be ten times slower.
func (in *input) read() error {
	values := jsontext.NewDecoder(bytes.NewBuffer(in.data))
	for {
		offset := int(values.InputOffset())
		if !isJSON(in.data[offset:]) {
			return in.yaml(in.data[offset:], bytes.Count(in.data[:offset], newline))
		}
		raw, err := values.ReadValue()
		if err != nil {
			return in.syntax(describeSyntax(in.data, err))
		}
		if err := in.next(raw); err != nil {
			return err
		}
	}
}

// count counts a document.
func (in *input) count() error {
	if err := in.ctx.Err(); err != nil {
		return err
	}
	if in.document++; in.document > in.limits.documents {
		return &Error{Source: in.source, Item: -1, Err: fmt.Errorf("more than %d documents", in.limits.documents)}
	}
	return nil
}

func (in *input) next(raw jsontext.Value) error {
	if err := in.count(); err != nil || raw.Kind() == 'n' {
		return err
	}
	return in.collector.document(Error{Source: in.source, Document: in.document, Item: -1}, raw)
}

// syntax returns the error that keeps the next document from being read.
func (in *input) syntax(err error) error {
	return &Error{Source: in.source, Document: in.document + 1, Item: -1, Err: err}
}

// isJSON distinguishes JSON from YAML by what follows the brace: the flow style of YAML
// begins with a brace, too.
func isJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return false
	}
	data = bytes.TrimLeft(data[1:], " \t\r\n")
	return len(data) == 0 || data[0] == '"' || data[0] == '}'
}

var errCutOff = errors.New("the JSON ends in the middle of a value")

// describeSyntax adds the line to a JSON error.
func describeSyntax(data []byte, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(data, newline), errCutOff)
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return syntaxAt(1+bytes.Count(data[:min(max(int(syntax.ByteOffset), 0), len(data))], newline), syntax)
	}
	return err
}

func syntaxAt(line int, err *jsontext.SyntacticError) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("line %d: field %q is given twice", line, err.JSONPointer.LastToken())
	}
	return fmt.Errorf("line %d: %w", line, err.Err)
}

// yaml reads YAML documents that stand behind firstLine lines.
func (in *input) yaml(text []byte, firstLine int) error {
	var buffer bytes.Buffer
	return in.load(text, firstLine, func(document *yaml.Node) error {
		buffer.Reset()
		if err := writeJSON(in.ctx, in.limits, &buffer, document, firstLine); err != nil {
			return in.syntax(err)
		}
		return in.next(bytes.TrimSpace(buffer.Bytes()))
	})
}

// load parses YAML documents one after another.
func (in *input) load(text []byte, firstLine int, use func(*yaml.Node) error) error {
	loader, err := yaml.NewLoader(contextReader{in.ctx, bytes.NewReader(text)},
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(in.limits.depth))))
	if err != nil {
		return in.syntax(err)
	}
	for {
		var document yaml.Node
		if err := loader.Load(&document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return in.syntax(describeYAML(err, firstLine))
		}
		if err := use(&document); err != nil {
			return err
		}
	}
}

// describeYAML adds the line to a YAML error, and leaves out the library's own terms.
func describeYAML(err error, firstLine int) error {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return err
	}
	if load.Mark.Line == 0 { // the bytes are no text
		return errors.New("it is neither JSON nor YAML: " + load.Message)
	}
	if load.ContextMsg != "" {
		return fmt.Errorf("line %d: %s (%s)", firstLine+load.Mark.Line, load.Message, load.ContextMsg)
	}
	return fmt.Errorf("line %d: %s", firstLine+load.Mark.Line, load.Message)
}
