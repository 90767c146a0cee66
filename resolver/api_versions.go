package resolver

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
)

// warnVersions adds warnings about kinds of which two namespaces have different
// sets of versions: of the namespaces that were resolved what was chosen, of
// the others what is installed.
func warnVersions(c *inventory, outcomes []result.Outcome) {
	resolved := map[string]bool{}
	if !slices.ContainsFunc(outcomes, func(o result.Outcome) bool { return o.Resolution != nil }) ||
		len(outcomes) == 1 && !c.installedBeside(outcomes[0].Namespace) {
		return
	}
	versions := make([]map[properties.GVK]string, len(outcomes))
	parallel(len(outcomes), func(i int) {
		if r := outcomes[i].Resolution; r != nil {
			versions[i] = versionsOf(provides(r))
		}
	})
	providers := map[properties.GVK][]kindProvider{}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Resolution == nil || resolved[o.Namespace] {
			continue
		}
		resolved[o.Namespace] = true
		for kind, stated := range versions[i] {
			providers[kind] = append(providers[kind], kindProvider{namespace: o.Namespace, versions: stated})
		}
	}
	differing := map[properties.GVK][2]kindProvider{}
	for kind, list := range providers {
		for _, p := range c.installed().kinds[kind] {
			if !resolved[p.namespace] {
				list = append(list, p)
			}
		}
		slices.SortStableFunc(list, func(a, b kindProvider) int { return cmp.Compare(a.namespace, b.namespace) })
		if i := slices.IndexFunc(list, func(p kindProvider) bool { return p.versions != list[0].versions }); i > 0 {
			differing[kind] = [2]kindProvider{list[0], list[i]}
		}
	}
	if len(differing) == 0 {
		return
	}
	for i := range outcomes {
		if r := outcomes[i].Resolution; r != nil {
			warnOfVersions(r, outcomes[i].Namespace, versions[i], differing)
		}
	}
}

// installedBeside reports whether anything is installed in other namespaces.
func (c *inventory) installedBeside(namespace string) bool {
	return slices.ContainsFunc(c.all, func(other string) bool {
		return other != namespace && len(c.namespaces[other].csvs) > 0
	})
}

// warnOfVersions compares what the namespace provides with one other that has
// different versions.
func warnOfVersions(r *result.Resolution, namespace string, provided map[properties.GVK]string, differing map[properties.GVK][2]kindProvider) {
	for kind, versions := range provided {
		pair, ok := differing[kind]
		if !ok {
			continue
		}
		other := pair[0]
		if other.versions == versions {
			other = pair[1]
		}
		r.Warnings = append(r.Warnings, result.Warning{
			Kind: result.WarnAPIVersions, Subject: result.APIName(kind),
			Detail: result.APIVersions{Namespace: namespace, Versions: versions, OtherNamespace: other.namespace, OtherVersions: other.versions},
		})
	}
	r.Warnings = result.SortWarnings(r.Warnings)
}

// provides lists the APIs of what was selected.
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
