package cache

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

// lose notes what a quarantined bundle would provide, as far as it can be read.
func (b *builder) lose(blob *bundleBlob) {
	if blob.properties == nil {
		return
	}
	for _, api := range blob.properties.GVKs() {
		b.lost = append(b.lost, LostProvider{api, blob.pkg, blob.name})
	}
}

func sortLost(list []LostProvider) []LostProvider {
	slices.SortFunc(list, func(a, b LostProvider) int {
		return cmp.Or(a.API.Compare(b.API), cmp.Compare(a.Package, b.Package), cmp.Compare(a.Bundle, b.Bundle))
	})
	return slices.Compact(list)
}
