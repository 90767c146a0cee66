package finding

import "github.com/resolvent/resolvent/cache/catalog"

const codeHeadUnreachable catalog.Code = "headUnreachable"

const codeUpdateBlocked catalog.Code = "updateBlocked"

var unreachableKinds = []Kind{
	{
		Code: codeHeadUnreachable, Meaning: "no updates lead from these bundles to the head of their channel", find: (*Judge).unreachable,
		because: (*subject).unreachable, stops: stopsEntry, Problem: "noWay", OfEntries: true, Candidates: oneEntry,
	},
	{
		// It is found with the one above.
		Code: codeUpdateBlocked, Meaning: "the way to the head leads through a bundle that cannot be installed",
		because: (*subject).unreachable, stops: stopsEntry, Problem: "noWay", Candidates: oneEntry,
	},
}

// unreachable reports entries from which no updates lead to the head: first because of the
// channel alone, then because of bundles that cannot be installed.
func (j *Judge) unreachable(g Updates) {
	top := g.top()
	if top < 0 {
		return
	}
	free := g.Reaching(j.Ctx, nil)
	report := func(code catalog.Code, stuck func(i int) bool, obstacleOf func(i int) obstacle) {
		for i := range g.Entries {
			if j.Ctx.Err() != nil {
				return // Run returns the error
			}
			e := &g.Entries[i]
			// A stranded entry has a finding of its own.
			if e.Bundle == catalog.NoBundle || j.Stranded[[3]string{g.Package, g.Name, e.Name}] || !stuck(i) {
				continue
			}
			o := obstacleOf(i)
			at := ""
			if o.entry >= 0 {
				at = g.Entries[o.entry].Name
			}
			j.note(g, catalog.Warning, code, e.Name, at, "no updates lead to the head %s, because %s", g.Entries[top].Name, o.why)
		}
	}
	report(codeHeadUnreachable, func(i int) bool { return !free[i] }, g.obstacles(free, nil))
	if j.Blocked[g.Entries[top].Bundle] {
		return // the head is reported, and everything below waits for it
	}
	usable := g.Reaching(j.Ctx, j.Blocked)
	report(codeUpdateBlocked, func(i int) bool { return free[i] && !usable[i] && !j.Blocked[g.Entries[i].Bundle] }, g.obstacles(usable, j.Blocked))
}

// unreachable says what ends the way to the head. The cause of the identity is the entry
// there.
func (s *subject) unreachable() []Reason {
	e := s.entryOf()
	if e == nil {
		return nil
	}
	at := s.channel.Entry(s.id.Cause)
	r := Reason{Channel: s.channel.Name}
	switch {
	case at == nil:
		r.Code, r.Entry = Gap, e.Name
	case at.Bundle == catalog.NoBundle:
		r.Code, r.Entry = NoBundle, at.Name
		if known := s.missing(at.Name); known.Code != Nowhere {
			return []Reason{r, known}
		}
	case at.Skipped:
		return s.skippedBy(at.Name)
	case s.Blocked[at.Bundle]:
		r.Code, r.Entry = Blocked, at.Name
	default:
		r.Code, r.Entry, r.Other = Gap, e.Name, at.Name
		if i := int(at.Depth) + 1; i < len(s.channel.Order) {
			r.Entry = s.channel.Entries[s.channel.Order[i]].Name
		}
	}
	return []Reason{r}
}
