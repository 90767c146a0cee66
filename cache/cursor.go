package cache

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// cursor stands in front of a value of a document, JSON or YAML. A *shapeError
// means that the value is not what was asked for, and that reading can go on
// behind it; any other error ends the reading of the document. It is walked
// rather than called back, so that the thousands of objects of a catalog cost no
// closures.
type cursor interface {
	// kind is that of the value, in the notation of jsontext.
	kind() valueKind
	// text consumes a string; shared says that it is likely to repeat.
	text(shared bool) (string, error)
	// enter goes into an object or a list, whose members or elements must then be
	// walked to the end.
	enter() error
	// member goes in front of the next member's value. Without one the object is
	// consumed. The name is valid until the next call.
	member() (name []byte, ok bool, err error)
	// element goes in front of the next element. Without one the list is consumed.
	element() (ok bool, err error)
	// property consumes the value of a property as JSON text, which is valid
	// until the document has been read. The type, if it is known by then, tells how
	// much of the value matters.
	property(propertyType string) ([]byte, error)
	// skip consumes any value.
	skip() error
}

// valueKind is the first byte of a JSON value: n t f " 0 { or [. It is 0 where
// the text is broken.
type valueKind = byte

// shapeError is a value that cannot be used in its place.
type shapeError struct {
	code    Code
	message string
}

func (e *shapeError) Error() string { return e.message }

func wrongKind(want string, kind valueKind) *shapeError {
	return &shapeError{CodeField, "it must be " + want + ", not " + jsonfield.KindName(jsontext.Kind(kind))}
}
