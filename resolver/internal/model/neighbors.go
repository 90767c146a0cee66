package model

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// sharedRules returns the rules of a new bundle about the bundles of other namespaces that
// are resolved with this one.
func (p *Part) sharedRules(v solver.Var) []solver.Rule {
	var rules []solver.Rule
	add := func(c code.Code, vars []solver.Var, args result.Args) {
		if len(vars) > 0 {
			rules = append(rules, solver.Rule{
				Formula: solver.NoneOf(vars...),
				Origin:  p.addOrigin(Origin{Code: c, Bundle: v, Args: &args}),
			})
		}
	}
	apis := p.Bundle(v).Properties.GVKs()
	for _, other := range p.Model.Parts {
		if other == p {
			continue
		}
		if p.OperatorGroup != nil && other.OperatorGroup != nil && p.OperatorGroup.Intersects(other.OperatorGroup.Group) {
			for _, api := range apis {
				add(code.SharedAPI, providers(other, api), result.Args{APIs: []properties.GVK{api}, Owner: &result.Owner{Namespace: other.Namespace}})
			}
		}
		if !p.In.Options.SameVersions {
			continue
		}
		versionsOf := inventory.VersionsOf(apis)
		for _, kind := range slices.SortedFunc(maps.Keys(versionsOf), properties.GVK.Compare) {
			versions := versionsOf[kind]
			add(code.OtherVersions, otherVersions(other, kind, versions),
				result.Args{APIs: []properties.GVK{kind}, Has: versions, Owner: &result.Owner{Namespace: other.Namespace}})
		}
	}
	return rules
}

// providers returns the selectable bundles of the Part that provide the API.
func providers(p *Part, api properties.GVK) []solver.Var {
	e := constraints.GVK{GVK: api}
	list := slices.Concat(p.match.installedMatching(e, p.Facts), p.match.offeredMatching(e, p.Facts, candidate.NoCatalog))
	return append(list, p.match.ownExtrasMatching(e)...)
}

// otherVersions returns the bundles of the Part that provide the kind in other versions
// than these.
func otherVersions(p *Part, kind properties.GVK, versions string) []solver.Var {
	var list []solver.Var
	for i := range p.Installed {
		if got, ok := inventory.VersionsOf(p.Installed[i].Properties.GVKs())[kind]; ok && got != versions {
			list = append(list, p.InstalledVar(i))
		}
	}
	for _, v := range p.Universe.Kinds()[kind] {
		if inventory.VersionsOf(p.Universe.Bundle(v).Properties.GVKs())[kind] != versions {
			list = append(list, v+p.Base)
		}
	}
	return list
}
