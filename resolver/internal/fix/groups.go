package fix

import (
	"cmp"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/resolver/internal/cause"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// groups is a search for the fixes of a failure, one group of causes after the other.
type groups struct {
	given  *world.Try
	sorted *cause.Sorted
	told   []result.Cause // the known causes
	// base is true while installed bundles that contradict each other are searched for: requests
	// cannot hold before these do.
	base  bool
	help  result.Help
	all   []proposal
	tries int
	// limited is true if the search of a group ended early.
	limited bool
	known   func() map[string]bool // what causes state already; few fixes need it
	// firsts are the first fixes of all groups that have any, safe those that put nothing at risk, and
	// safeGroups the groups of these.
	firsts, safe [][]request.Edit
	safeGroups   []int
	sequences    []result.Fix
	causes       []result.Cause // additional ones, each what a change of a fix is for
}

// search finds the fixes of all groups, and those that join the first ones.
func (g *groups) search() result.Help {
	var sets [][]int
	sets, g.base = goals(g.sorted)
	g.known = sync.OnceValue(func() map[string]bool { return stated(g.given.Problem, g.sorted) })
	for i, set := range sets {
		if !g.group(i, set) {
			break
		}
	}
	slices.SortStableFunc(g.all, func(a, b proposal) int { return cmp.Compare(a.fix.Class, b.fix.Class) })
	if len(sets) > 1 && len(g.firsts) == len(sets) {
		if joined := g.join(slices.Concat(sets...), g.firsts); joined != nil {
			g.all = slices.Insert(g.all, 0, *joined)
		}
	}
	if len(g.safe) > 1 && !g.base && (g.all[0].fix.Group != 0 || g.all[0].fix.Class > result.ClassGivesUp) {
		if joined := g.join(g.safeGroups, g.safe); joined != nil && joined.fix.Class <= result.ClassGivesUp {
			g.help.Together = &listOf([]proposal{*joined})[0]
		}
	}
	g.help.Fixes, g.help.Search = listOf(g.all), end(g.limited)
	at := 0 // behind the other fixes of their class
	for at < len(g.help.Fixes) && g.help.Fixes[at].Class == result.ClassSafe {
		at++
	}
	g.help.Fixes = slices.Insert(g.help.Fixes, at, g.sequences...)
	return g.help
}

// join returns the fix that joins those of some groups, nil if there is none.
func (g *groups) join(sets []int, fixes [][]request.Edit) *proposal {
	s := newSearch(g.given)
	s.leaveOut(g.sorted, sets)
	return s.join(fixes)
}

// group finds the fixes of the i-th set of groups. It returns false if no further ones are searched for.
func (g *groups) group(i int, set []int) bool {
	if g.notGiven(set) {
		return true
	}
	if i == maxSearched {
		g.limited = true
		return false
	}
	s := newSearch(g.given)
	s.group, s.tries = set[0], g.tries
	if s.leaveOut(g.sorted, set); g.base && i > 0 && (len(g.firsts) == 0 || !s.start(g.firsts[0])) {
		return false
	}
	s.run()
	g.base = g.base && !s.reached // what is installed fails by requests that keep it
	g.tries = s.tries
	var list []proposal
	for _, c := range s.listed() {
		if s.settle(&c) {
			list = append(list, c)
		}
	}
	if len(list) > 0 {
		g.firsts = append(g.firsts, list[0].edits)
		if list[0].fix.Class <= result.ClassGivesUp {
			g.safe, g.safeGroups = append(g.safe, list[0].edits), append(g.safeGroups, set...)
		}
	}
	if !g.base || i == 0 {
		g.add(s, list)
	}
	if f := s.later(g.sorted, set); f != nil && (!g.base || i == 0) {
		g.sequences = append(g.sequences, *f)
	}
	g.limited = g.limited || s.limited
	return true
}

// add adds what the search of a group has found.
func (g *groups) add(s *search, list []proposal) {
	g.all = append(g.all, list...)
	g.help.Options = append(g.help.Options, s.options...)
	g.help.Others = append(g.help.Others, s.others()...)
	for _, u := range s.uncovered(list, g.known) {
		g.causes = append(g.causes, u.told())
	}
}

// notGiven reports whether a cause of the groups rests on what a catalog may have whose content was not
// given: they get no fixes then.
func (g *groups) notGiven(set []int) bool {
	keys := notGiven(g.given)
	if len(keys) == 0 {
		return false
	}
	says := func(claims func(*result.Explanation) bool) bool {
		return slices.ContainsFunc(g.told, func(c result.Cause) bool { return slices.Contains(set, c.Group) && claims(c.Explanation) })
	}
	if says((*result.Explanation).Lacks) {
		g.help.NotGiven = keys
		return true
	}
	if says((*result.Explanation).Elsewhere) {
		g.help.Elsewhere = keys
	}
	return false
}
