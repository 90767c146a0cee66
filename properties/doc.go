// Package properties holds what a bundle states about itself. Properties that
// resolution reads become typed values, decoded once; all others stay JSON. Other
// bundles and catalogs are unknown here.
//
// [Decode] turns a list of {type, value} pairs into a [Set], and returns a [Fault]
// for each that is wrong. The typed values are [Package] (with [Release]), [GVK],
// labels, [Metadata] (install modes), [MajorMinor] (the highest OpenShift version)
// and deprecation. Package constraints reads [Set.Constraints], and CEL rules read
// [Set.CEL].
//
// A Set is immutable, and so safe for any number of goroutines. It is also small.
// Equal strings and lists are shared through an [Interner]. A typed value is not
// kept as text as well. Values that resolution never reads are left out. Objects
// are decoded token by token, without reflection, so that each fault has its own
// words.
package properties

import (
	stdjson "encoding/json"
	"slices"

	"github.com/go-json-experiment/json"
)

// Types of properties that OLM defines. Any other type is opaque: its value stays
// as it is but for spaces, for CEL rules to read.
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

// required are the types that require other bundles, defined all types that OLM defines.
var (
	required = []string{TypeConstraint, TypePackageRequired, TypeGVKRequired, TypeLabelRequired}
	defined  = append([]string{
		TypePackage, TypeGVK, TypeLabel, TypeDeprecated, TypeMaxOpenShift, TypeCSVMetadata, TypeBundleObject,
		"olm.kubeversion", // of OLM's manual, which nothing reads
	}, required...)
)

// Property is one {type, value} pair as a bundle states it.
type Property struct {
	Type string `json:"type"`
	// Value is JSON text. It may be shared: read it, never write to it.
	Value stdjson.RawMessage `json:"value"`
}

// NewProperty returns a property with a Go value as JSON. A value that JSON cannot
// express becomes null.
func NewProperty(propertyType string, value any) Property {
	text, _ := json.Marshal(value, json.Deterministic(true))
	return Property{Type: propertyType, Value: text}
}

// isConstraint reports whether properties of this type require other bundles.
func isConstraint(propertyType string) bool { return slices.Contains(required, propertyType) }
