package model

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// exclusion is what a bundle of another namespace that is resolved with this one must not be
// selected with: bundles of this Part, nil if there are none. Rules share it, as they are many.
type exclusion struct {
	formula solver.Formula
	why     *result.Reason // of the bundle with the rule, which it leaves out
}

// exclusionKey says what the other bundle provides: an API, or versions of a kind.
type exclusionKey struct {
	code     words.Code
	api      properties.GVK
	versions string
}

// sharedRules returns the rules of a new bundle about the bundles of other namespaces that
// are resolved with this one.
func (p *Part) sharedRules(v solver.Var) []solver.Rule {
	var rules []solver.Rule
	apis := p.Bundle(v).Properties.GVKs()
	var versionsOf map[properties.GVK]string
	var kinds []properties.GVK
	if p.In.Options.SameVersions {
		versionsOf = inventory.VersionsOf(apis)
		kinds = slices.SortedFunc(maps.Keys(versionsOf), properties.GVK.Compare)
	}
	for _, other := range p.Model.Parts {
		if other == p {
			continue
		}
		add := func(key exclusionKey) {
			if x := other.exclusion(key); x.formula != nil {
				rules = append(rules, solver.Rule{Formula: x.formula, Origin: p.addOrigin(Origin{Code: key.code, Bundle: v, Why: x.why})})
			}
		}
		if p.OperatorGroup != nil && other.OperatorGroup != nil && p.OperatorGroup.Intersects(other.OperatorGroup.Group) {
			for _, api := range apis {
				add(exclusionKey{code: words.SharedAPI, api: api})
			}
		}
		for _, kind := range kinds {
			add(exclusionKey{words.OtherVersions, kind, versionsOf[kind]})
		}
		if p.Pace.Ctx.Err() != nil {
			break
		}
	}
	return rules
}

// exclusion returns what the key excludes.
func (p *Part) exclusion(key exclusionKey) exclusion {
	x, known := p.exclusions[key]
	if known {
		return x
	}
	owner := result.Owner{Namespace: p.Namespace}
	if key.code == words.SharedAPI {
		if list := p.providers(key.api); len(list) > 0 {
			x = exclusion{solver.NoneOf(list...), new(reason.SharedAPI(reason.About{}, key.api, owner))}
		}
	} else if list := p.inOtherVersions(key.api, key.versions); len(list) > 0 {
		x = exclusion{solver.NoneOf(list...), new(reason.OtherVersions(reason.About{}, key.api, key.versions, "", owner))}
	}
	if p.exclusions == nil {
		p.exclusions = map[exclusionKey]exclusion{}
	}
	p.exclusions[key] = x
	return x
}

// providers returns the selectable bundles that provide the API.
func (p *Part) providers(api properties.GVK) []solver.Var {
	e := constraints.GVK{GVK: api}
	list := slices.Concat(p.match.installedMatching(e, p.Facts), p.match.offeredMatching(e, p.Facts, NoCatalog))
	return append(list, p.match.ownExtrasMatching(e)...)
}

// inOtherVersions returns the bundles that provide the kind in other versions than these.
func (p *Part) inOtherVersions(kind properties.GVK, versions string) []solver.Var {
	var list []solver.Var
	for i := range p.Installed {
		if got, ok := inventory.VersionsOf(p.Installed[i].Properties.GVKs())[kind]; ok && got != versions {
			list = append(list, p.InstalledVar(i))
		}
	}
	offered := len(list)
	for got, vars := range p.Universe.Kinds()[kind] {
		for _, v := range vars {
			if got != versions {
				list = append(list, v+p.Base)
			}
		}
	}
	slices.Sort(list[offered:])
	return list
}
