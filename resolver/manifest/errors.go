package manifest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// Error is a fault of an input, with its place as far as it is known.
type Error struct {
	// Source is the name of the input, empty for [ReadObject].
	Source string
	// Document counts from 1. It is 0 if the input as a whole is at fault.
	Document int
	// Item is the index in the document's List, -1 outside a List.
	Item int
	// Kind, Namespace and Name identify the object.
	Kind      string
	Namespace string
	Name      string
	// Path is the field, such as "spec.channel".
	Path string
	// Err is the fault.
	Err error
}

func (e *Error) Error() string {
	parts := e.place()
	switch {
	case e.Kind == "":
	case e.Name == "":
		parts = append(parts, e.Kind)
	case e.Namespace == "":
		parts = append(parts, e.Kind+" "+e.Name)
	default:
		parts = append(parts, e.Kind+" "+e.Namespace+"/"+e.Name)
	}
	if e.Path != "" {
		parts = append(parts, e.Path)
	}
	return strings.Join(append(parts, e.Err.Error()), ": ")
}

// place returns the input, the document and the item.
func (e *Error) place() []string {
	var parts []string
	if e.Source != "" {
		parts = append(parts, e.Source)
	}
	if e.Document > 0 {
		where := fmt.Sprintf("document %d", e.Document)
		if e.Item >= 0 {
			where += fmt.Sprintf(", items[%d]", e.Item)
		}
		parts = append(parts, where)
	}
	return parts
}

// Unwrap returns the fault, without the place.
func (e *Error) Unwrap() error { return e.Err }

// fault returns an error about the object that e identifies.
func (e Error) fault(err error) error {
	e.Err = err
	if field, ok := errors.AsType[*jsonfield.Error](err); ok {
		e.Path, e.Err = field.Path, field.Err
	}
	return &e
}

// faultAt returns a fault of one field. The path begins at the object.
func faultAt(path string, err error) error { return &jsonfield.Error{Path: path, Err: err} }
