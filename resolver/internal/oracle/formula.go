package oracle

import "slices"

// A formula says what a selection must look like.
type formula struct {
	op    op
	parts []formula // of and, or
	// wanted is what a leaf asks of one bundle: any of these.
	wanted []Constraint
	// simple: the leaf is one constraint as it was written.
	simple bool
	// request are the bundles that meet a request.
	request   []place
	isRequest bool
	// dependent is the bundle that asks, -1 for a request.
	dependent int
}

type op int

const (
	some op = iota // some selected bundle is wanted (or meets the request)
	none           // no selected bundle is wanted
	and
	or
)

// obligation turns a constraint that a bundle states into a formula, with the
// negations at the leaves.
func (s *search) obligation(c Constraint, dependent int) formula {
	if s.of(dependent).BundleScope || !c.compound() {
		return formula{op: some, wanted: []Constraint{c}, dependent: dependent}
	}
	return normal(c, false, dependent)
}

func normal(c Constraint, negated bool, dependent int) formula {
	children := func(list []Constraint, negated bool) []formula {
		var parts []formula
		for _, c := range list {
			parts = append(parts, normal(c, negated, dependent))
		}
		return parts
	}
	switch {
	case c.All != nil && !negated:
		return formula{op: and, parts: children(c.All, false)}
	case c.All != nil:
		return disjunction(children(c.All, true), dependent)
	case c.Any != nil && !negated:
		return disjunction(children(c.Any, false), dependent)
	case c.Any != nil:
		return formula{op: and, parts: children(c.Any, true)}
	case len(c.Not) == 1:
		return normal(c.Not[0], !negated, dependent)
	case c.Not != nil && !negated:
		return formula{op: and, parts: children(c.Not, true)}
	case c.Not != nil:
		return disjunction(children(c.Not, false), dependent)
	case negated:
		return formula{op: none, wanted: []Constraint{c}, dependent: dependent}
	}
	return formula{op: some, wanted: []Constraint{c}, simple: true, dependent: dependent}
}

// disjunction of positive simple parts is one obligation over their united
// candidates.
func disjunction(parts []formula, dependent int) formula {
	simple := !slices.ContainsFunc(parts, func(f formula) bool { return f.op != some || !f.simple })
	if !simple {
		return formula{op: or, parts: parts}
	}
	united := formula{op: some, dependent: dependent}
	for _, p := range parts {
		united.wanted = append(united.wanted, p.wanted...)
	}
	return united
}

// wants reports whether the bundle is one that a leaf speaks of.
func (s *search) wants(f formula, n int) bool {
	if f.isRequest {
		return slices.ContainsFunc(f.request, func(p place) bool { return p.node == n })
	}
	return slices.Contains(s.visibleTo(s.of(f.dependent)), s.of(n)) && slices.ContainsFunc(f.wanted, s.node(n).matches)
}

// candidates lists what can be selected for a positive leaf, best first: what is
// installed, in the namespace and then in those that help it, and then what the
// catalogs offer, in the same order.
func (s *search) candidates(f formula) []place {
	if f.isRequest {
		return f.request
	}
	var installed, offered []place
	home := s.of(f.dependent)
	for _, w := range s.visibleTo(home) {
		dependent := -1
		if w == home {
			dependent = f.dependent - w.base
		}
		for _, p := range w.everything(dependent) {
			if p.node += w.base; s.node(p.node).catalog < 0 {
				installed = append(installed, p)
			} else {
				offered = append(offered, p)
			}
		}
	}
	return slices.DeleteFunc(append(installed, offered...), func(p place) bool { return !s.wants(f, p.node) })
}

// leaves calls yield for every leaf of a formula.
func (f formula) leaves(yield func(formula)) {
	if f.op == some || f.op == none {
		yield(f)
		return
	}
	for _, p := range f.parts {
		p.leaves(yield)
	}
}
