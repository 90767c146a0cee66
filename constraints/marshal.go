package constraints

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties"
)

// Marshal writes an expression as a property that a [Parser] reads as the same
// expression: olm.constraint, or olm.label.required for a [Label], which
// olm.constraint cannot say. It is an error if the expression holds a Label
// elsewhere, a child that is nil, or text that is not UTF-8.
func Marshal(e Expr) (properties.Property, error) {
	var out bytes.Buffer
	w := writer{json: jsontext.NewEncoder(&out)}
	prop := properties.Property{Type: properties.TypeConstraint}
	if k, ok := w.kind(e); ok && !k.generic {
		prop.Type = k.property
		w.body(e)
	} else {
		w.expr(e)
	}
	if w.err != nil {
		return properties.Property{}, fmt.Errorf("writing a constraint: %w", w.err)
	}
	prop.Value = bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	return prop, nil
}

// writer keeps the first error, after which it writes nothing.
type writer struct {
	json *jsontext.Encoder
	err  error
}

func (w *writer) expr(e Expr) {
	if k, _ := w.kind(e); w.err == nil && !k.generic {
		w.err = fmt.Errorf("olm.constraint has no form for %T", e)
	}
	if w.err != nil {
		return
	}
	w.write(jsontext.BeginObject, jsontext.String(e.name()))
	w.body(e)
	if message := e.FailureMessage(); message != "" {
		w.write(jsontext.String(keyMessage), jsontext.String(message))
	}
	w.write(jsontext.EndObject)
}

func (w *writer) kind(e Expr) (kind, bool) {
	if e == nil {
		return kind{}, false
	}
	return kindOf(e.name(), "")
}

// body writes the value of the key of a kind.
func (w *writer) body(e Expr) {
	fields, parts := e.content()
	w.write(jsontext.BeginObject)
	for _, f := range fields {
		w.write(jsontext.String(f.key), jsontext.String(f.text))
	}
	if len(fields) == 0 {
		w.write(jsontext.String(keyParts), jsontext.BeginArray)
		for _, part := range parts {
			w.expr(part)
		}
		w.write(jsontext.EndArray)
	}
	w.write(jsontext.EndObject)
}

func (w *writer) write(tokens ...jsontext.Token) {
	for _, token := range tokens {
		if w.err == nil {
			w.err = w.json.WriteToken(token)
		}
	}
}

// Key returns a text that two expressions share exactly if they are written the
// same way, failure messages aside. It identifies what is required, for use as a
// map key; [Expr.String] is what people should read.
func Key(e Expr) string { return string(appendKey(make([]byte, 0, 128), e)) }

// appendKey quotes every text, so that none can pass for two.
func appendKey(key []byte, e Expr) []byte {
	if e == nil {
		return key
	}
	key = append(append(key, e.name()...), '(')
	fields, parts := e.content()
	for i, f := range fields {
		if i > 0 {
			key = append(key, ',')
		}
		key = strconv.AppendQuote(key, f.text)
	}
	for i, part := range parts {
		if i > 0 {
			key = append(key, ',')
		}
		key = appendKey(key, part)
	}
	return append(key, ')')
}
