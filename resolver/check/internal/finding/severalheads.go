package finding

import (
	"slices"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/cache/catalog"
)

var severalHeadsKind = Kind{
	Code: "severalHeads", Meaning: "a channel has several heads, so it has no order", cause: byPlace, because: (*subject).severalHeads,
	stops: stopsChannel, Problem: "order", OfEntries: true, Candidates: oneEntry,
}

// severalHeads says of each head and its chain why they stand beside the others.
func (s *subject) severalHeads() (list []Reason) {
	entries := s.channel.Entries
	superseded := map[string]bool{}
	for i := range entries {
		for name := range entries[i].Edges() {
			superseded[name] = superseded[name] || name != entries[i].Name
		}
	}
	var heads []*catalog.Entry
	for i := range entries {
		if !superseded[entries[i].Name] {
			heads = append(heads, &entries[i])
		}
	}
	// Chains fork where entries of several replace the same one. What no chain has is skipped.
	replacing, passed := map[string][]string{}, map[string]bool{}
	for _, h := range heads {
		for e := h; e != nil && !passed[e.Name]; e = s.channel.Entry(e.Replaces) {
			passed[e.Name] = true
			replacing[e.Replaces] = append(replacing[e.Replaces], e.Name)
		}
	}
	clear(passed)
	for _, h := range heads {
		if len(list) >= maxOfOne {
			break
		}
		before := len(list)
		if !h.SkipRange.IsZero() {
			for _, other := range heads {
				if r, found := s.rangeBeside(h, other); found {
					list = append(list, r)
					break
				}
			}
		}
		// Where its chain ends, or meets another one.
		for e := h; e != nil && !passed[e.Name]; e = s.channel.Entry(e.Replaces) {
			passed[e.Name] = true
			switch i := slices.IndexFunc(replacing[e.Replaces], func(name string) bool { return name != e.Name }); {
			case e.Replaces == "" && len(e.Skips) == 0 && before == len(list) && s.aboveOthers(e, heads):
				list = append(list, Reason{Code: NoEdge, Channel: s.channel.Name, Entry: e.Name})
			case e.Replaces == "":
			case e.Replaces == e.Name:
				list = append(list, Reason{Code: Itself, Channel: s.channel.Name, Entry: e.Name})
			case s.channel.Entry(e.Replaces) == nil:
				list = append(list, s.unpublished(s.edge(e.Name, "replaces", e.Replaces)))
			case i >= 0 && !slices.ContainsFunc(list, func(r Reason) bool { return r.Code == Fork && r.Names[0] == e.Replaces }):
				list = append(list, s.fork(e, s.channel.Entry(replacing[e.Replaces][i]), heads))
			}
		}
	}
	list = slices.DeleteFunc(list, func(r Reason) bool { // another reason says what is amiss there
		return r.Code == NoEdge && slices.ContainsFunc(list, func(other Reason) bool { return other.Other == r.Entry })
	})
	slices.SortStableFunc(list, func(a, b Reason) int { return weight(a) - weight(b) })
	return list
}

// unpublished names the next lower entry for an edge to a version that no bundle has.
func (s *subject) unpublished(r Reason) Reason {
	if r.Code != Nowhere {
		return r
	}
	r.Code = Unpublished
	wanted := Named(r.Other)
	var best *semver.Version
	for i := range s.channel.Entries {
		name := s.channel.Entries[i].Name
		if v := s.version(name); wanted != nil && v != nil && name != r.Entry && v.LT(*wanted) && (best == nil || v.GT(*best)) {
			best, r.Names = v, []string{name}
		}
	}
	return r
}

// fork tells two entries that replace the same one. Of the only two heads of a channel the higher
// one's branch should go on from the lower one, if all of its versions are above.
func (s *subject) fork(a, b *catalog.Entry, heads []*catalog.Entry) Reason {
	r := Reason{Code: Fork, Channel: s.channel.Name, Entry: a.Name, Other: b.Name, Names: []string{a.Replaces}}
	if len(heads) != 2 {
		return r
	}
	leadsTo := func(h, to *catalog.Entry) bool {
		for range s.channel.Entries { // a circle ends
			if h == to || h == nil {
				break
			}
			h = s.channel.Entry(h.Replaces)
		}
		return h == to
	}
	for _, lower := range heads {
		upper := a
		if leadsTo(lower, a) {
			upper = b
		}
		low, high := s.version(lower.Name), s.version(upper.Name)
		if low != nil && high != nil && low.LT(*high) && !leadsTo(lower, upper) {
			r.Names = append(r.Names, upper.Name, lower.Name)
			break
		}
	}
	return r
}

// weight puts what is only a consequence last.
func weight(r Reason) int {
	switch r.Code {
	case NoEdge:
		return 2
	case Older, Nowhere, Unpublished:
		return 1
	}
	return 0
}

// aboveOthers reports whether an entry has a higher version than some head: of the lowest
// one no edge is missing.
func (s *subject) aboveOthers(h *catalog.Entry, heads []*catalog.Entry) bool {
	v := s.version(h.Name)
	return v == nil || slices.ContainsFunc(heads, func(other *catalog.Entry) bool {
		low := s.version(other.Name)
		return low != nil && low.LT(*v)
	})
}

// rangeBeside says why the skipRange of one head does not supersede another one.
func (s *subject) rangeBeside(h, other *catalog.Entry) (r Reason, found bool) {
	stated, v := s.version(h.Name), s.version(other.Name)
	if stated == nil || v == nil || h.Name == other.Name {
		return r, false
	}
	r = Reason{Channel: s.channel.Name, Entry: h.Name, Other: other.Name, Edge: "skipRange", Range: h.SkipRange.Text(), Versions: []string{stated.String(), v.String()}}
	switch {
	case h.SkipRange.Contains(*v):
		r.Code = RangeIsNoEdge
	case len(stated.Pre) > 0 && len(v.Pre) == 0 && stated.FinalizeVersion() == v.FinalizeVersion():
		r.Code = Prerelease
	case v.LT(*stated):
		r.Code = RangeMisses
	}
	return r, r.Code != ""
}
