// Package cause finds the causes of a failure: minimal sets of demands that keep requests
// out. A demand is a request, an installed bundle that stays, a rule or a group; it has the
// type solver.Reason. Deletion tries requests first, the last one first, then installed bundles
// by name. Package result documents the limits.
package cause

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/solver"
)

// Cause is a minimal set of demands that keeps requests out.
type Cause struct {
	// Requests are the requests that it keeps out, as roots of the solver. For each the set
	// is the same but for the request itself. There are none if installed bundles
	// contradict each other.
	Requests []int
	// Core is the set for the first of Requests, in the order of solver.Unsatisfiable.
	Core []solver.Reason
	// Apart are the parts of conjunctions in the Core that it does not need.
	Apart map[solver.Formula]bool
	// Group counts from 1. Causes that share a request or an installed bundle have the
	// same group.
	Group int
}

// Of returns the cause with this core. It keeps out the last request of the core.
func Of(core []solver.Reason) Cause {
	c := Cause{Core: core, Group: 1}
	for _, r := range core {
		if r.Kind == solver.KindRoot {
			c.Requests = []int{r.Rule}
		}
	}
	return c
}

// CoreOf returns the set of demands that keeps out one of the Requests.
func (c *Cause) CoreOf(root int) []solver.Reason {
	core := slices.Clone(c.Core)
	for i, r := range core {
		if r == RootDemand(c.Requests[0]) {
			core[i] = RootDemand(root)
		}
	}
	return core
}

// Needs returns the parts of a rule of the Core, by index, that the cause needs: nil unless the
// rule is a conjunction.
func (c *Cause) Needs(m *model.Model, r solver.Reason) (needs []int) {
	for i, part := range model.Parts(m.Rules(r.Var)[r.Rule].Formula) {
		if apart, divided := c.Apart[part]; divided && !apart {
			needs = append(needs, i)
		}
	}
	return needs
}

// Sorted states which requests hold together, and why the others do not.
type Sorted struct {
	Causes []Cause
	// Accepted is true, by root, for a request that holds together with those accepted
	// before it. Any other request keeps its installed bundle.
	Accepted []bool
	// Stands is false if installed bundles contradict each other. Leaving requests out
	// then does not help.
	Stands bool
}

// Blocking returns, for each root that is not accepted, its first cause.
func (s *Sorted) Blocking() map[int]*Cause {
	blocking := map[int]*Cause{}
	for i := range s.Causes {
		for _, root := range s.Causes[i].Requests {
			if blocking[root] == nil {
				blocking[root] = &s.Causes[i]
			}
		}
	}
	return blocking
}

// Remaining returns what an answer without the others demands of a root: the request itself
// if it is accepted, else its installed bundle, if any.
func (s *Sorted) Remaining(p *world.Problem, root int) solver.Formula {
	if s.Accepted[root] {
		return p.Model.Demands[root].Formula
	}
	if of, r := p.Root(root); r.Current >= 0 {
		return solver.OneOf(of.InstalledVar(r.Current))
	}
	return model.Always
}

// rootState is the rootState of a root.
type rootState int8

const (
	open rootState = iota // not decided yet
	accepted
	leftOut
)

// sorting decides the requests of a problem.
type sorting struct {
	p            *world.Problem
	states       []rootState // by root
	conjunctions conjunctions
	// known has the indices of causes, by all that they have but their request.
	known  map[string]int
	sorted Sorted
	err    error
}

// finder decides the requests of a component in their order.
type finder struct {
	*sorting
	roots []int
	// given are the installed bundles without requests, by name.
	given []solver.Var
	// extras are the Extras of all requests, selectable also for other demands.
	extras []solver.Var
	// aside are the rules and groups of known causes: further causes are sought without
	// them.
	aside map[solver.Reason]bool
	// cores are the known contradictions that need no rule set aside.
	cores  []contradiction
	stands bool // installed bundles hold together without the rules set aside
	first  int  // the number of causes before those of its requests
}

// contradiction is a core of so many demands.
type contradiction struct {
	core  []solver.Reason
	among int
}

// Find finds the causes of a problem without an answer, of which core is a core. The errors
// are those of package solver.
func Find(p *world.Problem, core []solver.Reason) (*Sorted, error) {
	s := &sorting{
		p: p, states: make([]rootState, len(p.Model.Demands)), known: map[string]int{},
		conjunctions: newConjunctions(), sorted: Sorted{Stands: true},
	}
	if slices.ContainsFunc(core, func(r solver.Reason) bool { return r.Kind == solver.KindRule && partsOf(p.Model, r) != nil }) {
		core = nil
	}
	whole := s.whole()
	components := whole.divide()
	stands := true
	for _, f := range components {
		if core != nil {
			f.cores = append(f.cores, contradiction{core, len(p.Model.Given()) + len(s.states)})
		}
		f.findInstalled()
		stands = stands && f.stands
	}
	if whole.sortInstalled() && stands {
		for i := range s.states {
			if s.faulty(i) {
				s.add(Cause{Requests: []int{i}, Core: []solver.Reason{RootDemand(i)}}, s.faultKey(i))
			}
		}
		for _, f := range components {
			f.take()
		}
		slices.SortStableFunc(s.sorted.Causes, func(a, b Cause) int { return cmp.Compare(a.root(), b.root()) })
	}
	s.sorted.Accepted = words.Mapped(s.states, func(s rootState) bool { return s == accepted })
	s.group()
	return &s.sorted, s.err
}

// root returns the first request that a cause keeps out, -1 if there is none.
func (c *Cause) root() int {
	if len(c.Requests) == 0 {
		return -1
	}
	return c.Requests[0]
}

func (s *sorting) finder() *finder { return &finder{sorting: s, aside: map[solver.Reason]bool{}} }

// whole returns a finder for all requests.
func (s *sorting) whole() *finder {
	f := s.finder()
	f.given = slices.Clone(s.p.Model.Given())
	f.sortByName(f.given)
	for i := range s.states {
		f.roots = append(f.roots, i)
	}
	for _, p := range s.p.Model.Parts {
		f.extras = append(f.extras, p.Extras...)
	}
	return f
}

// divide returns the finders of the components. These share no clause, so that what one of them
// accepts has no cause in another. Without it 1,000 requests take four times as long
// (BenchmarkConflicts).
func (f *finder) divide() []*finder {
	if len(f.roots)+len(f.given) < minDivided {
		return []*finder{f}
	}
	problem := model.Restricted{Model: f.p.Model, Stay: slices.Clone(f.given)}
	for i := range f.roots {
		demand := f.p.Model.Demands[i]
		if current := f.current(i); current != solver.None {
			// Either is demanded.
			problem.Stay = append(problem.Stay, current)
			demand.Formula = &solver.Or{Parts: []solver.Formula{demand.Formula, solver.OneOf(current)}}
		}
		problem.Demands = append(problem.Demands, demand)
	}
	vars, roots, err := solver.Components(f.p.Model.Pace.Ctx, problem, f.extras...)
	if err != nil {
		f.err = err
		return nil
	}
	components := map[int32]*finder{}
	var list []*finder
	finderOf := func(component int32) *finder {
		if components[component] == nil {
			components[component] = f.sorting.finder()
			list = append(list, components[component])
		}
		return components[component]
	}
	for i, c := range roots {
		finderOf(c).roots = append(finderOf(c).roots, i)
	}
	for _, v := range f.given {
		finderOf(vars[v]).given = append(finderOf(vars[v]).given, v)
	}
	for _, v := range f.extras {
		finderOf(vars[v]).extras = append(finderOf(vars[v]).extras, v)
	}
	return list
}

// findInstalled finds why installed bundles contradict each other, and sets the rules of
// these causes aside.
func (f *finder) findInstalled() {
	list := f.members(-1)
	f.stands = f.holds(list)
	f.sorted.Stands = f.sorted.Stands && f.stands
	for n := 0; n < maxOfInstalled && f.err == nil && !f.stands; n++ {
		c := f.cause(-1)
		f.add(c, "")
		if !f.setAside(c.Core) {
			return
		}
		f.stands = f.holds(list)
	}
}

// sortInstalled sorts the causes of installed bundles by the last of their demands, as deletion
// finds them in the whole problem. It reports whether there are few enough to keep them all.
func (f *finder) sortInstalled() bool {
	list := f.members(-1)
	place := make(map[solver.Reason]int, len(list))
	for i, r := range list {
		place[r] = i
	}
	last := func(c Cause) (last int) {
		for _, r := range c.Core {
			last = max(last, place[r])
		}
		return last
	}
	slices.SortStableFunc(f.sorted.Causes, func(a, b Cause) int { return cmp.Compare(last(a), last(b)) })
	all := len(f.sorted.Causes)
	f.sorted.Causes = f.sorted.Causes[:min(all, maxOfInstalled)]
	return all <= maxOfInstalled
}

// take accepts each request, or leaves it out and finds its causes.
func (f *finder) take() {
	f.first = len(f.sorted.Causes)
	for from := 0; from < len(f.roots) && f.err == nil; {
		blocked := f.firstBlocked(from)
		for i := from; i < min(blocked+1, len(f.roots)) && f.err == nil; i++ {
			switch root := f.roots[i]; {
			case f.faulty(root):
				f.states[root] = leftOut
			case i < blocked:
				f.states[root] = accepted
			default:
				f.findCauses(root)
				f.states[root] = leftOut
			}
		}
		from = blocked + 1
	}
}

// firstBlocked returns the index of the first root, not before from, that cannot hold with those
// before it; the number of roots if there is none. A root without candidates does not count.
// Unless a contradiction is known, it doubles the number of roots that it tries.
func (f *finder) firstBlocked(from int) int {
	upTo := func(n int) []solver.Reason {
		for _, root := range f.roots[from : from+n] {
			f.states[root] = accepted
			if f.faulty(root) {
				f.states[root] = leftOut
			}
		}
		list := f.members(-1)
		for _, root := range f.roots[from : from+n] {
			f.states[root] = open
		}
		return list
	}
	known := f.sorted.Causes[f.first:]
	if len(known) > 0 && !f.faulty(f.roots[from]) {
		// The cause of the last root is often that of the next one, and cheap to test.
		f.holds(slices.DeleteFunc(known[len(known)-1].CoreOf(f.roots[from]), ruled))
	}
	rest := len(f.roots) - from
	low, high := 0, rest
	if f.contradicted(upTo(rest)) == nil {
		// Mostly there is one cause. If not, forget the core of so many requests: one of
		// fewer is closer to the first blocked root.
		if cores := f.cores; len(known) == 1 {
			if f.holds(upTo(rest)) {
				return len(f.roots)
			}
			f.cores = cores
		}
		for high = 1; f.holds(upTo(high)); high = min(2*high, rest) {
			if low = high; low == rest {
				return len(f.roots)
			}
		}
	}
	return from + f.shortest(low, high, upTo) - 1
}

// shortest returns the least number of demands that cannot hold together: more than low,
// and high at most.
func (f *finder) shortest(low, high int, first func(n int) []solver.Reason) int {
	for f.err == nil {
		high = low + 1 + sort.Search(high-low-1, func(n int) bool { return f.contradicted(first(low+1+n)) != nil })
		// Seldom do fewer demands contradict each other than a known core has.
		if low+1 == high || f.holds(first(high-1)) {
			return high
		}
		if mid := (low + high) / 2; f.holds(first(mid)) {
			low = mid
		}
	}
	return high
}

// findCauses finds the causes of a root, each without the rules of the causes before it.
func (f *finder) findCauses(root int) {
	aside, cores := f.aside, f.cores
	for n := 0; n < maxOfRequest && f.err == nil; n++ {
		if n > 0 && f.holds(append(f.members(root), RootDemand(root))) {
			break
		}
		c := f.cause(root)
		f.add(c, "")
		if !f.setAside(c.Core) {
			break
		}
	}
	// The root is left out from now on: cores with it are of no use.
	cores = slices.DeleteFunc(slices.Clone(cores), func(c contradiction) bool { return slices.Contains(c.core, RootDemand(root)) })
	f.aside, f.cores = aside, cores
}

// cause returns the minimal set that deletion leaves. It deletes requests, the last first,
// then installed bundles, by name, then rules.
func (f *finder) cause(root int) Cause {
	c := Cause{}
	var needed []solver.Reason
	if root >= 0 {
		c.Requests, needed = []int{root}, append(needed, RootDemand(root))
	}
	list := f.members(root)
	for f.err == nil && f.holds(needed) {
		if len(list) == 0 {
			f.err = errors.New("a contradiction without a cause")
			break
		}
		// The shortest beginning of the list that contradicts what is needed ends with a
		// member that deletion keeps.
		n := f.shortest(0, len(list), func(n int) []solver.Reason { return slices.Concat(list[:n], needed) })
		needed = append(needed, list[n-1])
		list = list[:n-1]
	}
	if known := f.contradicted(needed); f.err == nil && known.among == len(needed) {
		c.Core = known.core
	} else if f.err == nil {
		// The core of more demands may have other rules.
		c.Core, f.err = f.solve(needed)
	}
	return c
}

// contradicted returns a known contradiction among the demands, nil if none is known.
func (f *finder) contradicted(demands []solver.Reason) *contradiction {
	for i, c := range f.cores {
		if !slices.ContainsFunc(c.core, func(r solver.Reason) bool { return !ruled(r) && !slices.Contains(demands, r) }) {
			return &f.cores[i]
		}
	}
	return nil
}

// ruled reports whether a demand is a rule or a group.
func ruled(r solver.Reason) bool { return r.Kind != solver.KindRoot && r.Kind != solver.KindGiven }

// members returns the demands that must hold beside a root (-1: no root), in the reverse of
// the order in which deletion tries them: installed bundles by descending name, then
// requests in order.
func (f *finder) members(beside int) []solver.Reason {
	stay := slices.Clone(f.given)
	var roots []solver.Reason
	for _, i := range f.roots {
		switch s, current := f.states[i], f.current(i); {
		case i == beside:
		case s == accepted, s == open && slices.Contains(f.request(i).List.Candidates, current):
			// An open request demands its candidates, among which is its installed bundle.
			roots = append(roots, RootDemand(i))
		case current != solver.None && !slices.Contains(stay, current):
			stay = append(stay, current)
		}
	}
	f.sortByName(stay)
	list := make([]solver.Reason, 0, len(stay)+len(roots))
	for _, v := range slices.Backward(stay) {
		list = append(list, solver.Reason{Kind: solver.KindGiven, Var: v, Rule: -1})
	}
	return append(list, roots...)
}

func (s *sorting) sortByName(list []solver.Var) {
	name := func(v solver.Var) string { return s.p.Model.Of(v).NameOf(v) }
	slices.SortStableFunc(list, func(a, b solver.Var) int { return strings.Compare(name(a), name(b)) })
}

// current returns the installed bundle of a root, or None.
func (s *sorting) current(root int) solver.Var {
	if p, r := s.p.Root(root); r.Current >= 0 {
		return p.InstalledVar(r.Current)
	}
	return solver.None
}

func (s *sorting) request(root int) *request.Request {
	_, r := s.p.Root(root)
	return r
}

func (s *sorting) faulty(root int) bool { return len(s.request(root).List.Candidates) == 0 }

// faultKey returns a key that is the same for all roots that name the same missing package
// or catalog.
func (s *sorting) faultKey(root int) string {
	p, r := s.p.Root(root)
	if fault := r.Fault; fault != nil && fault.Kind.InCatalogs() {
		named := r.Stated(p, r).Catalog.String()
		if fault.Kind == request.FaultPackage {
			named = r.PackageName()
		}
		return fmt.Sprintf("%d %q %q %v %v", fault.Kind, p.Namespace, named, fault.Catalogs, fault.Unhealthy)
	}
	return fmt.Sprint("root ", root)
}

// RootDemand is the member of a core that a request is satisfied.
func RootDemand(i int) solver.Reason {
	return solver.Reason{Kind: solver.KindRoot, Var: solver.None, Rule: i}
}

// holds reports whether the demands can hold together. If not, it adds their core to cores.
func (f *finder) holds(demands []solver.Reason) bool {
	switch {
	case f.err != nil || len(demands) == 0:
		return true
	case f.contradicted(demands) != nil:
		return false
	}
	core, err := f.solve(demands)
	if core == nil || err != nil {
		f.err = err
		return true
	}
	f.cores = append(slices.Clip(f.cores), contradiction{core, len(demands)})
	return false
}

// solve returns a core of the demands, nil if they can hold together.
func (f *finder) solve(demands []solver.Reason) ([]solver.Reason, error) {
	problem := model.Restricted{Model: f.p.Model, Without: f.aside}
	var roots []int
	for _, r := range demands {
		if r.Kind == solver.KindRoot {
			roots = append(roots, r.Rule)
		} else {
			problem.Stay = append(problem.Stay, r.Var)
		}
	}
	slices.Sort(problem.Stay)
	slices.Sort(roots)
	for _, i := range roots {
		problem.Demands = append(problem.Demands, f.p.Model.Demands[i])
	}
	// A demand that always holds makes them selectable.
	problem.Demands = append(problem.Demands, solver.Rule{Formula: &solver.Or{Parts: []solver.Formula{model.Always, solver.OneOf(f.extras...)}}})
	_, core, err := f.p.Solve(divided{problem, f.conjunctions})
	for i := range core {
		if r := &core[i]; r.Kind == solver.KindRoot {
			r.Rule = roots[r.Rule]
		}
	}
	return core, err
}

// setAside sets the rules and groups of a core aside, and reports whether any are new.
func (f *finder) setAside(core []solver.Reason) bool {
	before := len(f.aside)
	whole, parts := f.conjunctions.split(core)
	f.aside = Aside(f.p, f.aside, whole)
	for _, r := range parts {
		f.aside[r] = true
	}
	f.cores = slices.DeleteFunc(slices.Clone(f.cores), func(c contradiction) bool {
		return slices.ContainsFunc(c.core, func(r solver.Reason) bool { return f.aside[r] })
	})
	return len(f.aside) > before
}

// Aside returns aside with the rules and groups of a core, for model.Restricted.Without. It
// adds those that state the same about the core's bundles from the other side: a group whose
// members are all in one of the core's groups, and a mutual exclusion.
func Aside(p *world.Problem, aside map[solver.Reason]bool, core []solver.Reason) map[solver.Reason]bool {
	aside = maps.Clone(aside)
	var groups []solver.Group
	var exclusions []solver.Reason
	for _, r := range core {
		switch r.Kind {
		case solver.KindGroup:
			aside[r] = true
			groups = append(groups, r.Group)
		case solver.KindRule:
			aside[r] = true
			if excludes(p, r) != nil {
				exclusions = append(exclusions, r)
			}
		}
	}
	if len(groups)+len(exclusions) == 0 {
		return aside
	}
	members := map[solver.Group][]solver.Var{}
	bundles, led := reached(p, core)
	for _, v := range bundles {
		for _, g := range p.Model.Groups(v) {
			members[g] = append(members[g], v)
		}
		for i := range p.Model.Rules(v) {
			r := solver.Reason{Kind: solver.KindRule, Var: v, Rule: i}
			excluded := excludes(p, r)
			if slices.ContainsFunc(exclusions, func(o solver.Reason) bool {
				return slices.Contains(excluded, o.Var) && slices.Contains(excludes(p, o), v)
			}) {
				aside[r] = true
			}
		}
	}
	for g, list := range members {
		// The bundles of one demand alone are alternatives: they do not conflict.
		within := func(all []solver.Var) bool {
			return !slices.ContainsFunc(list, func(v solver.Var) bool { return !slices.Contains(all, v) })
		}
		if !slices.ContainsFunc(led, within) && slices.ContainsFunc(groups, func(o solver.Group) bool { return within(members[o]) }) {
			aside[model.GroupDemand(g)] = true
		}
	}
	return aside
}

// excludes returns the bundles that a rule excludes, nil if it comes from a constraint.
func excludes(p *world.Problem, r solver.Reason) []solver.Var {
	if _, origin := p.Model.OriginOf(r.Var, r.Rule); origin.Code == words.Requires {
		return nil
	}
	return model.Negative(p.Model.Rules(r.Var)[r.Rule].Formula, nil)
}

// reached returns the bundles that a core leads to, and those of each of its demands.
func reached(p *world.Problem, core []solver.Reason) (list []solver.Var, led [][]solver.Var) {
	seen := map[solver.Var]bool{}
	add := func(vars ...solver.Var) {
		led = append(led, vars)
		for _, v := range vars {
			if !seen[v] {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	rules := map[solver.Var][]int{}
	for _, r := range core {
		switch r.Kind {
		case solver.KindRoot:
			_, request := p.Root(r.Rule)
			add(request.List.Candidates...)
		case solver.KindGiven, solver.KindSelect:
			add(r.Var)
		case solver.KindRule:
			rules[r.Var] = append(rules[r.Var], r.Rule)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, n := range rules[list[i]] {
			add(model.Positive(p.Model.Rules(list[i])[n].Formula, nil)...)
		}
	}
	return list, led
}

// add appends a cause, or adds its request to an equal one. key identifies the cause without
// its request; if it is empty, its core does.
func (s *sorting) add(c Cause, key string) {
	if s.err != nil {
		return
	}
	if len(c.Requests) > 0 {
		if key == "" {
			key = fmt.Sprint(slices.DeleteFunc(slices.Clone(c.Core), func(r solver.Reason) bool { return r == RootDemand(c.Requests[0]) }))
		}
		if i, ok := s.known[key]; ok && s.sorted.Causes[i].Requests[0] != c.Requests[0] {
			s.sorted.Causes[i].Requests = append(s.sorted.Causes[i].Requests, c.Requests...)
			return
		}
		s.known[key] = len(s.sorted.Causes)
	}
	whole, parts := s.conjunctions.split(c.Core)
	c.Core, c.Apart = whole, s.conjunctions.apart(s.p.Model, whole, parts)
	s.sorted.Causes = append(s.sorted.Causes, c)
}

// group numbers the groups of causes: the connected components by shared requests and
// installed bundles.
func (s *sorting) group() {
	list := s.sorted.Causes
	parent := make([]int, len(list))
	find := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	firsts := map[solver.Reason]int{} // the first cause that has a request or bundle
	for i, c := range list {
		parent[i] = i
		shared := slices.Clone(c.Core)
		for _, root := range c.Requests {
			// The installed bundle of a request that is left out stands for it.
			shared = append(shared, RootDemand(root), solver.Reason{Kind: solver.KindGiven, Var: s.current(root), Rule: -1})
		}
		for _, r := range shared {
			if ruled(r) || r.Var == solver.None && r.Kind == solver.KindGiven {
				continue
			}
			if k, ok := firsts[r]; ok {
				a, b := find(k), find(i)
				parent[max(a, b)] = min(a, b)
			} else {
				firsts[r] = i
			}
		}
	}
	groups := 0
	for i := range list {
		if root := find(i); root == i {
			groups++
			list[i].Group = groups
		} else {
			list[i].Group = list[root].Group
		}
	}
}
