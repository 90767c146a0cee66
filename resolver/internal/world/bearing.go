package world

import (
	"maps"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/solver"
)

// Bearing returns the roots of the demands that have a bearing on the choice of some bundles,
// directly or over other demands; all of them if all is set. A demand that cannot be satisfied
// always has one.
func (p *Problem) Bearing(on []solver.Var, all bool) (roots []int) {
	known := p.linksOf(on)
	left := map[int]map[any]bool{}
	for i := range p.Model.Demands {
		left[i] = p.linksOfRoot(i)
	}
	for more := true; more; {
		more = false
		for i := range p.Model.Demands {
			links, open := left[i]
			_, r := p.Root(i)
			if open && (all || r.Fault != nil || shareAny(links, known)) {
				roots = append(roots, i)
				delete(left, i)
				maps.Copy(known, links)
				more = true
			}
		}
	}
	return roots
}

// linksOfRoot returns the links of all bundles that a request may lead to after any change.
func (p *Problem) linksOfRoot(i int) map[any]bool {
	part, r := p.Root(i)
	list := slices.Clone(r.List.Candidates)
	for c := range part.Catalogs {
		if pkg := part.Catalogs[c].Snapshot.Package(r.PackageName()); pkg != nil {
			for _, id := range pkg.Bundles {
				list = append(list, part.Number(c, id))
			}
		}
	}
	if r.Current >= 0 {
		list = append(list, part.InstalledVar(r.Current))
	}
	return p.linksOf(list)
}

// linksOf returns the bundles, those that their rules are about, and the groups of all these.
// Choices that share no link have no bearing on each other.
func (p *Problem) linksOf(list []solver.Var) map[any]bool {
	links := map[any]bool{}
	for list = slices.Clone(list); len(list) > 0; {
		v := list[len(list)-1]
		if list = list[:len(list)-1]; links[v] {
			continue
		}
		links[v] = true
		p.Model.Pace.Step(1)
		for _, g := range p.Model.Groups(v) {
			links[g] = true
		}
		rules := p.Model.Rules(v)
		if part := p.Model.Of(v); part.Aliased(v) {
			rules = part.EntryRules(v) // it may be installed anew
		}
		for _, rule := range rules {
			list = model.Negative(rule.Formula, model.Positive(rule.Formula, list))
		}
	}
	return links
}

func shareAny(a, b map[any]bool) bool {
	for link := range a {
		if b[link] {
			return true
		}
	}
	return false
}
