package repair

import (
	"cmp"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// solution is a graph after edits.
type solution struct {
	graph
	edits []edit.EntryEdit
	// open counts the problems, or how far the channel is from an order; cost is that of the
	// edits.
	open, cost int
}

// targetOf returns the problem of a graph that a finding is.
func targetOf(id finding.Identity) (problem, bool) {
	target := problem{finding.Of(id.Code).Problem, id.Bundle, ""}
	switch target.kind {
	case "order":
		target.entry = ""
	case "upwards", "dangling":
		_, target.name = id.Edge()
	case "unlisted":
		return target, id.Bundle != ""
	}
	return target, target.kind != ""
}

// solve returns the edits of a channel after which the targets are gone and nothing else is
// wrong, those with the fewest edits first. own reports which entries can be edited.
func solve(start graph, targets map[problem]bool, mine func(name string) bool) [][]edit.EntryEdit {
	needed := map[string]bool{} // names that must have a way
	excused := map[string]bool{}
	for t := range targets {
		if t.kind == "noWay" {
			needed[t.entry] = true
		}
		excused[t.entry] = t.kind == "virtual"
	}
	promised := start.Fault != ""
	gone := map[string]bool{} // names that nothing has, with an edge: their users may have older catalogs
	for i := range start.Entries {
		e := &start.Entries[i]
		for name := range e.Edges() {
			if !start.known(name) {
				gone[name] = true
			} else if promised && !excused[name] && name != e.Name && e.Bundle != catalog.NoBundle { // as accepts judges
				needed[name] = true
			}
		}
	}
	for name := range start.reaching(nil) {
		if !excused[name] {
			needed[name] = true
		}
	}
	before := start.problems(needed)
	highest := start.highest()
	stated := func(p problem) bool { // there before, and only hidden by the missing order
		e := start.Entry(p.entry)
		switch {
		case p.kind == "hidden" && e == nil: // what is skipped and lacks its entry alone
			return targets[problem{"unlisted", p.entry, ""}] && finding.Skips(start.Channel, p.entry)
		case !promised || e == nil:
			return false
		case p.kind == "hidden":
			return finding.Skips(start.Channel, p.entry)
		case p.kind == "virtual":
			return true
		case p.kind == "dangling", p.kind == "upwards", p.kind == "older":
			return e.Replaces == p.name || slices.Contains(e.Skips, p.name)
		}
		return false
	}
	allowed := 0 // disorder, if that is another finding
	if !targets[problem{kind: "order"}] {
		allowed = start.disorder()
	}
	work := 0
	judge := func(s *solution) map[string]bool {
		focus := map[string]bool{}
		work += 1 + len(s.Entries)
		s.open = max(0, s.disorder()-allowed)
		if head := s.Head(); head != nil && s.below(head.Name, highest) {
			s.open++
			focus[head.Name] = true
		}
		for p := range s.problems(needed) {
			downgrades := promised && p.kind == "downgrade" && start.Entry(p.entry) != nil && s.Entry(p.entry).SkipRange.Text() == start.Entry(p.entry).SkipRange.Text()
			if p.kind != "order" && (targets[p] || !before[p] && !stated(p) && !downgrades) {
				s.open++
				focus[p.entry] = true
			}
		}
		return focus
	}
	var solved []*solution
	layer := []*solution{{graph: start}}
search:
	for depth := 0; depth < maxDepth && len(solved) == 0 && work < maxWork; depth++ {
		var next []*solution
		for _, s := range layer {
			focus := judge(s)
			if n := len(s.Entries); depth == 0 && 2*n*n <= 5000 {
				maps.Copy(focus, s.everyName())
			} else if s.Fault != "" {
				if focus = s.heads(focus); len(focus) < 2 {
					focus = s.everyName()
				}
			}
			for _, e := range s.single(focus, mine) {
				g, changed := s.with(e)
				if !changed || work > maxWork {
					continue
				}
				n := &solution{graph: g, edits: append(slices.Clip(s.edits), e), cost: s.cost + s.graph.cost(e)}
				judge(n)
				if n.open == 0 {
					if solved = append(solved, n); len(solved) == maxSolutions {
						break search
					}
				} else {
					next = append(next, n)
				}
			}
		}
		slices.SortStableFunc(next, func(a, b *solution) int {
			return cmp.Or(cmp.Compare(a.open, b.open), cmp.Compare(a.cost, b.cost))
		})
		layer = next[:min(len(next), maxWidth)]
	}
	kept := map[*solution]int{}
	for _, s := range solved {
		reach := s.reaching(gone)
		for name := range gone {
			if reach[name] {
				kept[s]++
			}
		}
	}
	slices.SortStableFunc(solved, func(a, b *solution) int { return kept[b] - kept[a] })
	return words.Mapped(solved, func(s *solution) []edit.EntryEdit { return s.edits })
}

func (g graph) everyEntry() map[string]bool {
	names := make(map[string]bool, len(g.Entries))
	for i := range g.Entries {
		names[g.Entries[i].Name] = true
	}
	return names
}

// everyName returns the entries and the bundles of the package.
func (g graph) everyName() map[string]bool {
	names := g.everyEntry()
	for name := range g.versions {
		names[name] = true
	}
	return names
}
