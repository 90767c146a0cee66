package document

import "github.com/resolvent/resolvent/cache/catalog"

// Schemas of the blobs that make up a catalog.
const (
	SchemaPackage      = "olm.package"
	SchemaChannel      = "olm.channel"
	SchemaBundle       = "olm.bundle"
	SchemaDeprecations = "olm.deprecations"
)

// Origin is where a blob was found.
type Origin struct {
	File         string
	Line, Column int
}

// Fault returns an error at this place.
func (o Origin) Fault(code catalog.Code, message string) catalog.Fault {
	return catalog.Fault{Code: code, File: o.File, Line: o.Line, Column: o.Column, Property: -1, Message: message}
}

// FaultIn is fault of the package, channel and bundle of another one.
func (o Origin) FaultIn(place catalog.Fault, code catalog.Code, message string) catalog.Fault {
	f := o.Fault(code, message)
	f.Package, f.Channel, f.Bundle = place.Package, place.Channel, place.Bundle
	return f
}
