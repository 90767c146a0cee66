package constraints

import (
	"bytes"
	"fmt"

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
	if label, ok := e.(Label); ok {
		prop.Type = properties.TypeLabelRequired
		w.members(keyLabel, label.Label)
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
	w.token(jsontext.BeginObject)
	switch e := e.(type) {
	case GVK:
		w.text(keyGVK)
		w.members(keyGroup, e.Group, keyVersion, e.Version, keyKind, e.Kind)
	case Package:
		w.text(keyPackage)
		w.members(keyPackageName, e.Name, keyVersionRange, e.Range.Text())
	case CEL:
		w.text(keyCEL)
		w.members(keyRule, e.Rule.Source())
	case All:
		w.children(keyAll, e.Exprs)
	case Any:
		w.children(keyAny, e.Exprs)
	case Not:
		w.children(keyNot, e.Exprs)
	default:
		w.fail(fmt.Errorf("olm.constraint has no form for %T", e))
		return
	}
	if message := e.FailureMessage(); message != "" {
		w.text(keyMessage)
		w.text(message)
	}
	w.token(jsontext.EndObject)
}

func (w *writer) children(key string, exprs []Expr) {
	w.text(key)
	w.token(jsontext.BeginObject)
	w.text(keyConstraints)
	w.token(jsontext.BeginArray)
	for _, e := range exprs {
		w.expr(e)
	}
	w.token(jsontext.EndArray)
	w.token(jsontext.EndObject)
}

// members writes an object of keys and texts, given in turn.
func (w *writer) members(keysAndTexts ...string) {
	w.token(jsontext.BeginObject)
	for _, text := range keysAndTexts {
		w.text(text)
	}
	w.token(jsontext.EndObject)
}

func (w *writer) text(text string) { w.token(jsontext.String(text)) }

func (w *writer) token(token jsontext.Token) {
	if w.err == nil {
		w.err = w.json.WriteToken(token)
	}
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
