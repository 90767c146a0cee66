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

// NewProperty returns a property whose value is an object of strings.
func NewProperty(propertyType string, members map[string]string) Property {
	value, _ := json.Marshal(members, json.Deterministic(true)) // plain strings cannot fail
	return Property{Type: propertyType, Value: value}
}
