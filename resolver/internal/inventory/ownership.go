package inventory

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/policy"
)

// KindProvider is an installed or chosen bundle that provides a kind.
type KindProvider struct {
	Namespace string
	Bundle    string
	// Versions are those of the kind, sorted and joined.
	Versions string
}

// KindOf leaves the version out: what counts is the custom resource definition,
// and that is named by group and kind.
func KindOf(api properties.GVK) properties.GVK {
	return properties.GVK{Group: api.Group, Kind: api.Kind}
}

// KindsOf returns the kinds of APIs, sorted.
func KindsOf(apis []properties.GVK) []properties.GVK {
	kinds := make([]properties.GVK, len(apis))
	for i, api := range apis {
		kinds[i] = KindOf(api)
	}
	slices.SortFunc(kinds, properties.GVK.Compare)
	return slices.Compact(kinds)
}

// VersionsOf returns the versions of each kind that the APIs hold, sorted and
// joined.
func VersionsOf(apis []properties.GVK) map[properties.GVK]string {
	sorted := slices.Clone(apis)
	slices.SortFunc(sorted, properties.GVK.Compare)
	versions := make(map[properties.GVK]string, len(apis))
	for _, api := range slices.Compact(sorted) {
		kind := KindOf(api)
		versions[kind] = strings.TrimPrefix(versions[kind]+", "+api.Version, ", ")
	}
	return versions
}

// OwnedBy returns the first of the providers because of which the options rule a
// bundle out. Those of the own namespaces are passed over.
func OwnedBy(o *policy.Options, set *properties.Set, providers map[properties.GVK][]KindProvider, own func(namespace string) bool) (properties.GVK, KindProvider, bool) {
	versions := VersionsOf(set.GVKs())
	for _, kind := range KindsOf(set.GVKs()) {
		for _, other := range providers[kind] {
			if !own(other.Namespace) && (o.SingleOwner || other.Versions != versions[kind]) {
				return kind, other, true
			}
		}
	}
	return properties.GVK{}, KindProvider{}, false
}
