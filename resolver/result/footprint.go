package result

import "github.com/resolvent/resolvent/cache/catalog"

// Footprint is the part of the input that answers and explanations depend on.
type Footprint struct {
	// Packages of each catalog, by name.
	Packages map[catalog.Key][]string
	// Forbidden are the bundles that Options.SystemConstraint did not allow,
	// by catalog, package and name.
	Forbidden []Denied
}

// Denied is one verdict of a SystemConstraint.
type Denied struct {
	Catalog catalog.Key
	Package string
	Bundle  string
	Reason  string
}
