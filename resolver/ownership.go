package resolver

import (
	"fmt"
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

// ownedElsewhere says why what other namespaces have installed, or what was chosen
// for them, keeps a bundle out, where the caller wants a kind to have one owner,
// or one set of versions, in the cluster. Namespaces that are resolved together
// are not asked.
func (p *problem) ownedElsewhere(set *properties.Set) (string, bool) {
	if !p.options.SingleOwner && !p.options.SameVersions || p.extension != nil {
		return "", false
	}
	kind, other, ok := p.options.ownedBy(set, p.cluster.installed().kinds, p.model.resolves)
	subject, already := csvSubject(other.namespace, other.bundle), " already"
	if !ok && p.model.chosen != nil {
		kind, other, ok = p.options.ownedBy(set, p.model.chosen, p.model.resolves)
		subject, already = other.bundle+", chosen for namespace "+other.namespace+",", ""
	}
	switch {
	case !ok:
		return "", false
	case p.options.SingleOwner:
		return fmt.Sprintf("provides %s, which %s owns%s; a kind has one owner in the cluster", kindText(kind), subject, already), true
	}
	return fmt.Sprintf("provides %s as %s, and %s provides it as %s; a kind has one set of versions in the cluster",
		kindText(kind), versionsOf(set.GVKs())[kind], subject, other.versions), true
}

// ownedBy returns the first of the providers because of which the options rule a
// bundle out. Those of the own namespaces are passed over.
func (o *Options) ownedBy(set *properties.Set, providers map[properties.GVK][]kindProvider, own func(namespace string) bool) (properties.GVK, kindProvider, bool) {
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

// kindText shows a kind without version.
func kindText(kind properties.GVK) string { return kind.Kind + "." + kind.Group }

// apiText shows an API for people, and a kind where there is no version.
func apiText(api properties.GVK) string {
	if api.Version == "" {
		return kindText(api)
	}
	return api.Describe()
}

// apiName names an API, or a kind where there is no version.
func apiName(api properties.GVK) string {
	if api.Version == "" {
		return kindText(api)
	}
	return api.String()
}

// oneAPI is the word for what apiText shows.
func oneAPI(api properties.GVK) string {
	if api.Version == "" {
		return "a kind"
	}
	return "an API"
}
