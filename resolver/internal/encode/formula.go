package encode

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/solver"
)

// matcher finds the bundles that match constraints, and makes formulas of them. What
// it found it keeps for the other bundles of its part.
type matcher struct {
	*Part
	lookup *installedLookup // made when the first constraint is read
	// unaliased are what is left of long lists without aliases.
	unaliased map[candidate.Segment][]solver.Var
	// charged are the keys of the expressions whose cost is in ruleCost.
	charged  map[string]bool
	ruleCost uint64
}

// constraintFormula turns a constraint of a bundle of the own catalog into a
// formula over the selection.
func (m *matcher) constraintFormula(e constraints.Expr, own int) solver.Formula {
	if m.Options.CompoundScope == policy.ScopeBundle {
		return m.choice(e, own)
	}
	return m.formula(constraints.Normalize(e), own)
}

// formula builds the solution-scope formula. Alternatives that are all simple
// and positive are one choice among their united candidates.
func (m *matcher) formula(f constraints.Formula, own int) solver.Formula {
	switch f := f.(type) {
	case constraints.Leaf:
		if f.Negated {
			return m.absence(f.Expr)
		}
		return m.choice(f.Expr, own)
	case constraints.And:
		return &solver.And{Parts: m.formulas(f.Parts, own)}
	case constraints.Or:
		if simple, ok := SimpleAlternatives(f); ok {
			return m.choice(simple, own)
		}
		return &solver.Or{Parts: m.formulas(f.Parts, own)}
	}
	return impossible
}

func (m *matcher) formulas(parts []constraints.Formula, own int) []solver.Formula {
	list := make([]solver.Formula, len(parts))
	for i, part := range parts {
		list[i] = m.formula(part, own)
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
func (m *matcher) choice(e constraints.Expr, own int) *solver.Choice {
	return &solver.Choice{Candidates: m.matching(e, own), Also: m.extrasMatching(e)}
}

// absence builds the condition that no selected bundle matches e.
func (m *matcher) absence(e constraints.Expr) *solver.Absent {
	a := &solver.Absent{Vars: m.matching(e, candidate.NoCatalog)}
	if extras := m.extrasMatching(e); len(extras) > 0 {
		a.Vars = append(a.Vars, extras)
	}
	return a
}

// extrasMatching returns the bundles that match e and that only a request can
// select, here and in the neighbours.
func (m *matcher) extrasMatching(e constraints.Expr) []solver.Var {
	list := m.ownExtrasMatching(e)
	for _, n := range m.Neighbours {
		list = append(list, n.match.ownExtrasMatching(e)...)
	}
	return list
}

func (m *matcher) ownExtrasMatching(e constraints.Expr) []solver.Var {
	var list []solver.Var
	for _, v := range m.Extras {
		if m.matches(v, e) {
			list = append(list, v)
		}
	}
	return list
}

// matching returns the selectable bundles that match e in order of preference:
// the installed ones by name, those of the neighbours, then the bundles of the
// catalogs, here and in the neighbours.
func (m *matcher) matching(e constraints.Expr, own int) [][]solver.Var {
	var segments [][]solver.Var
	add := func(list []solver.Var) {
		if len(list) > 0 {
			segments = append(segments, list)
		}
	}
	add(m.installedMatching(e, m.Facts))
	for _, n := range m.Neighbours {
		add(n.match.installedMatching(e, m.Facts))
	}
	add(m.offeredMatching(e, m.Facts, own))
	for _, n := range m.Neighbours {
		add(n.match.offeredMatching(e, m.Facts, candidate.NoCatalog))
	}
	return segments
}

// installedMatching returns the installed bundles that match e, by name, for a
// dependent bundle in a namespace that the facts tell of. The result is shared.
func (m *matcher) installedMatching(e constraints.Expr, facts constraints.Facts) []solver.Var {
	if m.lookup == nil {
		m.lookup = newInstalledLookup(m.Installed)
	}
	indices, narrow := m.lookup.like(e)
	if narrow || len(indices) <= fewInstalled {
		return m.matchInstalled(e, indices, facts)
	}
	// Versions of a package ask for the same as a rule.
	key := candidate.ListKey{Expr: constraints.Key(e)}
	if constraints.ReadsCluster(e) {
		key.Facts = facts.Key()
	}
	if list, ok := m.lookup.lists[key]; ok {
		return list
	}
	list := m.matchInstalled(e, indices, facts)
	m.lookup.lists[key] = list
	return list
}

// matchInstalled returns those of the installed bundles that match e.
func (m *matcher) matchInstalled(e constraints.Expr, indices []int, facts constraints.Facts) []solver.Var {
	matches := func(set *properties.Set) (bool, error) { return candidate.MatchesSet(m.Ctx, e, set, facts) }
	if len(indices) > 0 && constraints.HasRule(e) {
		matches = m.memory.verdicts.Of(m.Ctx, e, facts)
	}
	var installed []solver.Var
	for _, i := range indices {
		yes, err := matches(m.Installed[i].Properties)
		if err != nil {
			m.Fail(err)
			return nil
		}
		if yes {
			installed = append(installed, m.InstalledVar(i))
		}
	}
	return installed
}

// offeredMatching returns the candidates of the catalogs that match e.
func (m *matcher) offeredMatching(e constraints.Expr, facts constraints.Facts, own int) []solver.Var {
	list, err := m.Universe.Candidates(m.Ctx, e, facts, own)
	if err != nil {
		m.Fail(err)
		return nil
	}
	m.charge(e)
	return m.withoutAliases(m.numbered(list))
}

// withoutAliases leaves out the entries that stand for installed bundles: those
// matched, or not, by their own properties. The list is shared, so it is copied
// where one is in it, and once for all who ask for it.
func (m *matcher) withoutAliases(list []solver.Var) []solver.Var {
	if len(m.Aliases) == 0 || len(list) == 0 {
		return list
	}
	if len(list) < candidate.LongSegment {
		return m.dropAliases(list)
	}
	key := candidate.SegmentOf(list)
	rest, ok := m.unaliased[key]
	if !ok {
		rest = m.dropAliases(list)
		if m.unaliased == nil {
			m.unaliased = make(map[candidate.Segment][]solver.Var)
		}
		m.unaliased[key] = rest
	}
	return rest
}

func (m *matcher) dropAliases(list []solver.Var) []solver.Var {
	if !slices.ContainsFunc(list, m.aliased) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), m.aliased)
}

// matches reports whether a catalog bundle matches e.
func (m *matcher) matches(v solver.Var, e constraints.Expr) bool {
	c, id := m.Locate(v)
	ids, _, err := m.Universe.Catalogs[c].Snapshot.Matches(m.Ctx, e, m.Facts)
	if err != nil {
		m.Fail(err)
		return false
	}
	_, found := slices.BinarySearch(ids, catalog.ID(id))
	return found
}

// charge adds what the rules of an expression cost, once a part and whether or not
// the verdicts were cached: a limit must not depend on that.
func (m *matcher) charge(e constraints.Expr) {
	if m.Err != nil || !constraints.HasRule(e) {
		return
	}
	key := constraints.Key(e)
	if m.charged[key] {
		return
	}
	if m.charged == nil {
		m.charged = make(map[string]bool)
	}
	m.charged[key] = true
	for i := range m.Universe.Catalogs {
		cost, err := m.Universe.Catalogs[i].Snapshot.Cost(m.Ctx, e, m.Facts)
		if err != nil {
			m.Fail(err)
			return
		}
		m.ruleCost += cost
	}
	if limit := cmp.Or(m.Options.MaxRuleCost, policy.DefaultMaxRuleCost); m.ruleCost > uint64(limit) {
		m.Fail(TooLarge(m.subject(), "units of rule cost", limit))
	}
}
