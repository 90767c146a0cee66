package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties"
)

// Error is a fault of an input, with its place as far as it is known.
type Error struct {
	// Source is the name of the input, empty for an object that was no text.
	Source string
	// Document counts from 1; 0 if the fault is of the input as a whole.
	Document int
	// Item is the index in the document's List, -1 outside of one.
	Item int
	// Kind, Namespace and Name identify the object.
	Kind      string
	Namespace string
	Name      string
	// Path is the field, as in "spec.channel".
	Path string
	// Err says what is wrong.
	Err error
}

func (e *Error) Error() string {
	var parts []string
	if e.Source != "" {
		parts = append(parts, e.Source)
	}
	if e.Document > 0 {
		where := "document " + strconv.Itoa(e.Document)
		if e.Item >= 0 {
			where += fmt.Sprintf(", items[%d]", e.Item)
		}
		parts = append(parts, where)
	}
	if e.Kind != "" {
		parts = append(parts, objectName(e.Kind, e.Namespace, e.Name))
	}
	if e.Path != "" {
		parts = append(parts, e.Path)
	}
	return strings.Join(append(parts, e.Err.Error()), ": ")
}

// Unwrap returns what is wrong, without the place.
func (e *Error) Unwrap() error { return e.Err }

// objectName is how errors call an object; namespace and name may be unknown.
func objectName(kind, namespace, name string) string {
	switch {
	case name == "":
		return kind
	case namespace == "":
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}

// fieldError is a fault of one field; path is relative to the object.
type fieldError struct {
	path string
	err  error
}

func (e *fieldError) Error() string { return e.path + ": " + e.err.Error() }

// decodeFields fills the value from JSON. A field of the wrong type is a
// *fieldError whose path starts with the prefix.
func decodeFields(raw jsontext.Value, value any, prefix string) error {
	err := json.Unmarshal(raw, value)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return &fieldError{path: fieldPath(prefix, semantic.JSONPointer), err: typeMismatch(semantic)}
	}
	return err
}

// fieldPath turns a JSON pointer into the way people write field paths.
func fieldPath(prefix string, p jsontext.Pointer) string {
	var b strings.Builder
	b.WriteString(prefix)
	for token := range p.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

func typeMismatch(e *json.SemanticError) error {
	want := "another type"
	if e.GoType != nil {
		switch e.GoType.Kind() {
		case reflect.String:
			want = "a string"
		case reflect.Bool:
			want = "true or false"
		case reflect.Int:
			want = "a whole number"
		case reflect.Slice:
			want = "a list"
		case reflect.Struct, reflect.Map, reflect.Pointer:
			want = "an object"
		}
	}
	return fmt.Errorf("want %s, got %s", want, properties.KindName(e.JSONKind))
}
