package properties

import "fmt"

// faultCode is a kind of fault of a property.
type faultCode string

const (
	codeMalformed faultCode = "property"        // the value does not have the form that its type requires
	codeNoType    faultCode = "propertyType"    // the property has no type
	codeNoValue   faultCode = "nullValue"       // the value is missing or null
	codePackage   faultCode = "packageProperty" // not exactly one property is of type olm.package
	codeVersion   faultCode = "version"         // the version of olm.package is not a semantic version
)

// Fault is an error of one property.
type Fault struct {
	// Code is the kind of fault, for programs: property, propertyType, nullValue,
	// packageProperty or version.
	Code string
	// Index is the position of the property in the bundle's list, counted from 0. It
	// is -1 if a property is missing.
	Index int
	Type  string
	// Fatal means that the bundle cannot be used. Otherwise only this property is
	// lost.
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
