package model

import (
	"cmp"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/memo"
	"github.com/resolvent/resolvent/solver"
)

// matcher finds the bundles of a Part that match expressions, and caches lists of them.
type matcher struct {
	p         *Part
	installed *installedIndex // built on first use
	// lists caches lists of the Universe in the numbers of the Model, without aliases.
	lists memo.Memo[Segment, []solver.Var]
	costs *ruleCosts
}

// ruleCosts sums the cost of rules over one Part, or over the Parts that answer one call.
// Each expression counts once, so the sum depends neither on the order of evaluation nor on
// the goroutine.
type ruleCosts struct {
	mu      sync.Mutex
	charged map[string]bool // by key of the expression
	sum     uint64
}

// ShareRuleCosts makes p and other share one sum of rule costs.
func (p *Part) ShareRuleCosts(other *Part) { p.match.costs = other.match.costs }

// begin notes an expression and reports whether it was not noted before.
func (c *ruleCosts) begin(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.charged == nil {
		c.charged = make(map[string]bool)
	}
	known := c.charged[key]
	c.charged[key] = true
	return !known
}

func (c *ruleCosts) add(cost uint64) (sum uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum += cost
	return c.sum
}

// matching returns the bundles that match e, in order of preference: the installed ones of
// this Part by name, those of its neighbors, then the candidates of this Part and of its
// neighbors.
func (m *matcher) matching(e constraints.Expr, catalog int) [][]solver.Var {
	var segments [][]solver.Var
	add := func(list []solver.Var) {
		if len(list) > 0 {
			segments = append(segments, list)
		}
	}
	add(m.installedMatching(e, m.p.Facts))
	for _, n := range m.p.Neighbors {
		add(n.match.installedMatching(e, m.p.Facts))
	}
	add(m.offeredMatching(e, m.p.Facts, catalog))
	for _, n := range m.p.Neighbors {
		add(n.match.offeredMatching(e, m.p.Facts, NoCatalog))
	}
	return segments
}

// extrasMatching returns the Extras of this Part and its neighbors that match e.
func (m *matcher) extrasMatching(e constraints.Expr) []solver.Var {
	list := m.ownExtrasMatching(e)
	for _, n := range m.p.Neighbors {
		list = append(list, n.match.ownExtrasMatching(e)...)
	}
	return list
}

func (m *matcher) ownExtrasMatching(e constraints.Expr) []solver.Var {
	var list []solver.Var
	for _, v := range m.p.Extras {
		if m.matches(v, e) {
			list = append(list, v)
		}
	}
	return list
}

// matches reports whether a catalog bundle matches e.
func (m *matcher) matches(v solver.Var, e constraints.Expr) bool {
	c, id := m.p.Locate(v)
	ids, err := m.p.Catalogs[c].Snapshot.Matches(m.p.Pace.Ctx, e, m.p.Facts)
	if err != nil {
		m.p.Pace.Fail(err)
		return false
	}
	_, found := slices.BinarySearch(ids, id)
	return found
}

// installedMatching returns the installed bundles that match e, by name. facts are those of
// the namespace whose bundle states e. The result is shared.
func (m *matcher) installedMatching(e constraints.Expr, facts rules.Facts) []solver.Var {
	if m.installed == nil {
		m.installed = newInstalledIndex(m.p.Installed)
	}
	indices, narrow := m.installed.narrow(e)
	if narrow || len(indices) <= fewInstalled {
		return m.matchInstalled(e, indices, facts)
	}
	// Most versions of a package state the same expression.
	return m.installed.lists.Value(KeyOf(e, facts, NoCatalog), func() []solver.Var {
		return m.matchInstalled(e, indices, facts)
	})
}

// matchInstalled returns those of the installed bundles that match e.
func (m *matcher) matchInstalled(e constraints.Expr, indices []int, facts rules.Facts) []solver.Var {
	matches := func(set *properties.Set) (bool, error) { return MatchesSet(m.p.Pace.Ctx, e, set, facts) }
	if rule, _ := constraints.Reads(e); rule && len(indices) > 0 {
		matches = m.p.memory.verdicts.Of(m.p.Pace.Ctx, e, facts)
	}
	var installed []solver.Var
	for _, i := range indices {
		yes, err := matches(m.p.Installed[i].Properties)
		if err = cmp.Or(err, m.p.Pace.Ctx.Err()); err != nil {
			m.p.Pace.Fail(err)
			return nil
		}
		if yes {
			installed = append(installed, m.p.InstalledVar(i))
		}
	}
	return installed
}

// offeredMatching returns the catalogs' candidates that match e. The result is shared.
func (m *matcher) offeredMatching(e constraints.Expr, facts rules.Facts, own int) []solver.Var {
	list, err := m.p.Universe.Candidates(m.p.Pace.Ctx, e, facts, own)
	if err != nil {
		m.p.Pace.Fail(err)
		return nil
	}
	m.charge(e)
	if len(list) == 0 || m.p.Base == 0 && len(m.p.Aliases) == 0 {
		return list
	}
	return m.lists.Value(SegmentOf(list), func() []solver.Var { return m.withoutAliases(m.p.Renumber(list)) })
}

// withoutAliases returns the list without aliases: the installed bundle matches, or does
// not, by its own properties.
func (m *matcher) withoutAliases(list []solver.Var) []solver.Var {
	if !slices.ContainsFunc(list, m.p.Aliased) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), m.p.Aliased)
}

// charge adds the cost of the rules of an expression, once. Cached verdicts cost the same:
// a limit must not depend on the cache.
func (m *matcher) charge(e constraints.Expr) {
	if rule, _ := constraints.Reads(e); !rule || m.p.Pace.Err != nil || !m.costs.begin(constraints.Key(e)) {
		return
	}
	var sum uint64
	for i := range m.p.Catalogs {
		cost, err := m.p.Catalogs[i].Snapshot.Cost(m.p.Pace.Ctx, e, m.p.Facts)
		if err != nil {
			m.p.Pace.Fail(err)
			return
		}
		sum = m.costs.add(cost)
	}
	if limit := cmp.Or(m.p.In.Options.MaxRuleCost, defaultMaxRuleCost); sum > uint64(limit) {
		m.p.Pace.Fail(TooLarge(m.p.Scope.String(), "units of rule cost", limit))
	}
}

// installedIndex narrows down which installed bundles can match an expression. Its numbers
// are indices into Part.Installed.
type installedIndex struct {
	installed []InstalledBundle
	all       []int
	// Each is built on first use.
	byAPI     map[properties.GVK][]int
	byPackage map[string][]int
	byLabel   map[string][]int
	// lists caches the matches of expressions that cannot be narrowed down.
	lists memo.Memo[ListKey, []solver.Var]
}

func newInstalledIndex(installed []InstalledBundle) *installedIndex {
	x := &installedIndex{installed: installed, all: make([]int, len(installed))}
	for i := range x.all {
		x.all[i] = i
	}
	return x
}

// narrow returns the ascending indices of bundles among which are all that match e, and
// whether they were narrowed down.
func (x *installedIndex) narrow(e constraints.Expr) (indices []int, narrow bool) {
	if len(x.all) > fewInstalled {
		if indices, narrow = constraints.Narrow(x, e); narrow {
			return indices, true
		}
	}
	return x.all, false
}

// Providers, Packaged and Labeled implement [constraints.Index].
func (x *installedIndex) Providers(api properties.GVK) []int {
	if x.byAPI == nil {
		x.byAPI = indexed(x, func(set *properties.Set) []properties.GVK { return set.GVKs() })
	}
	return x.byAPI[api]
}

func (x *installedIndex) Packaged(name string) []int {
	if x.byPackage == nil {
		x.byPackage = indexed(x, func(set *properties.Set) []string {
			if pkg, ok := set.Package(); ok {
				return []string{pkg.Name}
			}
			return nil
		})
	}
	return x.byPackage[name]
}

func (x *installedIndex) Labeled(label string) []int {
	if x.byLabel == nil {
		x.byLabel = indexed(x, func(set *properties.Set) []string { return set.Labels() })
	}
	return x.byLabel[label]
}

// indexed returns the bundles by what they state.
func indexed[K comparable](x *installedIndex, stated func(*properties.Set) []K) map[K][]int {
	index := make(map[K][]int, len(x.installed))
	for i := range x.installed {
		for _, key := range stated(x.installed[i].Properties) {
			index[key] = append(index[key], i)
		}
	}
	return index
}
