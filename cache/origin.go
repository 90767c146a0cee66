package cache

// Schemas of the blobs that make up a catalog.
const (
	schemaPackage      = "olm.package"
	schemaChannel      = "olm.channel"
	schemaBundle       = "olm.bundle"
	schemaDeprecations = "olm.deprecations"
)

// origin is where a blob was found.
type origin struct {
	file         string
	line, column int
}

// fault returns an error at this place.
func (o origin) fault(code Code, message string) Fault {
	return Fault{Code: code, File: o.file, Line: o.line, Column: o.column, Property: -1, Message: message}
}

// faultIn is fault of the package, channel and bundle of another one.
func (o origin) faultIn(place Fault, code Code, message string) Fault {
	f := o.fault(code, message)
	f.Package, f.Channel, f.Bundle = place.Package, place.Channel, place.Bundle
	return f
}
