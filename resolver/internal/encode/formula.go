package encode

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/solver"
)

// constraintFormula turns a constraint of a bundle of the own catalog into a
// formula over the selection.
func (p *Part) constraintFormula(e constraints.Expr, own int) solver.Formula {
	if p.Options.CompoundScope == policy.ScopeBundle {
		return p.choice(e, own)
	}
	return p.formula(constraints.Normalize(e), own)
}

// formula builds the solution-scope formula. Alternatives that are all simple
// and positive are one choice among their united candidates.
func (p *Part) formula(f constraints.Formula, own int) solver.Formula {
	switch f := f.(type) {
	case constraints.Leaf:
		if f.Negated {
			return p.absence(f.Expr)
		}
		return p.choice(f.Expr, own)
	case constraints.And:
		return &solver.And{Parts: p.formulas(f.Parts, own)}
	case constraints.Or:
		if simple, ok := SimpleAlternatives(f); ok {
			return p.choice(simple, own)
		}
		return &solver.Or{Parts: p.formulas(f.Parts, own)}
	}
	return impossible
}

func (p *Part) formulas(parts []constraints.Formula, own int) []solver.Formula {
	list := make([]solver.Formula, len(parts))
	for i, part := range parts {
		list[i] = p.formula(part, own)
	}
	return list
}

// SimpleAlternatives returns the parts of a disjunction as one expression if
// they are positive leaves.
func SimpleAlternatives(f constraints.Or) (constraints.Expr, bool) {
	parts := make([]constraints.Expr, len(f.Parts))
	for i, part := range f.Parts {
		leaf, ok := part.(constraints.Leaf)
		if !ok || leaf.Negated {
			return nil, false
		}
		parts[i] = leaf.Expr
	}
	return constraints.Any{Exprs: parts}, true
}

// choice builds the obligation that some selected bundle matches e.
func (p *Part) choice(e constraints.Expr, own int) *solver.Choice {
	return &solver.Choice{Candidates: p.matching(e, own), Also: p.extrasMatching(e)}
}

// absence builds the condition that no selected bundle matches e.
func (p *Part) absence(e constraints.Expr) *solver.Absent {
	a := &solver.Absent{Vars: p.matching(e, candidate.NoCatalog)}
	if extras := p.extrasMatching(e); len(extras) > 0 {
		a.Vars = append(a.Vars, extras)
	}
	return a
}

// extrasMatching returns the bundles that match e and that only a request can
// select, here and in the neighbours.
func (p *Part) extrasMatching(e constraints.Expr) []solver.Var {
	list := p.ownExtrasMatching(e)
	for _, n := range p.Neighbours {
		list = append(list, n.ownExtrasMatching(e)...)
	}
	return list
}

func (p *Part) ownExtrasMatching(e constraints.Expr) []solver.Var {
	var list []solver.Var
	for _, v := range p.Extras {
		if p.matches(v, e) {
			list = append(list, v)
		}
	}
	return list
}

// matching returns the selectable bundles that match e in order of preference:
// the installed ones by name, those of the neighbours, then the bundles of the
// catalogs, here and in the neighbours.
func (p *Part) matching(e constraints.Expr, own int) [][]solver.Var {
	var segments [][]solver.Var
	add := func(list []solver.Var) {
		if len(list) > 0 {
			segments = append(segments, list)
		}
	}
	add(p.installedMatching(e, p.Facts))
	for _, n := range p.Neighbours {
		add(n.installedMatching(e, p.Facts))
	}
	add(p.offeredMatching(e, p.Facts, own))
	for _, n := range p.Neighbours {
		add(n.offeredMatching(e, p.Facts, candidate.NoCatalog))
	}
	return segments
}

// installedMatching returns the installed bundles that match e, by name, for a
// dependent bundle in a namespace that the facts tell of. The result is shared.
func (p *Part) installedMatching(e constraints.Expr, facts constraints.Facts) []solver.Var {
	if p.lookup == nil {
		p.lookup = newInstalledLookup(p.Installed)
	}
	indices, narrow := p.lookup.like(e)
	if narrow || len(indices) <= fewInstalled {
		return p.matchInstalled(e, indices, facts)
	}
	// Versions of a package ask for the same as a rule.
	key := candidate.ListKey{Expr: constraints.Key(e)}
	if constraints.ReadsCluster(e) {
		key.Facts = facts.Key()
	}
	if list, ok := p.lookup.lists[key]; ok {
		return list
	}
	list := p.matchInstalled(e, indices, facts)
	p.lookup.lists[key] = list
	return list
}

// matchInstalled returns those of the installed bundles that match e.
func (p *Part) matchInstalled(e constraints.Expr, indices []int, facts constraints.Facts) []solver.Var {
	matches := func(set *properties.Set) (bool, error) { return candidate.MatchesSet(p.Ctx, e, set, facts) }
	if len(indices) > 0 && constraints.HasRule(e) {
		matches = p.memory.verdicts.Of(p.Ctx, e, facts)
	}
	var installed []solver.Var
	for _, i := range indices {
		yes, err := matches(p.Installed[i].Properties)
		if err != nil {
			p.Fail(err)
			return nil
		}
		if yes {
			installed = append(installed, p.InstalledVar(i))
		}
	}
	return installed
}

// offeredMatching returns the candidates of the catalogs that match e.
func (p *Part) offeredMatching(e constraints.Expr, facts constraints.Facts, own int) []solver.Var {
	list, err := p.Universe.Candidates(p.Ctx, e, facts, own)
	if err != nil {
		p.Fail(err)
		return nil
	}
	p.charge(e)
	return p.withoutAliases(p.numbered(list))
}

// withoutAliases leaves out the entries that stand for installed bundles: those
// matched, or not, by their own properties. The list is shared, so it is copied
// where one is in it, and once for all who ask for it.
func (p *Part) withoutAliases(list []solver.Var) []solver.Var {
	if len(p.Aliases) == 0 || len(list) == 0 {
		return list
	}
	if len(list) < candidate.LongSegment {
		return p.dropAliases(list)
	}
	key := candidate.SegmentOf(list)
	rest, ok := p.unaliased[key]
	if !ok {
		rest = p.dropAliases(list)
		if p.unaliased == nil {
			p.unaliased = make(map[candidate.Segment][]solver.Var)
		}
		p.unaliased[key] = rest
	}
	return rest
}

func (p *Part) dropAliases(list []solver.Var) []solver.Var {
	if !slices.ContainsFunc(list, p.aliased) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), p.aliased)
}

// matches reports whether a catalog bundle matches e.
func (p *Part) matches(v solver.Var, e constraints.Expr) bool {
	c, id := p.Locate(v)
	ids, _, err := p.Universe.Catalogs[c].Snapshot.Matches(p.Ctx, e, p.Facts)
	if err != nil {
		p.Fail(err)
		return false
	}
	_, found := slices.BinarySearch(ids, catalog.ID(id))
	return found
}
