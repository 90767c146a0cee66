package properties

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FieldError is a fault of one field of a JSON object.
type FieldError struct {
	// Path leads to the field, as in "spec.install.strategy" or "items[2]"; empty
	// for the object itself.
	Path string
	Err  error
}

func (e *FieldError) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns what is wrong, without the place.
func (e *FieldError) Unwrap() error { return e.Err }

// DecodeFields fills the value from JSON. A field of the wrong type is a
// *FieldError in words of JSON, whose path starts with the prefix.
func DecodeFields(raw jsontext.Value, value any, prefix string) error {
	err := json.Unmarshal(raw, value)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return &FieldError{Path: fieldPath(prefix, semantic.JSONPointer), Err: typeMismatch(semantic)}
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
	return fmt.Errorf("want %s, got %s", want, KindName(e.JSONKind))
}
