// Package properties holds what a bundle states about itself: typed values,
// decoded once where they enter, and everything else as the JSON it came in. It
// does not read what constraints mean, which is package constraints, and knows
// nothing of other bundles or of catalogs.
//
// [Decode] turns a list of {type, value} pairs into a [Set], and names what is
// wrong as a list of [Fault]. The typed values are [Package] (with [Release]),
// [GVK], labels, [Metadata] (install modes), [MajorMinor] (the highest OpenShift
// version) and deprecation. Package constraints reads [Set.Constraints], and CEL
// rules see [Set.CEL].
//
// A Set is immutable, and so safe for any number of goroutines; it is also small:
// equal strings and lists are shared through an [Interner], a typed value is not
// kept a second time as text, and values that resolution never reads are left
// out. Objects are decoded token by token: no reflection, and each fault in words
// of its own.
package properties

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Types of properties that have a meaning of their own. Every other type is
// opaque: kept as it is, for CEL rules to read.
const (
	TypePackage         = "olm.package"
	TypeGVK             = "olm.gvk"
	TypePackageRequired = "olm.package.required"
	TypeGVKRequired     = "olm.gvk.required"
	TypeLabel           = "olm.label"
	TypeLabelRequired   = "olm.label.required"
	TypeConstraint      = "olm.constraint"
	TypeDeprecated      = "olm.deprecated"
	TypeMaxOpenShift    = "olm.maxOpenShiftVersion"
	TypeCSVMetadata     = "olm.csv.metadata"
	TypeBundleObject    = "olm.bundle.object"
)

// defined are the types that OLM gives a meaning.
var defined = []string{
	TypePackage, TypeGVK, TypePackageRequired, TypeGVKRequired, TypeLabel, TypeLabelRequired, TypeConstraint, TypeDeprecated,
	TypeMaxOpenShift, TypeCSVMetadata, TypeBundleObject,
}

// Property is one {type, value} pair as a bundle states it.
type Property struct {
	Type string `json:"type"`
	// Value is JSON text. It may be shared: read it, never write to it.
	Value jsontext.Value `json:"value"`
}

// NewProperty returns a property with the value as JSON; one that JSON cannot express is null.
func NewProperty(propertyType string, of any) Property {
	value, _ := json.Marshal(of, json.Deterministic(true))
	return Property{Type: propertyType, Value: value}
}

// isConstraint reports whether properties of this type require something of
// other bundles.
func isConstraint(propertyType string) bool {
	switch propertyType {
	case TypeConstraint, TypePackageRequired, TypeGVKRequired, TypeLabelRequired:
		return true
	}
	return false
}
