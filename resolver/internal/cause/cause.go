// Package cause finds every cause of a failure: the minimal sets of demands that keep
// requests out. Its order of deletion and its limits are those of a failure's causes in
// package result.
package cause

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/solver"
)

// Cause is a minimal set that keeps requests out.
type Cause struct {
	// Requests are the roots that it keeps out, each by a set that is equal but for
	// itself; none where installed bundles contradict each other.
	Requests []int
	// Core is the set of the first of Requests, in the order of solver.Unsatisfiable.
	Core []solver.Reason
	// Group is from 1. Causes that share a request or an installed bundle have one.
	Group int
}

// Of returns the cause that a core is, without looking for others: it keeps out the last
// of its requests.
func Of(core []solver.Reason) Cause {
	c := Cause{Core: core, Group: 1}
	for _, r := range core {
		if r.Kind == solver.KindRoot {
			c.Requests = []int{r.Rule}
		}
	}
	return c
}

// CoreOf returns the set that keeps out one of the Requests.
func (c *Cause) CoreOf(root int) []solver.Reason {
	core := slices.Clone(c.Core)
	for i, r := range core {
		if r == rootDemand(c.Requests[0]) {
			core[i] = rootDemand(root)
		}
	}
	return core
}

// How many causes are sought of one request, and of what is installed.
const (
	maxOfRequest   = 3
	maxOfInstalled = 100
)

// Sorted says which requests hold together, and why the others do not.
type Sorted struct {
	Causes []Cause
	// Accepted says of each root whether it holds together with those before it. One that
	// does not keeps what it has installed.
	Accepted []bool
	// Stands is false if what is installed contradicts itself, so that leaving requests
	// out does not help.
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

// Remaining is what remains demanded of a root: itself, or what it has installed.
func (s *Sorted) Remaining(p *engine.Problem, root int) solver.Formula {
	if s.Accepted[root] {
		return p.Model.Demands[root].Formula
	}
	if of, r := p.Root(root); r.Current >= 0 {
		return solver.OneOf(of.InstalledVar(r.Current))
	}
	return model.Always
}

// state of a root.
type state int8

const (
	open state = iota // not taken yet
	accepted
	leftOut
)

// finder takes the requests in their order.
type finder struct {
	ctx    context.Context
	p      *engine.Problem
	states []state
	// given are the installed bundles without requests, by name.
	given []solver.Var
	// aside are the rules of causes that further ones are sought without.
	aside map[solver.Reason]bool
	// cores are the contradictions that are known without the rules set aside.
	cores [][]solver.Reason
	known map[string]int // causes by all but their request
	// extras always holds. It leads to what only some request leads to, but other demands
	// may be satisfied by.
	extras solver.Rule
	sorted Sorted
	stands bool // what is installed, without the rules of its causes
	err    error
}

// Find finds all causes of a problem that cannot hold, of which a core is known. The errors
// are those of package solver.
func Find(ctx context.Context, p *engine.Problem, core []solver.Reason) (*Sorted, error) {
	f := &finder{
		ctx: ctx, p: p, states: make([]state, len(p.Model.Demands)), given: p.Model.Given(),
		aside: map[solver.Reason]bool{}, cores: [][]solver.Reason{core}, known: map[string]int{},
	}
	f.sortByName(f.given)
	var extras []solver.Var
	for _, p := range p.Model.Parts {
		extras = append(extras, p.Extras...)
	}
	f.extras.Formula = &solver.Or{Parts: []solver.Formula{model.Always, solver.OneOf(extras...)}}
	f.findInstalled()
	if f.err == nil && f.stands {
		f.take()
	}
	for _, s := range f.states {
		f.sorted.Accepted = append(f.sorted.Accepted, s == accepted)
	}
	f.group()
	return &f.sorted, f.err
}

// findInstalled finds why what is installed contradicts itself, and sets that aside for
// what else fails.
func (f *finder) findInstalled() {
	list := f.members(-1)
	f.sorted.Stands = f.holds(list)
	f.stands = f.sorted.Stands
	for n := 0; n < maxOfInstalled && f.err == nil && !f.stands; n++ {
		c := f.cause(-1)
		f.add(c, "")
		if !f.setAside(c.Core) {
			return
		}
		f.stands = f.holds(list)
	}
}

// take accepts requests, or leaves them out and says why.
func (f *finder) take() {
	for from := 0; from < len(f.states) && f.err == nil; {
		blocked := f.firstBlocked(from)
		for i := from; i < min(blocked+1, len(f.states)) && f.err == nil; i++ {
			switch {
			case f.faulty(i):
				f.states[i] = leftOut
				f.add(Cause{Requests: []int{i}, Core: []solver.Reason{rootDemand(i)}}, f.faultKey(i))
			case i < blocked:
				f.states[i] = accepted
			default:
				f.findCauses(i)
				f.states[i] = leftOut
			}
		}
		from = blocked + 1
	}
}

// firstBlocked returns the first root from here that cannot hold. Where no contradiction is
// known it is found by doubling. Those that name what is not there are out by themselves.
func (f *finder) firstBlocked(from int) int {
	upTo := func(n int) []solver.Reason {
		for i := from; i < from+n; i++ {
			f.states[i] = accepted
			if f.faulty(i) {
				f.states[i] = leftOut
			}
		}
		list := f.members(-1)
		clear(f.states[from : from+n])
		return list
	}
	if last := len(f.sorted.Causes) - 1; last >= 0 && len(f.sorted.Causes[last].Requests) > 0 && !f.faulty(from) {
		// What keeps out the last one often keeps out the next one, and is quickly seen.
		f.holds(slices.DeleteFunc(f.sorted.Causes[last].CoreOf(from), ruled))
	}
	rest := len(f.states) - from
	low, high := 0, rest
	if f.contradicted(upTo(rest)) == nil {
		// Mostly there is one cause. If not, a core of fewer requests is closer to what is sought.
		if cores := f.cores; len(f.sorted.Causes) == 1 {
			if f.holds(upTo(rest)) {
				return len(f.states)
			}
			f.cores = cores
		}
		for high = 1; f.holds(upTo(high)); high = min(2*high, rest) {
			if low = high; low == rest {
				return len(f.states)
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
		// Seldom does less contradict itself than what is known to.
		if low+1 == high || f.holds(first(high-1)) {
			return high
		}
		if mid := (low + high) / 2; f.holds(first(mid)) {
			low = mid
		}
	}
	return high
}

// findCauses finds the causes of a root, each without the rules of those before.
func (f *finder) findCauses(root int) {
	aside, cores := f.aside, f.cores
	for n := 0; n < maxOfRequest && f.err == nil; n++ {
		if n > 0 && f.holds(append(f.members(root), rootDemand(root))) {
			break
		}
		c := f.cause(root)
		f.add(c, "")
		if !f.setAside(c.Core) {
			break
		}
	}
	// A root that is left out is demanded no more.
	cores = slices.DeleteFunc(slices.Clone(cores), func(core []solver.Reason) bool { return slices.Contains(core, rootDemand(root)) })
	f.aside, f.cores = aside, cores
}

// cause returns the minimal set that deletion leaves: of requests, last first, then of
// installed bundles, by name, then of rules.
func (f *finder) cause(root int) Cause {
	c := Cause{}
	var needed []solver.Reason
	if root >= 0 {
		c.Requests, needed = []int{root}, append(needed, rootDemand(root))
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
	c.Core = f.contradicted(needed)
	return c
}

// contradicted returns the core of a contradiction that is known to be among the demands.
func (f *finder) contradicted(demands []solver.Reason) []solver.Reason {
	for _, core := range f.cores {
		if !slices.ContainsFunc(core, func(r solver.Reason) bool { return !ruled(r) && !slices.Contains(demands, r) }) {
			return core
		}
	}
	return nil
}

// ruled reports whether a demand is a rule or a group.
func ruled(r solver.Reason) bool { return r.Kind != solver.KindRoot && r.Kind != solver.KindGiven }

// members are what must hold beside a root (-1: no root), what deletion keeps first:
// installed bundles, the last by name first, then requests in order.
func (f *finder) members(beside int) []solver.Reason {
	stay := slices.Clone(f.given)
	var roots []solver.Reason
	for i, s := range f.states {
		switch current := f.current(i); {
		case i == beside:
		case s == accepted, s == open && current != solver.None && slices.Contains(f.request(i).List.Candidates, current):
			// One that is not taken yet holds, or keeps what it has, which is a candidate.
			roots = append(roots, rootDemand(i))
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

func (f *finder) sortByName(list []solver.Var) {
	name := func(v solver.Var) string { return f.p.Model.Of(v).NameOf(v) }
	slices.SortStableFunc(list, func(a, b solver.Var) int { return strings.Compare(name(a), name(b)) })
}

// current is what a root has installed, or None.
func (f *finder) current(root int) solver.Var {
	if p, r := f.p.Root(root); r.Current >= 0 {
		return p.InstalledVar(r.Current)
	}
	return solver.None
}

func (f *finder) request(root int) *request.Request {
	_, r := f.p.Root(root)
	return r
}

func (f *finder) faulty(root int) bool { return len(f.request(root).List.Candidates) == 0 }

// faultKey says what a root names that is not there: it is the same for all that name it.
func (f *finder) faultKey(root int) string {
	p, r := f.p.Root(root)
	if fault := r.Fault; fault != nil && fault.Kind.InCatalogs() {
		named := r.Stated(p, r).Catalog
		if fault.Kind == request.FaultPackage {
			named = r.PackageName()
		}
		return fmt.Sprintf("%d %q %q %v %v", fault.Kind, p.Namespace, named, fault.Catalogs, fault.Unhealthy)
	}
	return fmt.Sprint("root ", root)
}

func rootDemand(i int) solver.Reason {
	return solver.Reason{Kind: solver.KindRoot, Var: solver.None, Rule: i}
}

// holds reports whether the demands can hold together. If not, their core is known then.
func (f *finder) holds(demands []solver.Reason) bool {
	switch {
	case f.err != nil || len(demands) == 0:
		return true
	case f.contradicted(demands) != nil:
		return false
	}
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
	problem.Demands = append(problem.Demands, f.extras)
	_, err := solver.Solve(f.ctx, problem, engine.SolverOptions(f.p.Model.In.Options))
	unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err)
	if !ok {
		f.err = err
		return true
	}
	for i := range unsatisfiable.Core {
		if r := &unsatisfiable.Core[i]; r.Kind == solver.KindRoot {
			r.Rule = roots[r.Rule]
		}
	}
	f.cores = append(slices.Clip(f.cores), unsatisfiable.Core)
	return false
}

// setAside sets the rules of a core aside, and reports whether there are any.
func (f *finder) setAside(core []solver.Reason) bool {
	before := len(f.aside)
	f.aside, f.cores = Aside(f.p, f.aside, core), nil
	return len(f.aside) > before
}

// Aside returns the rules that are aside and those of a core, for model.Restricted. What
// says the same of the core's bundles from the other side goes with them: groups whose
// members are in its groups, and exclusions of what excludes.
func Aside(p *engine.Problem, aside map[solver.Reason]bool, core []solver.Reason) map[solver.Reason]bool {
	aside = maps.Clone(aside)
	var own []solver.Group
	var exclusions []solver.Reason
	for _, r := range core {
		switch r.Kind {
		case solver.KindGroup:
			aside[r] = true
			own = append(own, r.Group)
		case solver.KindRule:
			aside[r] = true
			if excludes(p, r) != nil {
				exclusions = append(exclusions, r)
			}
		}
	}
	if len(own)+len(exclusions) == 0 {
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
		// One demand alone leads to no conflict of what it leads to.
		within := func(all []solver.Var) bool {
			return !slices.ContainsFunc(list, func(v solver.Var) bool { return !slices.Contains(all, v) })
		}
		if !slices.ContainsFunc(led, within) && slices.ContainsFunc(own, func(o solver.Group) bool { return within(members[o]) }) {
			aside[model.GroupDemand(g)] = true
		}
	}
	return aside
}

// excludes returns what a rule excludes that does not come from a constraint.
func excludes(p *engine.Problem, r solver.Reason) []solver.Var {
	if _, origin := p.Model.OriginOf(r.Var, r.Rule); origin.Code == code.Requires {
		return nil
	}
	return candidate.Negative(p.Model.Rules(r.Var)[r.Rule].Formula, nil)
}

// reached are the bundles that a core leads to, and those that each of its demands does.
func reached(p *engine.Problem, core []solver.Reason) (list []solver.Var, led [][]solver.Var) {
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
			add(candidate.Positive(p.Model.Rules(list[i])[n].Formula, nil)...)
		}
	}
	return list, led
}

// add appends a cause, or its request to one that is equal but for that. key is what it
// is without its request; empty: its core.
func (f *finder) add(c Cause, key string) {
	if f.err != nil {
		return
	}
	if len(c.Requests) > 0 {
		if key == "" {
			key = fmt.Sprint(slices.DeleteFunc(slices.Clone(c.Core), func(r solver.Reason) bool { return r == rootDemand(c.Requests[0]) }))
		}
		if i, ok := f.known[key]; ok && f.sorted.Causes[i].Requests[0] != c.Requests[0] {
			f.sorted.Causes[i].Requests = append(f.sorted.Causes[i].Requests, c.Requests...)
			return
		}
		f.known[key] = len(f.sorted.Causes)
	}
	f.sorted.Causes = append(f.sorted.Causes, c)
}

// group numbers the groups.
func (f *finder) group() {
	list := f.sorted.Causes
	parent := make([]int, len(list))
	find := func(i int) int {
		for parent[i] != i {
			i = parent[i]
		}
		return i
	}
	by := map[solver.Reason]int{} // the first cause that has a request or bundle
	for i, c := range list {
		parent[i] = i
		shared := slices.Clone(c.Core)
		for _, root := range c.Requests {
			// What a request that is left out has installed stands for it.
			shared = append(shared, rootDemand(root), solver.Reason{Kind: solver.KindGiven, Var: f.current(root), Rule: -1})
		}
		for _, r := range shared {
			if ruled(r) || r.Var == solver.None && r.Kind == solver.KindGiven {
				continue
			}
			if k, ok := by[r]; ok {
				a, b := find(k), find(i)
				parent[max(a, b)] = min(a, b)
			} else {
				by[r] = i
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
