// Package jsonfield decodes JSON into Go values. Its errors speak of JSON, not of
// Go types: "spec.items[2]: want a string, got a number".
package jsonfield

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error is the error of one field of a JSON object.
type Error struct {
	// Path is that of the field, such as "spec.install.strategy" or "items[2]". It is
	// empty for the object itself.
	Path string
	Err  error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the error without the path.
func (e *Error) Unwrap() error { return e.Err }

// Decode fills the value from JSON. The error is an *[Error] if a field has the wrong
// type; its path starts with the prefix.
func Decode(raw []byte, value any, prefix string) error {
	err := json.Unmarshal(raw, value)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return &Error{Path: fieldPath(prefix, semantic.JSONPointer), Err: typeMismatch(semantic)}
	}
	return err
}

// fieldPath returns a JSON pointer as a path of fields.
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

var wanted = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Slice: "a list",
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Pointer: "an object",
}

func typeMismatch(e *json.SemanticError) error {
	want := "another type"
	if e.GoType != nil {
		want = cmp.Or(wanted[e.GoType.Kind()], want)
	}
	return fmt.Errorf("want %s, got %s", want, KindName(byte(e.JSONKind)))
}

// KindName returns a kind of JSON value in words, such as "a list".
func KindName(k byte) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{', '}':
		return "an object"
	case '[', ']':
		return "a list"
	}
	return "something else"
}

// Nesting returns how deep lists and objects nest in valid JSON text.
func Nesting(text []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			i++
			for i < len(text) && text[i] != '"' {
				if text[i] == '\\' {
					i++
				}
				i++
			}
		}
	}
	return deepest
}
