package properties

import "github.com/go-json-experiment/json"

// OfPackage returns the Set of a bundle of which nothing but its package is known.
// Without a name it states nothing.
func OfPackage(pkg Package) *Set {
	if pkg.Name == "" {
		return &Set{}
	}
	return &Set{stated: []item{newItem(inPackage, 0)}, pkg: pkg, hasPackage: true}
}

// NewProperty returns a property with the value as JSON; one that JSON cannot express is null.
func NewProperty(propertyType string, of any) Property {
	value, _ := json.Marshal(of, json.Deterministic(true))
	return Property{Type: propertyType, Value: value}
}
