package oracle

import (
	"errors"
	"fmt"
	"slices"
)

// Answer is the right outcome of a problem.
type Answer struct {
	// Ambiguous: several catalogs are equally good for an extension. There is no
	// answer then.
	Ambiguous bool
	// Satisfiable is false if the rules contradict each other; the rest is
	// then empty.
	Satisfiable bool
	// Installs are in the order of selection.
	Installs []Install
	// Kept and Replaced name installed bundles, sorted.
	Kept, Replaced []string
	// LeftOut names the Subscriptions that cannot hold, where others may proceed.
	LeftOut []string
}

// Install is a bundle to install.
type Install struct {
	Bundle, Namespace, Catalog, Channel, Replaces string
	// Place is its index among the candidates of the obligation that selected it.
	Place int
	// Updates is true if it is an update of what a Subscription has installed, which it replaces.
	// Any other bundle replaces what its channel says.
	Updates bool
}

// ErrTooLarge means that a problem reaches too many bundles for brute force.
var ErrTooLarge = errors.New("oracle: the problem is too large")

// Solve answers a problem that reaches at most limit bundles.
func Solve(p *Problem, limit int) (*Answer, error) {
	answers, err := SolveJoint(Joint{p}, limit)
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// newSearch reads the requests of all namespaces, in their order.
func newSearch(problems []*Problem) *search {
	s := &search{}
	base := 0
	for _, p := range problems {
		w := newWorld(p)
		w.base = base
		base += len(w.nodes)
		s.worlds = append(s.worlds, w)
		if p.Extension != nil {
			s.addExtension(w)
			continue
		}
		for _, r := range w.requests() {
			candidates, updates := w.request(r)
			for i := range candidates {
				candidates[i].node += w.base
			}
			s.roots = append(s.roots, formula{op: some, isRequest: true, request: candidates, dependent: -1})
			s.asked = append(s.asked, asked{w, r})
			for _, u := range updates {
				if w.nodes[u].catalog >= 0 { // what is installed excludes nothing by edges
					s.excludes = append(s.excludes, exclusion{update: w.base + u, cur: w.base + w.installed[r.InstalledCSV]})
				}
			}
		}
	}
	return s
}

// addExtension reads the request of an extension, the only one of its problem.
func (s *search) addExtension(w *world) {
	candidates, updates, ambiguous := w.extensionRequest()
	s.ambiguous = ambiguous
	s.roots = append(s.roots, formula{op: some, isRequest: true, request: candidates, dependent: -1})
	for _, u := range updates {
		s.excludes = append(s.excludes, exclusion{update: u, cur: 0})
	}
}

// solve finds the answer, if there is one.
func (s *search) solve(limit int) (satisfiable bool, err error) {
	if err := s.reach(limit); err != nil || !s.satisfiable() {
		return false, err
	}
	return true, s.walk()
}

// Satisfiable reports whether some selection breaks no rule. An ambiguous request has none.
func Satisfiable(p *Problem, limit int) (bool, error) {
	s := newSearch([]*Problem{p})
	if err := s.reach(limit); err != nil || s.ambiguous {
		return false, err
	}
	return s.satisfiable(), nil
}

// Named are the visible catalogs that a Subscription names.
func Named(p *Problem, s Subscription) []int { return newWorld(p).named(s) }

// selection is a set of bundles, as bits over search.universe.
type selection uint32

type search struct {
	// worlds are the namespaces; their nodes are numbered one after another.
	worlds []*world
	// ambiguous: the request of an extension is.
	ambiguous bool
	roots     []formula
	// asked are the Subscriptions that the roots stand for.
	asked    []asked
	excludes []exclusion
	// parts are what each demand that is a part of rules with all asks.
	parts map[string][]func(selection) bool
	// universe lists the bundles that anything reaches; bit finds their bits.
	universe []int
	bit      map[int]selection
	// models are all selections that break no rule.
	models []selection

	// The walk through the queue.
	selected selection
	order    []choice
	queue    []formula
	watched  []formula
	commits  []formula
}

// choice is a selected bundle, with the index of its place among the candidates.
type choice struct {
	place
	index int
}

// of returns the world of a node.
func (s *search) of(n int) *world {
	found := s.worlds[0]
	for _, w := range s.worlds {
		if w.base <= n && len(w.nodes) > 0 {
			found = w
		}
	}
	return found
}

func (s *search) node(n int) *node {
	w := s.of(n)
	return &w.nodes[n-w.base]
}

// given lists the bundles that are installed without a Subscription.
func (s *search) given() []int {
	var all []int
	for _, w := range s.worlds {
		for i := range w.nodes {
			if w.nodes[i].given {
				all = append(all, w.base+i)
			}
		}
	}
	return all
}

// exclusion: an update candidate and the installed bundle of its Subscription
// are not both selected.
type exclusion struct{ update, cur int }

func (s *search) rules(n int) []formula {
	var all []formula
	for _, c := range s.node(n).requires {
		all = append(all, s.obligation(c, n))
	}
	return all
}

// reach closes the universe: candidates of the requests, installed bundles
// without a Subscription, and candidates of whatever these ask for.
func (s *search) reach(limit int) error {
	s.bit = map[int]selection{}
	add := func(n int) {
		if _, ok := s.bit[n]; !ok {
			s.bit[n] = 1 << len(s.universe)
			s.universe = append(s.universe, n)
		}
	}
	for _, n := range s.given() {
		add(n)
	}
	follow := func(leaf formula) {
		if leaf.op == some {
			for _, p := range s.candidates(leaf) {
				add(p.node)
			}
		}
	}
	for _, r := range s.roots {
		r.leaves(follow)
	}
	for i := 0; i < len(s.universe) && len(s.universe) <= limit; i++ {
		for _, f := range s.rules(s.universe[i]) {
			f.leaves(follow)
		}
	}
	if len(s.universe) > limit {
		return fmt.Errorf("%w: %d bundles", ErrTooLarge, len(s.universe))
	}
	return nil
}

// mask turns a leaf into the set of bundles that it speaks of.
func (s *search) mask(f formula) selection {
	var m selection
	for _, n := range s.universe {
		if s.wants(f, n) {
			m |= s.bit[n]
		}
	}
	return m
}

// clause turns a formula into a function of a selection.
func (s *search) clause(f formula) func(selection) bool {
	var parts []func(selection) bool
	for _, p := range f.parts {
		parts = append(parts, s.clause(p))
	}
	switch f.op {
	case some:
		m := s.mask(f)
		return func(t selection) bool { return t&m != 0 }
	case none:
		m := s.mask(f)
		return func(t selection) bool { return t&m == 0 }
	case and:
		return func(t selection) bool {
			return !slices.ContainsFunc(parts, func(holds func(selection) bool) bool { return !holds(t) })
		}
	default:
		return func(t selection) bool {
			return slices.ContainsFunc(parts, func(holds func(selection) bool) bool { return holds(t) })
		}
	}
}

// satisfiable finds the models among all subsets of the universe, and reports
// whether there are any.
func (s *search) satisfiable() bool {
	s.models = nil
	var clauses []func(selection) bool
	for _, r := range s.roots {
		clauses = append(clauses, s.clause(r))
	}
	for i, n := range s.universe {
		b := s.bit[n]
		if s.node(n).given {
			clauses = append(clauses, func(t selection) bool { return t&b != 0 })
		}
		if s.node(n).forbidden {
			clauses = append(clauses, func(t selection) bool { return t&b == 0 })
		}
		for _, f := range s.rules(n) {
			holds := s.clause(f)
			clauses = append(clauses, func(t selection) bool { return t&b == 0 || holds(t) })
		}
		for _, m := range s.universe[:i] {
			if both := b | s.bit[m]; s.clash(n, m) {
				clauses = append(clauses, func(t selection) bool { return t&both != both })
			}
		}
	}
	for t := range selection(1) << len(s.universe) {
		if !slices.ContainsFunc(clauses, func(holds func(selection) bool) bool { return !holds(t) }) {
			s.models = append(s.models, t)
		}
	}
	return len(s.models) > 0
}

// clash reports whether two bundles exclude each other.
func (s *search) clash(a, b int) bool {
	if s.of(a) != s.of(b) {
		return s.shared(a, b)
	}
	m, n := s.node(a), s.node(b)
	if m.foreign || n.foreign {
		return false // what they own is forbidden to the others
	}
	return m.name == n.name || m.stated != "" && m.stated == n.stated || overlap(m.provides, n.provides) ||
		slices.Contains(s.excludes, exclusion{a, b}) || slices.Contains(s.excludes, exclusion{b, a})
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// possible reports whether some model contains the selection and keeps the
// commitments.
func (s *search) possible(t selection, commits []formula) bool {
	var holds []func(selection) bool
	for _, c := range commits {
		holds = append(holds, s.clause(c))
	}
	return slices.ContainsFunc(s.models, func(m selection) bool {
		return m&t == t && !slices.ContainsFunc(holds, func(h func(selection) bool) bool { return !h(m) })
	})
}

// walk takes obligations from the queue until nothing is left.
func (s *search) walk() error {
	s.queue = slices.Clone(s.roots)
	for _, n := range s.given() {
		s.add(choice{place: place{node: n}})
	}
	for {
		for len(s.queue) > 0 {
			f := s.queue[0]
			s.queue = s.queue[1:]
			if err := s.take(f); err != nil {
				return err
			}
		}
		var still []formula
		for _, f := range s.watched {
			if s.clause(f)(s.selected) {
				still = append(still, f)
			} else {
				s.queue = append(s.queue, f)
			}
		}
		s.watched = still
		if len(s.queue) == 0 {
			break
		}
	}
	if !slices.Contains(s.models, s.selected) {
		return errors.New("oracle: the walk ended in something that is no answer")
	}
	return nil
}

func (s *search) take(f formula) error {
	switch f.op {
	case some:
		if s.clause(f)(s.selected) {
			return nil
		}
		for i, p := range s.candidates(f) {
			if s.possible(s.selected|s.bit[p.node], s.commits) {
				s.add(choice{p, i})
				return nil
			}
		}
		return errors.New("oracle: an obligation lost its last candidate")
	case none:
		return nil
	case and:
		s.queue = append(slices.Clone(f.parts), s.queue...)
		return nil
	}
	if s.clause(f)(s.selected) {
		s.watched = append(s.watched, f)
		return nil
	}
	for _, p := range f.parts {
		if with := append(slices.Clone(s.commits), p); s.possible(s.selected, with) {
			s.commits = with
			s.queue = append([]formula{p}, s.queue...)
			return nil
		}
	}
	return errors.New("oracle: an alternative lost its last part")
}

func (s *search) add(c choice) {
	s.selected |= s.bit[c.node]
	s.order = append(s.order, c)
	s.queue = append(s.queue, s.rules(c.node)...)
}

// answer reports the selection in one namespace.
func (s *search) answer(w *world) *Answer {
	a := &Answer{Satisfiable: true}
	for _, c := range s.order {
		if s.of(c.node) != w {
			continue
		}
		n := s.node(c.node)
		if n.foreign {
			continue
		}
		if n.catalog < 0 {
			a.Kept = append(a.Kept, n.name)
			continue
		}
		catalog := w.Catalogs[n.catalog]
		install := Install{Bundle: n.name, Namespace: catalog.Namespace, Catalog: catalog.Name, Channel: c.channel, Replaces: c.replaces, Place: c.index}
		if cur, ok := s.replacedBy(c.node); ok {
			install.Replaces, install.Updates = cur, true
		}
		a.Installs = append(a.Installs, install)
	}
	slices.Sort(a.Kept)
	for _, n := range w.nodes {
		if n.catalog < 0 && !n.foreign && !slices.Contains(a.Kept, n.name) {
			a.Replaced = append(a.Replaced, n.name)
		}
	}
	return a
}

// replacedBy names the installed bundle that an update takes the place of.
func (s *search) replacedBy(n int) (string, bool) {
	for _, e := range s.excludes {
		if e.update == n {
			return s.node(e.cur).name, true
		}
	}
	return "", false
}
