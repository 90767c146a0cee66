package properties

import "fmt"

// FaultKind says what sort of thing is wrong with a property.
type FaultKind uint8

const (
	// Malformed: the value does not have the form that its type requires.
	Malformed FaultKind = iota
	// EmptyType: the property has no type.
	EmptyType
	// NullValue: the value is missing or null.
	NullValue
	// MissingPackage: no property is of type olm.package.
	MissingPackage
	// RepeatedPackage: several properties are of type olm.package.
	RepeatedPackage
	// BadVersion: the version of olm.package is not a semantic version.
	BadVersion
)

// Fault is something wrong with one property.
type Fault struct {
	Kind FaultKind
	// Index is the position of the property in the bundle's list, counted from
	// 0; -1 if the fault is that a property is missing.
	Index int
	Type  string
	// Fatal means that the bundle cannot be used. Otherwise only what this
	// property would have said is lost.
	Fatal bool
	Err   error
}

func (f Fault) Error() string {
	if f.Index < 0 {
		return f.Err.Error()
	}
	if f.Type == "" {
		return fmt.Sprintf("property %d: %v", f.Index, f.Err)
	}
	return fmt.Sprintf("property %d (%s): %v", f.Index, f.Type, f.Err)
}

func (f Fault) Unwrap() error { return f.Err }
