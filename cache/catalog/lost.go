package catalog

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/properties"
)

// LostProvider is a bundle that would provide an API, were it not quarantined.
type LostProvider struct {
	API             properties.GVK
	Package, Bundle string
}

// LostProviders returns what quarantined bundles would provide, by API, package
// and name. The slice is shared: read it only.
func (s *Snapshot) LostProviders() []LostProvider { return s.lost }

func sortLost(list []LostProvider) []LostProvider {
	slices.SortFunc(list, func(a, b LostProvider) int {
		return cmp.Or(a.API.Compare(b.API), cmp.Compare(a.Package, b.Package), cmp.Compare(a.Bundle, b.Bundle))
	})
	return slices.Compact(list)
}
