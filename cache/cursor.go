package cache

// cursor stands in front of a value of a document, JSON or YAML. Each method but
// kind consumes exactly that value. A *shapeError means that the value is not
// what was asked for, and that reading can go on behind it; any other error ends
// the reading of the document.
type cursor interface {
	// kind is that of the value, in the notation of jsontext.
	kind() valueKind
	// text reads a string; shared says that it is likely to repeat.
	text(shared bool) (string, error)
	// object calls visit in front of the value of each member. The name is valid
	// during the call only.
	object(visit func(name []byte) error) error
	// list calls visit in front of each element.
	list(visit func(index int) error) error
	// property reads the value of a property as JSON text, which is valid until
	// the document has been read. The type, if it is known by then, tells how
	// much of the value matters.
	property(propertyType string) ([]byte, error)
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
	return &shapeError{CodeField, "it must be " + want + ", not " + kindName(kind)}
}

func kindName(kind valueKind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something else"
}
