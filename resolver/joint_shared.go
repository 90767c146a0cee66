package resolver

import (
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// sharedRules are the rules of a new bundle about what other namespaces select.
func (p *problem) sharedRules(v solver.Var) []solver.Rule {
	var rules []solver.Rule
	add := func(kind result.ReasonKind, vars []solver.Var, d result.Detail) {
		if len(vars) > 0 {
			rules = append(rules, solver.Rule{
				Formula: solver.NoneOf(vars...),
				Origin:  p.addOrigin(origin{kind: kind, bundle: v, detail: d}),
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
				add(result.ReasonOperatorGroup, other.providers(api), result.GroupRefuses{API: api, OtherNamespace: other.namespace})
			}
		}
		if !p.options.SameVersions {
			continue
		}
		for _, kind := range kindsOf(apis) {
			versions := versionsOf(apis)[kind]
			add(result.ReasonOneAPI, other.otherwiseVersioned(kind, versions),
				result.OtherVersions{Kind: kind, Versions: versions, Owner: result.Owner{Namespace: other.namespace}})
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
