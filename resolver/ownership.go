package resolver

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
)

// kindProvider is an installed or chosen bundle that provides a kind.
type kindProvider struct {
	namespace string
	bundle    string
	// versions are those of the kind, sorted and joined.
	versions string
}

// kindOf leaves the version out: what counts is the custom resource definition,
// and that is named by group and kind.
func kindOf(api properties.GVK) properties.GVK {
	return properties.GVK{Group: api.Group, Kind: api.Kind}
}

// kindsOf returns the kinds of APIs, sorted.
func kindsOf(apis []properties.GVK) []properties.GVK {
	kinds := make([]properties.GVK, len(apis))
	for i, api := range apis {
		kinds[i] = kindOf(api)
	}
	slices.SortFunc(kinds, properties.GVK.Compare)
	return slices.Compact(kinds)
}

// versionsOf returns the versions of each kind that the APIs hold, sorted and
// joined.
func versionsOf(apis []properties.GVK) map[properties.GVK]string {
	sorted := slices.Clone(apis)
	slices.SortFunc(sorted, properties.GVK.Compare)
	versions := make(map[properties.GVK]string, len(apis))
	for _, api := range slices.Compact(sorted) {
		kind := kindOf(api)
		versions[kind] = strings.TrimPrefix(versions[kind]+", "+api.Version, ", ")
	}
	return versions
}

// ownedBy returns the first of the providers because of which the options rule a
// bundle out. Those of the own namespaces are passed over.
func ownedBy(o *Options, set *properties.Set, providers map[properties.GVK][]kindProvider, own func(namespace string) bool) (properties.GVK, kindProvider, bool) {
	versions := versionsOf(set.GVKs())
	for _, kind := range kindsOf(set.GVKs()) {
		for _, other := range providers[kind] {
			if !own(other.namespace) && (o.SingleOwner || other.versions != versions[kind]) {
				return kind, other, true
			}
		}
	}
	return properties.GVK{}, kindProvider{}, false
}
