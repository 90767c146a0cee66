package inventory

import (
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Providers holds, by kind, the installed or chosen bundles that provide it.
type Providers struct {
	lists[properties.GVK, KindProvider]
}

// KindProvider is a bundle that provides a kind.
type KindProvider struct {
	Namespace string
	Bundle    string
	// Versions are the provided versions of the kind, sorted and joined.
	Versions string
}

// Add adds the kinds that a bundle with the properties provides.
func (p *Providers) Add(namespace, bundle string, set *properties.Set) {
	for kind, versions := range VersionsOf(set.GVKs()) {
		p.add(kind, KindProvider{namespace, bundle, versions})
	}
}

// in returns the first bundle of a namespace that provides an API, empty if none does.
func (p *Providers) in(namespace string, api properties.GVK) string {
	for _, b := range p.Of(KindOf(api)) {
		if b.Namespace == namespace && slices.Contains(strings.Split(b.Versions, ", "), api.Version) {
			return b.Bundle
		}
	}
	return ""
}

// ProvidedIn reports whether a bundle of the namespace is among providers, which are sorted by
// namespace.
func ProvidedIn(providers []KindProvider, namespace string) bool {
	_, found := slices.BinarySearchFunc(providers, namespace, func(p KindProvider, namespace string) int { return strings.Compare(p.Namespace, namespace) })
	return found
}

// KindOf returns the API without its version. A custom resource definition, which has one
// owner, is named by group and kind.
func KindOf(api properties.GVK) properties.GVK {
	return properties.GVK{Group: api.Group, Kind: api.Kind}
}

// VersionsOf returns the versions of each kind among the APIs, sorted and joined.
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

// Conflict returns the first kind and provider for which the options rule out a bundle
// with the properties. It passes over providers in the own namespaces.
func (p *Providers) Conflict(o *policy.Options, set *properties.Set, excluded func(namespace string) bool) (properties.GVK, KindProvider, bool) {
	versions := VersionsOf(set.GVKs())
	for _, kind := range slices.SortedFunc(maps.Keys(versions), properties.GVK.Compare) {
		for _, other := range p.Of(kind) {
			if !excluded(other.Namespace) && (o.SingleOwner || other.Versions != versions[kind]) {
				return kind, other, true
			}
		}
	}
	return properties.GVK{}, KindProvider{}, false
}
