package constraints

import "fmt"

// ParseError is a constraint that cannot be read.
type ParseError struct {
	// Index and Type are those of the property.
	Index int
	Type  string
	// Path is the place inside the value, such as
	// "any.constraints[2].package.versionRange"; empty if it is the whole value.
	Path string
	Err  error
}

func (e *ParseError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("property %d (%s): %v", e.Index, e.Type, e.Err)
	}
	return fmt.Sprintf("property %d (%s): %s: %v", e.Index, e.Type, e.Path, e.Err)
}

func (e *ParseError) Unwrap() error { return e.Err }
