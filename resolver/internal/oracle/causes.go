package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Cause is a cause as the resolver tells it: names of requests, and the keys of the
// members of its set: "request N", "installed N", "rule C/B#i", "forbid C/B",
// "replaces C/B N", "package P", "name N", "api K", and, for each part that it needs of a rule
// with all, "part of rule C/B#i.k".
type Cause struct {
	Requests []string
	Core     []string
	// Same are requests that it keeps out as well.
	Group int
}

// clause is a demand with its key.
type clause struct {
	key   string
	holds func(selection) bool
	// parts are keys of demands of which those that count must hold as well if owner is
	// selected. Rules that state the same share them.
	parts []string
	owner selection
}

func (s *search) nodeKey(n int) string {
	d := s.node(n)
	if d.catalog < 0 {
		return "/" + d.name
	}
	c := s.of(n).Catalogs[d.catalog]
	return c.Namespace + "/" + c.Name + "/" + d.name
}

// clauses lists all demands but requests and what stays.
func (s *search) clauses() []clause {
	var all []clause
	groups := map[string]selection{}
	s.parts = map[string][]func(selection) bool{}
	for _, n := range s.universe {
		b, d := s.bit[n], s.node(n)
		if d.stated != "" {
			groups["package "+d.stated] |= b
		}
		groups["name "+d.name] |= b
		for _, k := range d.provides {
			groups["api "+k] |= b
		}
		if d.forbidden { // which it is, whatever else it would exclude and require
			all = append(all, clause{key: "forbid " + s.nodeKey(n), holds: func(t selection) bool { return t&b == 0 }})
			continue
		}
		for _, e := range s.excludes {
			if e.update == n && e.cur != n {
				cur := s.bit[e.cur]
				all = append(all, clause{key: "replaces " + s.nodeKey(n) + " " + s.node(e.cur).name, holds: func(t selection) bool { return t&b == 0 || t&cur == 0 }})
			}
		}
		for i, f := range s.rules(n) {
			key := "rule " + s.nodeKey(n) + "#" + strconv.Itoa(i)
			if parts := s.partKeys(n, i); parts != nil {
				all = append(all, clause{key: key, holds: always, parts: parts, owner: b})
				for k, part := range parts {
					s.parts[part] = append(s.parts[part], s.clause(f.parts[k]))
				}
				continue
			}
			holds := s.clause(f)
			all = append(all, clause{key: key, holds: func(t selection) bool { return t&b == 0 || holds(t) }})
		}
	}
	for key := range s.parts {
		all = append(all, clause{key: key, holds: always})
	}
	for key, members := range groups {
		all = append(all, clause{key: key, holds: func(t selection) bool { m := t & members; return m&(m-1) == 0 }})
	}
	slices.SortFunc(all, func(a, b clause) int { return strings.Compare(a.key, b.key) })
	return all
}

func always(selection) bool { return true }

// partKeys returns the keys of the parts of a rule with all, nil for another one. Parts that
// nothing satisfies are one demand.
func (s *search) partKeys(n, i int) []string {
	c := s.node(n).requires[i]
	if len(c.All) < 2 || s.of(n).BundleScope {
		return nil
	}
	stated, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("oracle: a constraint is plain data: %v", err))
	}
	var keys []string
	for k, part := range s.rules(n)[i].parts {
		name := strconv.Itoa(k)
		if s.impossible(part) {
			name = "absent"
		}
		keys = append(keys, "part "+name+" of "+string(stated))
	}
	return keys
}

// impossible reports whether no bundle satisfies a formula.
func (s *search) impossible(f formula) bool {
	switch f.op {
	case some:
		return len(s.candidates(f)) == 0
	case and:
		return slices.ContainsFunc(f.parts, s.impossible)
	case or:
		return !slices.ContainsFunc(f.parts, func(part formula) bool { return !s.impossible(part) })
	}
	return false
}

// stated returns the core with the keys of parts that rules share.
func (s *search) stated(core []string) []string {
	named := map[string]string{}
	for _, n := range s.universe {
		for i := range s.rules(n) {
			for k, key := range s.partKeys(n, i) {
				named[fmt.Sprintf("part of rule %s#%d.%d", s.nodeKey(n), i, k)] = key
			}
		}
	}
	var list []string
	for _, k := range core {
		if key, ok := named[k]; ok {
			k = key
		}
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

func (s *search) possibleWith(list []clause) bool {
	counts := map[string]bool{}
	for _, c := range list {
		counts[c.key] = true
	}
	list = slices.Clone(list)
	for i, c := range list {
		if c.parts == nil {
			continue
		}
		var parts []func(selection) bool
		for _, key := range c.parts {
			if counts[key] {
				parts = append(parts, s.parts[key]...)
			}
		}
		list[i].holds = func(t selection) bool {
			return t&c.owner == 0 || !slices.ContainsFunc(parts, func(holds func(selection) bool) bool { return !holds(t) })
		}
	}
	for t := range selection(1) << len(s.universe) {
		ok := true
		for i := range list {
			if !list[i].holds(t) {
				ok = false
				break
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// CheckCauses reports what is wrong with the causes of a problem in one namespace.
func CheckCauses(p *Problem, got []Cause, accepted []string, limit int) (checked bool, err error) {
	s := newSearch([]*Problem{p})
	wishes := s.roots
	s.roots = make([]formula, len(wishes))
	for i := range wishes {
		s.roots[i] = formula{op: or, parts: []formula{wishes[i], s.keeping(i)}}
	}
	if err := s.reach(limit); err != nil {
		return false, nil
	}
	w := s.worlds[0]
	rules := s.clauses()
	aside := map[string]bool{}
	requests := w.requests()
	cur := func(i int) (int, bool) { n, ok := w.installed[requests[i].InstalledCSV]; return n, ok }
	faulty := func(i int) bool { return len(wishes[i].request) == 0 }
	demand := map[string]func(selection) bool{}
	for i := range wishes {
		demand["request "+requests[i].Name] = s.clause(wishes[i])
	}
	for _, n := range s.universe {
		if b := s.bit[n]; s.node(n).catalog < 0 {
			demand["installed "+s.node(n).name] = func(t selection) bool { return t&b != 0 }
		}
	}
	const (
		open = iota
		taken
		left
	)
	state := make([]int, len(wishes))
	// members in the order in which deletion tries them.
	members := func(next int) []string {
		var reqs, bundles []string
		for _, n := range s.universe {
			if s.node(n).given {
				bundles = append(bundles, "installed "+s.node(n).name)
			}
		}
		for i := range wishes {
			n, has := cur(i)
			switch {
			case i == next:
			case state[i] == taken, state[i] == open && has && !faulty(i):
				reqs = append(reqs, "request "+requests[i].Name)
			case has && !slices.Contains(bundles, "installed "+s.node(n).name):
				bundles = append(bundles, "installed "+s.node(n).name)
			}
		}
		slices.Reverse(reqs)
		slices.Sort(bundles)
		return append(reqs, bundles...)
	}
	holds := func(keys []string) bool {
		var list []clause
		for _, k := range keys {
			list = append(list, clause{key: k, holds: demand[k]})
		}
		for _, r := range rules {
			if !aside[r.key] {
				list = append(list, r)
			}
		}
		return s.possibleWith(list)
	}
	isRule := func(k string) bool { return !strings.HasPrefix(k, "request ") && !strings.HasPrefix(k, "installed ") }
	// check compares one cause and sets its rules aside.
	check := func(next int, self string, core []string) (bool, error) {
		err = nil
		list := members(next)
		if self != "" {
			list = append(list, self)
		}
		for _, k := range slices.Clone(list) {
			if k == self {
				continue
			}
			if without := slices.DeleteFunc(slices.Clone(list), func(o string) bool { return o == k }); !holds(without) {
				list = without
			}
		}
		var mine, ruled []string
		for _, k := range core {
			if isRule(k) {
				ruled = append(ruled, k)
			} else {
				mine = append(mine, k)
			}
		}
		slices.Sort(list)
		slices.Sort(mine)
		if !slices.Equal(list, mine) {
			return false, fmt.Errorf("of %q: deletion leaves %q, the cause has %q (%q)", self, list, mine, core)
		}
		only := func(keys []string) bool {
			var list []clause
			for _, k := range keys {
				if d := demand[k]; d != nil {
					list = append(list, clause{key: k, holds: d})
					continue
				}
				i := slices.IndexFunc(rules, func(r clause) bool { return r.key == k })
				if i < 0 || aside[k] {
					err = fmt.Errorf("there is no rule %q, or it was set aside", k)
					return false
				}
				list = append(list, rules[i])
			}
			return s.possibleWith(list)
		}
		if only(core) || err != nil {
			return false, fmt.Errorf("the cause can hold (%v): %q", err, core)
		}
		for i := range core {
			if !only(slices.Delete(slices.Clone(core), i, i+1)) {
				return false, fmt.Errorf("%q is not needed in %q", core[i], core)
			}
		}
		for _, k := range s.alike(core) {
			aside[k] = true
		}
		for _, k := range ruled {
			// Of a rule with all the parts are set aside.
			if !slices.ContainsFunc(rules, func(r clause) bool { return r.key == k && r.parts != nil }) {
				aside[k] = true
			}
		}
		return len(ruled) > 0, nil
	}
	installed := map[string]string{} // what a request has installed, by its key
	for i := range wishes {
		if n, has := cur(i); has {
			installed["request "+requests[i].Name] = "installed " + s.node(n).name
		}
	}
	if err := checkGroups(got, installed); err != nil {
		return true, err
	}
	var base []Cause
	causes := map[string][]Cause{}
	for _, c := range got {
		if len(c.Requests) == 0 {
			base = append(base, Cause{Core: s.stated(c.Core)})
		}
		for _, r := range c.Requests {
			core := s.stated(c.Core)
			for i, k := range core {
				if k == "request "+c.Requests[0] {
					core[i] = "request " + r
				}
			}
			causes[r] = append(causes[r], Cause{Requests: c.Requests, Core: core})
		}
	}
	sequence := func(next int, self string, list []Cause) error {
		for i := 0; ; i++ {
			keys := members(next)
			if self != "" {
				keys = append(keys, self)
			}
			more := !holds(keys) && (i < 3 || self == "")
			switch {
			case !more && len(list) > i:
				return fmt.Errorf("of %q: a cause too many: %q", self, list[i].Core)
			case !more:
				return nil
			case len(list) <= i:
				return fmt.Errorf("of %q: a cause is missing behind %v", self, list)
			}
			found := i
			more, failure := check(next, self, list[i].Core)
			// One that requests share stands where the first of them has it.
			for j := i + 1; j < len(list) && failure != nil && len(list[j-1].Requests) > 1; j++ {
				if again, other := check(next, self, list[j].Core); other == nil {
					found, more, failure = j, again, nil
				}
			}
			if failure != nil {
				return failure
			}
			list[i], list[found] = list[found], list[i]
			if !more {
				if len(list) > i+1 {
					return fmt.Errorf("of %q: causes behind one without rules", self)
				}
				return nil
			}
		}
	}
	if err := sequence(-1, "", base); err != nil {
		return true, err
	}
	if !holds(members(-1)) {
		if len(causes) > 0 {
			return true, fmt.Errorf("causes of requests although what is installed contradicts itself")
		}
		return true, nil
	}
	before := aside
	for i := range wishes {
		self := "request " + requests[i].Name
		if holds(append(members(i), self)) {
			state[i] = taken
			if len(causes[requests[i].Name]) > 0 || !slices.Contains(accepted, requests[i].Name) {
				return true, fmt.Errorf("%s is accepted, but has causes %v", self, causes[requests[i].Name])
			}
			continue
		}
		if slices.Contains(accepted, requests[i].Name) {
			return true, fmt.Errorf("%s is not accepted", self)
		}
		aside = map[string]bool{}
		for k := range before {
			aside[k] = true
		}
		if err := sequence(i, self, causes[requests[i].Name]); err != nil {
			return true, err
		}
		aside = before
		state[i] = left
	}
	return true, nil
}

// Says reports whether one of the causes says why a problem has no answer: its rules alone
// keep what is demanded from holding, or it is about a request that nothing satisfies. Such
// a one keeps what it has installed.
func Says(p *Problem, told []Cause, limit int) (bool, error) {
	s := newSearch([]*Problem{p})
	faulty := map[string]bool{}
	for i, r := range s.roots {
		if len(r.request) == 0 && s.asked != nil {
			faulty[s.asked[i].subscription.Name] = true
			s.roots[i] = s.keeping(i)
		}
	}
	if err := s.reach(limit); err != nil {
		return false, err
	}
	var demands []clause
	for _, n := range s.universe {
		if b := s.bit[n]; s.node(n).given {
			demands = append(demands, clause{holds: func(t selection) bool { return t&b != 0 }})
		}
	}
	for _, r := range s.roots {
		demands = append(demands, clause{holds: s.clause(r)})
	}
	rules := s.clauses()
	for _, c := range told {
		list, core := slices.Clone(demands), s.stated(c.Core)
		for _, r := range rules {
			if slices.Contains(core, r.key) {
				list = append(list, r)
			}
		}
		missing := len(c.Core) == 1 && slices.ContainsFunc(c.Requests, func(r string) bool { return faulty[r] })
		if missing || !s.possibleWith(list) {
			return true, nil
		}
	}
	return false, nil
}

// checkGroups compares the groups with those that come of merging causes that share a
// request, an installed bundle, or what a request that is left out has installed.
func checkGroups(causes []Cause, left map[string]string) error {
	groups := make([]int, len(causes))
	shared := make([]map[string]bool, len(causes))
	for i, c := range causes {
		groups[i], shared[i] = i, map[string]bool{}
		for _, k := range c.Core {
			shared[i][k] = strings.HasPrefix(k, "request ") || strings.HasPrefix(k, "installed ")
		}
		for _, r := range c.Requests {
			shared[i]["request "+r], shared[i][left["request "+r]] = true, left["request "+r] != ""
		}
	}
	for range causes { // as often as the longest chain needs
		for i := range causes {
			for j := range causes {
				for k, both := range shared[i] {
					if both && shared[j][k] {
						groups[j] = min(groups[i], groups[j])
					}
				}
			}
		}
	}
	numbers := map[int]int{}
	for i, c := range causes {
		if numbers[groups[i]] == 0 {
			numbers[groups[i]] = len(numbers) + 1
		}
		if c.Group != numbers[groups[i]] {
			return fmt.Errorf("cause %d is in group %d instead of %d: %v", i, c.Group, numbers[groups[i]], causes)
		}
	}
	return nil
}

// alike are the groups that say of the bundles in a cause what one of its groups says.
func (s *search) alike(core []string) []string {
	in := func(key string) bool { return slices.Contains(core, key) }
	var bundles []int
	var led [][]int // the bundles that each demand leads to
	add := func(list ...int) {
		led = append(led, list)
		for _, n := range list {
			if !slices.Contains(bundles, n) {
				bundles = append(bundles, n)
			}
		}
	}
	for i, r := range s.roots {
		if in("request " + s.asked[i].subscription.Name) {
			var list []int
			for _, p := range r.parts[0].request {
				list = append(list, p.node)
			}
			add(list...)
		}
	}
	for _, n := range s.universe {
		if s.node(n).catalog < 0 && in("installed "+s.node(n).name) {
			add(n)
		}
	}
	for i := 0; i < len(bundles); i++ {
		if s.node(bundles[i]).forbidden {
			continue
		}
		for k, f := range s.rules(bundles[i]) {
			if in("rule " + s.nodeKey(bundles[i]) + "#" + strconv.Itoa(k)) {
				var list []int
				f.leaves(func(leaf formula) {
					if leaf.op != some {
						return
					}
					// One that is there for a startingCSV alone is no candidate, and satisfies it.
					for _, m := range s.universe {
						if s.wants(leaf, m) {
							list = append(list, m)
						}
					}
				})
				add(list...)
			}
		}
	}
	groups := map[string][]int{}
	for _, n := range bundles {
		d := s.node(n)
		if d.stated != "" {
			groups["package "+d.stated] = append(groups["package "+d.stated], n)
		}
		groups["name "+d.name] = append(groups["name "+d.name], n)
		for _, k := range d.provides {
			groups["api "+k] = append(groups["api "+k], n)
		}
	}
	var list []string
	for g, members := range groups {
		within := func(all []int) bool {
			return !slices.ContainsFunc(members, func(n int) bool { return !slices.Contains(all, n) })
		}
		if in(g) || slices.ContainsFunc(led, within) {
			continue
		}
		for own, o := range groups {
			if in(own) && within(o) {
				list = append(list, g)
				break
			}
		}
	}
	return list
}
