package fix

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// expect sets how far the values of a field are from what its request meant. It sorts the
// closest first, and of equal ones the newest.
func (s *search) expect(n *node, list []request.Edit) {
	for i := range list {
		e := &list[i]
		if e.Apart = -1; e.Version == nil {
			continue
		}
		for root := range n.try.Problem.Model.Demands {
			p, r := n.try.Problem.Root(root)
			if given, ok := s.givenRequest(r.Key(), n); ok && objectOf(r.Key()) == e.Object {
				m := given.meaning(p, r, *e.Version)
				e.Apart, e.Widens = m.apart, m.major || m.pre
			}
		}
	}
	slices.SortStableFunc(list, func(a, b request.Edit) int {
		if a.Apart != b.Apart || a.Apart < 0 {
			return cmp.Compare(a.Apart, b.Apart)
		}
		return b.Version.Compare(*a.Version)
	})
}

// enough reports whether maxClosest fixes of the same fields are known that are closer and no
// risk to what runs. Then the edits need not be tried.
func (s *search) enough(edits []request.Edit) bool {
	expected, widens := 0, false
	for i := range edits {
		if edits[i].Version != nil {
			expected += edits[i].Apart
			widens = widens || edits[i].Widens
		}
	}
	if expected == 0 {
		return false
	}
	fields := fieldsOf(edits)
	var known []*proposal
	for i := range s.found {
		c := &s.found[i]
		if c.never || c.fix.Risk >= result.RiskRemoves || slices.ContainsFunc(known, c.sameWith) || s.dominated(c) {
			continue // a later one may be less of a risk
		}
		if c.apart < expected && hasVersion(c.edits) && slices.Equal(c.fields, fields) && slices.ContainsFunc(c.edits, func(e request.Edit) bool { return e.Widens }) == widens {
			known = append(known, c)
		}
	}
	if len(known) < maxClosest {
		return false
	}
	return len(words.Distinct(words.Mapped(known, (*proposal).effect))) >= maxClosest
}

func hasVersion(edits []request.Edit) bool {
	return slices.ContainsFunc(edits, func(e request.Edit) bool { return e.Version != nil })
}

// field is what an edit changes, whatever the value.
type field struct {
	object result.Object
	kind   request.EditKind
}

func fieldsOf(edits []request.Edit) []field {
	fields := words.Mapped(edits, func(e request.Edit) field { return field{e.Object, e.Kind} })
	slices.SortFunc(fields, func(a, b field) int { return cmp.Or(compareObjects(a.object, b.object), cmp.Compare(a.kind, b.kind)) })
	return fields
}

// compare orders proposals as they are listed. Class and requests given up decide about the
// risk but in the two classes that give up requests.
func (c *proposal) compare(d *proposal) int {
	return cmp.Or(cmp.Compare(c.fix.Class, d.fix.Class), cmp.Compare(len(c.fix.GivesUp), len(d.fix.GivesUp)), cmp.Compare(c.fix.Risk, d.fix.Risk),
		cmp.Compare(len(c.fix.Changes), len(d.fix.Changes)), cmp.Compare(c.channels, d.channels), cmp.Compare(c.stepsLeft, d.stepsLeft),
		c.closer(d))
}

// closer orders proposals by their values.
func (c *proposal) closer(d *proposal) int {
	return cmp.Or(cmp.Compare(c.apart, d.apart), slices.Compare(c.kinds, d.kinds), d.newest.Compare(c.newest), cmp.Compare(c.channels, d.channels),
		cmp.Compare(c.stepsLeft, d.stepsLeft), cmp.Compare(c.admits(), d.admits()), cmp.Compare(len(c.fix.Steps()), len(d.fix.Steps())), strings.Compare(setKey(c.edits), setKey(d.edits)))
}

// admits returns the number of versions that the ranges of a proposal admit.
func (c *proposal) admits() int {
	n := 0
	for i := range c.edits {
		n += c.edits[i].Admits
	}
	return n
}

// butRanges returns a key of a proposal without its ranges.
func (c *proposal) butRanges() string {
	return setKey(slices.DeleteFunc(slices.Clone(c.edits), func(e request.Edit) bool { return e.Admits > 0 }))
}

// sameWith reports whether the proposals differ only in a range and lead to the same: the wider
// one is no news.
func (c *proposal) sameWith(d *proposal) bool {
	return c.admits() > 0 && slices.Equal(c.fields, d.fields) && c.butRanges() == d.butRanges() && reflect.DeepEqual(c.fix.Then, d.fix.Then)
}

// dominates reports whether a fix changes no other fields than another one, is worse in
// nothing and better in something.
func (c *proposal) dominates(d *proposal) bool {
	for _, f := range c.fields {
		if !slices.Contains(d.fields, f) {
			return false
		}
	}
	a := [4]int{len(c.fix.GivesUp), int(c.fix.Risk), len(c.fix.Changes), c.apart}
	b := [4]int{len(d.fix.GivesUp), int(d.fix.Risk), len(d.fix.Changes), d.apart}
	better := false
	for i := range a {
		if a[i] > b[i] {
			return false
		}
		better = better || a[i] < b[i]
	}
	if len(c.fields) == len(d.fields) && [3]int(a[:3]) == [3]int(b[:3]) {
		return false // the closest stand side by side
	}
	return better
}

// dominated reports whether a known fix dominates this one.
func (s *search) dominated(c *proposal) bool {
	return slices.ContainsFunc(s.found, func(d proposal) bool { return !d.never && d.dominates(c) })
}

// listed returns the fixes to list, in order: of those that lead to the same the first, of the others
// that differ in values alone the closest, and of each section a few.
func (s *search) listed() []proposal {
	slices.SortFunc(s.found, func(a, b proposal) int { return a.closer(&b) })
	var list []proposal
	for i := range s.found {
		c := &s.found[i]
		if !c.never && !s.dominated(c) && !removesUnknown(s.given.Problem, &c.fix) && !slices.ContainsFunc(list, func(d proposal) bool { return c.sameWith(&d) }) {
			list = append(list, *c)
		}
	}
	inOrder := func(a, b proposal) int { return a.compare(&b) }
	slices.SortFunc(list, inOrder)
	same, sections, then := map[string]int{}, map[int]int{}, map[string]bool{}
	list = slices.DeleteFunc(list, func(c proposal) bool {
		key := c.effect()
		known := then[key]
		then[key] = true
		return known
	})
	slices.SortFunc(list, func(a, b proposal) int { return a.closer(&b) })
	list = slices.DeleteFunc(list, func(c proposal) bool {
		key := fmt.Sprint(c.fields, len(c.fix.GivesUp), c.fix.Risk, len(c.fix.Changes))
		same[key]++
		return same[key] > maxClosest
	})
	slices.SortFunc(list, inOrder)
	return slices.DeleteFunc(list, func(c proposal) bool {
		section := sectionOf[c.fix.Class]
		sections[section]++
		return sections[section] > maxListed
	})
}

// sectionOf has the classes that share the limit of listed fixes.
var sectionOf = map[result.Class]int{
	result.ClassSafe: 0, result.ClassWidens: 0, result.ClassGivesUp: 1, result.ClassAbandons: 1, result.ClassRemoves: 2, result.ClassOverrides: 2,
}

// effect returns a key of what a proposal costs and leads to. Of proposals that change the
// same objects and have the same effect one is enough.
func (c *proposal) effect() string {
	then := c.fix.Then
	texts := words.Mapped(then.Installs, func(v result.Version) string { return fmt.Sprint("installs ", v.Bundle) })
	for _, u := range then.Updates {
		texts = append(texts, fmt.Sprint("updates ", u.From.Bundle, " ", u.To.Bundle))
	}
	for _, v := range then.Removes {
		texts = append(texts, fmt.Sprint("removes ", v.Bundle))
	}
	slices.Sort(texts)
	return fmt.Sprint(c.fix.Class, c.fix.Risk, c.fix.GivesUp, words.Mapped(c.fix.Changes, func(c result.Change) result.Object { return c.Object }), texts, follows(c.node))
}

// classOf returns the class of a fix.
func (s *search) classOf(f *result.Fix) result.Class {
	installed := func(k cluster.RequestKey) bool {
		given, ok := s.givenRequest(k, &node{})
		return !ok || given.r.Current >= 0
	}
	switch {
	case slices.ContainsFunc(f.GivesUp, installed):
		return result.ClassAbandons
	case f.Risk == result.RiskOverrides:
		return result.ClassOverrides
	case f.Risk == result.RiskRemoves:
		return result.ClassRemoves
	case len(f.GivesUp) > 0:
		return result.ClassGivesUp
	case f.Risk == result.RiskWidens:
		return result.ClassWidens
	}
	return result.ClassSafe
}

// removesUnknown reports whether a fix removes the installed bundle of a request whose catalog
// cannot be used. What that catalog offers is not known, so nothing that runs should go.
func removesUnknown(m *world.Problem, f *result.Fix) bool {
	for i := range m.Model.Demands {
		p, request := m.Root(i)
		hidden := request.Fault != nil && request.Fault.Catalog == "" && inventory.GlobalsLeftOutBy(p.State) != ""
		if request.Fault == nil || !request.Fault.MissingCatalog() || hidden || request.Current < 0 {
			continue
		}
		name := p.Installed[request.Current].Name()
		if slices.ContainsFunc(f.Then.Removes, func(v result.Version) bool { return v.Bundle.Name == name }) {
			return true
		}
	}
	return false
}
