package resolver

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// sharedRules are the rules of a new bundle about what other namespaces select.
func (p *problem) sharedRules(v solver.Var) []solver.Rule {
	var rules []solver.Rule
	add := func(kind ReasonKind, vars []solver.Var, format string, args ...any) {
		if len(vars) > 0 {
			rules = append(rules, solver.Rule{
				Formula: solver.NoneOf(vars...),
				Origin:  p.addOrigin(origin{kind: kind, bundle: v, detail: fmt.Sprintf(format, args...)}),
			})
		}
	}
	apis := p.bundle(v).Properties.GVKs()
	for _, other := range p.model.parts {
		if other == p {
			continue
		}
		if p.intersects(other) {
			for _, api := range apis {
				add(ReasonOperatorGroup, other.providers(api),
					"provides %s, as bundles of namespace %s do, whose OperatorGroup has target namespaces in common (%s)",
					api.Describe(), other.namespace, groupOwnerConflict)
			}
		}
		if !p.options.SameVersions {
			continue
		}
		for _, kind := range kindsOf(apis) {
			versions := versionsOf(apis)[kind]
			add(ReasonOneAPI, other.otherwiseVersioned(kind, versions),
				"provides %s as %s, and bundles of namespace %s in other versions; a kind has one set of versions in the cluster",
				kindText(kind), versions, other.namespace)
		}
	}
	return rules
}

// intersects reports whether the OperatorGroups of two parts have a target in
// common.
func (p *problem) intersects(other *problem) bool {
	return p.operatorGroup != nil && other.operatorGroup != nil && intersect(p.operatorGroup.facts, other.operatorGroup.facts)
}

// providers returns the bundles of the namespace that provide the API and can be
// selected there.
func (p *problem) providers(api properties.GVK) []solver.Var {
	e := constraints.GVK{GVK: api}
	list := slices.Concat(p.installedMatching(e, p.facts), p.offeredMatching(e, p.facts, noCatalog))
	return append(list, p.ownExtrasMatching(e)...)
}

// otherwiseVersioned returns the bundles of the namespace that provide the kind, but
// not in exactly these versions.
func (p *problem) otherwiseVersioned(kind properties.GVK, versions string) []solver.Var {
	var list []solver.Var
	for i := range p.installed {
		if got, ok := versionsOf(p.installed[i].properties.GVKs())[kind]; ok && got != versions {
			list = append(list, p.installedVar(i))
		}
	}
	for _, v := range p.universe.kinds()[kind] {
		if versionsOf(p.universe.bundle(v).Properties.GVKs())[kind] != versions {
			list = append(list, v+p.base)
		}
	}
	return list
}

// propertiesOf returns the properties of any bundle of the problem.
func (p *problem) propertiesOf(v solver.Var) *properties.Set {
	if b := p.asInstalled(v); b != nil {
		return b.properties
	}
	return p.bundle(v).Properties
}
