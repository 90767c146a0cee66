package answer

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// VersionWarnings returns, for each outcome, warnings about kinds that two namespaces provide in
// different versions; nil if there is none. For a resolved namespace the answer counts, for any
// other the installed bundles.
func VersionWarnings(c *cluster.Index, all ...result.Outcome) [][]result.Reason {
	if len(all) == 1 && !slices.ContainsFunc(c.Namespaces(), func(other string) bool { return other != all[0].Scope.Name && len(c.In(other).CSVs) > 0 }) {
		return nil // nothing is installed in other namespaces
	}
	counts := func(o *result.Outcome) bool { return o.Resolution != nil && request.KindOf(o.Scope).Namespaced }
	resolved := map[string]bool{}
	versions := make([]map[properties.GVK]string, len(all))
	pace.Parallel(len(all), func(i int) {
		if counts(&all[i]) {
			versions[i] = inventory.VersionsOf(provides(all[i].Resolution))
		}
	})
	providers := map[properties.GVK][]inventory.KindProvider{}
	for i := range all {
		o := &all[i]
		if !counts(o) || resolved[o.Scope.Name] {
			continue
		}
		resolved[o.Scope.Name] = true
		for kind, stated := range versions[i] {
			providers[kind] = append(providers[kind], inventory.KindProvider{Namespace: o.Scope.Name, Versions: stated})
		}
	}
	for kind, list := range providers {
		// Two of the others suffice: the first, and the first that differs from it.
		chosen := len(list)
		for _, p := range inventory.ProvidersIn(c).Of(kind) {
			if len(list) > chosen && p.Versions == list[chosen].Versions || resolved[p.Namespace] {
				continue
			}
			if list = append(list, p); len(list) == chosen+2 {
				break
			}
		}
		slices.SortStableFunc(list, func(a, b inventory.KindProvider) int { return cmp.Compare(a.Namespace, b.Namespace) })
		if i := slices.IndexFunc(list, func(p inventory.KindProvider) bool { return p.Versions != list[0].Versions }); i > 0 {
			providers[kind] = []inventory.KindProvider{list[0], list[i]}
		} else {
			delete(providers, kind)
		}
	}
	if len(providers) == 0 {
		return nil
	}
	warnings := make([][]result.Reason, len(all))
	for i := range all {
		warnings[i] = versionWarnings(all[i].Scope.Name, versions[i], providers)
	}
	return warnings
}

// Seconds returns what says that a bundle of another namespace, which is not resolved with it, provides
// already what a new bundle provides, the first of them for each kind; nothing if the own namespace
// provides it, too. Kinds that the two provide in different versions count if differing is set:
// [VersionWarnings] says that as well.
func Seconds(p *model.Part, name string, states *properties.Set, differing bool) (list []result.Reason) {
	if p.Scope.Alone() {
		return nil // it has no namespace
	}
	providers := inventory.ProvidersIn(p.In.Cluster)
	found := map[inventory.KindProvider][]properties.GVK{}
	var versions map[properties.GVK]string // made for the first kind that others provide
	for _, api := range states.GVKs() {
		kind := inventory.KindOf(api)
		others := providers.Of(kind)
		if len(others) == 0 || slices.ContainsFunc(p.In.Scopes, func(s cluster.Scope) bool { return inventory.ProvidedIn(others, s.Namespace()) }) {
			continue
		}
		if versions == nil {
			versions = inventory.VersionsOf(states.GVKs())
		}
		if differing || others[0].Versions == versions[kind] {
			by := inventory.KindProvider{Namespace: others[0].Namespace, Bundle: others[0].Bundle}
			found[by] = words.Distinct(append(found[by], kind))
		}
	}
	for by, kinds := range found {
		slices.SortFunc(kinds, properties.GVK.Compare)
		list = append(list, reason.SecondProvider(name, kinds, by.Bundle, by.Namespace, false))
	}
	return SortWarnings(list)
}

// Comers returns, for each outcome, what says that new bundles of two namespaces provide one kind, of which
// nothing installed elsewhere provides it: [Seconds] says that. Kinds that the two provide in different
// versions count if differing is set.
func Comers(c *cluster.Index, differing bool, all ...result.Outcome) [][]result.Reason {
	found := map[[2]comer][]properties.GVK{}
	for kind, list := range comersOf(c, all) {
		for _, one := range list {
			at := slices.IndexFunc(list, func(x comer) bool {
				return x.by.Namespace != one.by.Namespace && (differing || x.by.Versions == one.by.Versions)
			})
			if at >= 0 {
				two := list[at]
				one.by.Versions, two.by.Versions = "", "" // one warning has all kinds of two bundles
				found[[2]comer{one, two}] = append(found[[2]comer{one, two}], kind)
			}
		}
	}
	warnings := make([][]result.Reason, len(all))
	for pair, kinds := range found {
		slices.SortFunc(kinds, properties.GVK.Compare)
		one, two := pair[0], pair[1].by
		warnings[one.of] = append(warnings[one.of], reason.SecondProvider(one.by.Bundle, kinds, two.Bundle, two.Namespace, true))
	}
	for i := range warnings {
		warnings[i] = SortWarnings(warnings[i])
	}
	return warnings
}

// comer is a new bundle that provides a kind, with the place of its outcome.
type comer struct {
	by inventory.KindProvider
	of int
}

// comersOf returns the new bundles by the kinds that they provide, and that nothing installed does.
func comersOf(c *cluster.Index, all []result.Outcome) map[properties.GVK][]comer {
	comers := map[properties.GVK][]comer{}
	for i := range all {
		if all[i].Resolution == nil || all[i].Scope.Alone() {
			continue
		}
		for _, in := range all[i].Resolution.Installs {
			for kind, versions := range inventory.VersionsOf(in.Properties.GVKs()) {
				if len(inventory.ProvidersIn(c).Of(kind)) == 0 {
					comers[kind] = append(comers[kind], comer{inventory.KindProvider{Namespace: all[i].Scope.Name, Bundle: in.Bundle.Name, Versions: versions}, i})
				}
			}
		}
	}
	return comers
}

// versionWarnings returns the warnings of one namespace, each against one other namespace.
func versionWarnings(namespace string, provided map[properties.GVK]string, differing map[properties.GVK][]inventory.KindProvider) (warnings []result.Reason) {
	for kind, versions := range provided {
		pair, ok := differing[kind]
		if !ok {
			continue
		}
		other := pair[0]
		if other.Versions == versions {
			other = pair[1]
		}
		warnings = append(warnings, reason.APIVersions(kind, namespace, versions, other.Namespace, other.Versions))
	}
	return warnings
}

// provides returns the APIs of all bundles of an answer.
func provides(r *result.Resolution) []properties.GVK {
	var apis []properties.GVK
	for i := range r.Installs {
		apis = append(apis, r.Installs[i].Properties.GVKs()...)
	}
	for i := range r.Kept {
		apis = append(apis, r.Kept[i].Properties.GVKs()...)
	}
	return apis
}
