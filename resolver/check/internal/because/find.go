package because

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/baseline"
)

// Catalog is a judged catalog.
type Catalog struct {
	*catalog.Snapshot
	// Blocked are the bundles that cannot be installed.
	Blocked map[catalog.ID]bool
}

// maxReasons bounds the reasons of one identity, such as of a channel whose entries are all
// heads.
const maxReasons = 8

// Of returns the reasons of a part of a finding, the most telling first; none if its message
// names the only thing that can be wrong. The identity is that of the finding's code.
func Of(c Catalog, id baseline.Identity) []Reason {
	p := c.Package(id.Package)
	find := finders[id.Code]
	if p == nil || find == nil {
		return nil
	}
	list := find(&subject{c, p, cmp.Or(p.Channel(id.Channel), &catalog.Channel{}), id})
	return list[:min(len(list), maxReasons)]
}

// subject is what the reasons are wanted of.
type subject struct {
	Catalog
	pkg     *catalog.Package
	channel *catalog.Channel // without entries if the finding is not about one
	id      baseline.Identity
}

// finders find the reasons of each code.
var finders = map[catalog.Code]func(*subject) []Reason{
	"severalHeads":       (*subject).severalHeads,
	"noHead":             (*subject).circles,
	"cycle":              (*subject).circles,
	"stranded":           (*subject).stranded,
	"headUnreachable":    (*subject).unreachable,
	"updateBlocked":      (*subject).unreachable,
	"danglingEdge":       (*subject).dangling,
	"skipsUpwards":       (*subject).skipsUpwards,
	"skipRangeDowngrade": (*subject).downgrade,
	"hiddenBySkips":      func(s *subject) []Reason { return s.skippedBy(s.id.Bundle) },
	"entry":              func(s *subject) []Reason { return []Reason{s.missing(s.id.Bundle)} },
	"noChannel":          (*subject).unlisted,
	"defaultChannel":     (*subject).defaultChannel,
	"sameVersion":        (*subject).sameVersion,
}

func (s *subject) version(name string) *semver.Version {
	if b := s.Find(s.pkg.Name, name); b != nil {
		return &b.Version
	}
	return nil
}

// listing returns the other channels that list a name.
func (s *subject) listing(name string) (names []string) {
	for _, c := range s.pkg.Channels {
		if c != s.channel && c.Entry(name) != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// edge says why an edge leads to nothing in the channel.
func (s *subject) edge(entry, kind, to string) Reason {
	r := Reason{Channel: s.channel.Name, Entry: entry, Edge: kind, Other: to}
	if r.Names = s.listing(to); len(r.Names) > 0 {
		r.Code = OtherChannel
		return r
	}
	if s.Find(s.pkg.Name, to) != nil {
		r.Code = Unlisted
		return r
	}
	for i := range s.channel.Entries {
		if other := s.channel.Entries[i].Name; Alike(to, other) {
			r.Code, r.Other, r.Names = NearName, other, []string{to}
			return r
		}
	}
	for _, id := range s.Named(to) {
		r.Code, r.Names = OtherPackage, append(r.Names, s.Bundle(id).Package)
	}
	if r.Code != "" {
		return r
	}
	if low := s.lowest(); low != nil {
		if v := Named(to); v != nil && v.LT(*low) {
			r.Code, r.Versions = Older, []string{low.String()}
			return r
		}
	}
	r.Code = Nowhere
	return r
}

func (s *subject) lowest() (low *semver.Version) {
	for _, id := range s.pkg.Bundles {
		if v := &s.Bundle(id).Version; low == nil || v.LT(*low) {
			low = v
		}
	}
	return low
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
	by, passed := map[string][]string{}, map[string]bool{}
	for _, h := range heads {
		for e := h; e != nil && !passed[e.Name]; e = s.channel.Entry(e.Replaces) {
			passed[e.Name] = true
			by[e.Replaces] = append(by[e.Replaces], e.Name)
		}
	}
	clear(passed)
	for _, h := range heads {
		if len(list) >= maxReasons {
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
			switch i := slices.IndexFunc(by[e.Replaces], func(name string) bool { return name != e.Name }); {
			case e.Replaces == "" && len(e.Skips) == 0 && before == len(list) && s.aboveOthers(e, heads):
				list = append(list, Reason{Code: NoEdge, Channel: s.channel.Name, Entry: e.Name})
			case e.Replaces == "":
			case e.Replaces == e.Name:
				list = append(list, Reason{Code: Itself, Channel: s.channel.Name, Entry: e.Name})
			case s.channel.Entry(e.Replaces) == nil:
				list = append(list, s.unpublished(s.edge(e.Name, "replaces", e.Replaces)))
			case i >= 0 && !slices.ContainsFunc(list, func(r Reason) bool { return r.Code == Fork && r.Names[0] == e.Replaces }):
				list = append(list, s.fork(e, s.channel.Entry(by[e.Replaces][i]), heads))
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
	own, v := s.version(h.Name), s.version(other.Name)
	if own == nil || v == nil || h.Name == other.Name {
		return r, false
	}
	r = Reason{Channel: s.channel.Name, Entry: h.Name, Other: other.Name, Edge: "skipRange", Range: h.SkipRange.Text(), Versions: []string{own.String(), v.String()}}
	switch {
	case h.SkipRange.Contains(*v):
		r.Code = RangeIsNoEdge
	case len(own.Pre) > 0 && len(v.Pre) == 0 && own.FinalizeVersion() == v.FinalizeVersion():
		r.Code = Prerelease
	case v.LT(*own):
		r.Code = RangeMisses
	}
	return r, r.Code != ""
}

// circles returns the circles of replaces in a channel.
func (s *subject) circles() (list []Reason) {
	if len(s.channel.Entries) == 0 {
		return []Reason{{Code: NoEntries, Channel: s.channel.Name}}
	}
	passed := map[string]int{}
	for start := range s.channel.Entries {
		var way []string
		e := &s.channel.Entries[start]
		for ; e != nil && passed[e.Name] == 0; e = s.channel.Entry(e.Replaces) {
			passed[e.Name] = start + 1
			way = append(way, e.Name)
		}
		if e == nil || passed[e.Name] != start+1 {
			continue
		}
		switch ring := way[slices.Index(way, e.Name):]; len(ring) {
		case 1:
			list = append(list, Reason{Code: Itself, Channel: s.channel.Name, Entry: e.Name})
		default:
			list = append(list, Reason{Code: Circle, Channel: s.channel.Name, Entry: e.Name, Names: ring})
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range s.channel.Entries { // the circle leads through skips
		e := &s.channel.Entries[i]
		for _, name := range e.Skips {
			own, v := s.version(e.Name), s.version(name)
			if name != e.Name && own != nil && v != nil && own.LT(*v) {
				list = append(list, Reason{Code: SkipsBack, Channel: s.channel.Name, Entry: e.Name, Edge: "skips", Other: name, Versions: []string{own.String(), v.String()}})
			}
		}
	}
	return list
}

// stranded says where the chain passes an entry by, or who skips what leads on from it.
func (s *subject) stranded() []Reason {
	e := s.entryOf()
	if e == nil {
		return nil
	}
	if e.Depth >= 0 {
		passed, ended := "", false // as the finding tells it
		for at := range s.channel.Chain() {
			if at.At() == e {
				break
			}
			if above := at.At(); above.Skipped && (passed == "" || ended) {
				passed, ended = above.Name, false
			} else if !above.Skipped {
				ended = passed != ""
			}
		}
		return s.skippedBy(passed)
	}
	v := s.version(e.Name)
	if v == nil {
		return nil
	}
	above := ""
	for at := range s.channel.Chain() {
		if low := s.version(at.At().Name); above != "" && low != nil && low.LT(*v) {
			return []Reason{{Code: NotOnChain, Channel: s.channel.Name, Entry: e.Name, Other: at.At().Name, Names: []string{above}}}
		}
		above = at.At().Name
	}
	return []Reason{{Code: NotOnChain, Channel: s.channel.Name, Entry: e.Name, Names: []string{above}}}
}

func (s *subject) entryOf() *catalog.Entry { return s.channel.Entry(s.id.Bundle) }

// skippedBy names who skips an entry.
func (s *subject) skippedBy(name string) (list []Reason) {
	for i := range s.channel.Entries {
		if e := &s.channel.Entries[i]; e.Name != name && slices.Contains(e.Skips, name) {
			list = append(list, Reason{Code: Skipped, Channel: s.channel.Name, Entry: name, Edge: "skips", Other: e.Name})
		}
	}
	return list
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

// dangling says what is wrong with an edge. The cause of the identity is the edge.
func (s *subject) dangling() []Reason {
	kind, name := s.id.Edge()
	return []Reason{s.edge(s.id.Bundle, kind, name)}
}

func (s *subject) skipsUpwards() []Reason {
	_, name := s.id.Edge()
	r := Reason{Code: SkipsBack, Channel: s.channel.Name, Entry: s.id.Bundle, Edge: "skips", Other: name}
	if own, v := s.version(s.id.Bundle), s.version(name); own != nil && v != nil {
		r.Versions = []string{own.String(), v.String()}
		if v.LT(*own) {
			r.Code = Backwards
		}
	}
	return []Reason{r}
}

// beyond is a version that only a range without upper end covers.
var beyond = semver.Version{Major: 1 << 40}

func (s *subject) downgrade() []Reason {
	e, own := s.entryOf(), s.version(s.id.Bundle)
	if e == nil || own == nil || e.Depth < 0 {
		return nil
	}
	for _, i := range s.channel.Order[:e.Depth] {
		above := &s.channel.Entries[i]
		v := s.version(above.Name)
		if v == nil || !e.SkipRange.Contains(*v) {
			continue
		}
		r := Reason{Code: LateRange, Channel: s.channel.Name, Entry: e.Name, Other: above.Name, Edge: "skipRange", Range: e.SkipRange.Text(), Versions: []string{own.String(), v.String()}}
		switch {
		case v.LT(*own):
			r.Code = Backwards
		case e.SkipRange.Contains(beyond):
			r.Code = OpenRange
		}
		return []Reason{r}
	}
	return nil
}

// missing says why no bundle has a name.
func (s *subject) missing(name string) Reason {
	r := Reason{Channel: s.channel.Name, Entry: name}
	for _, f := range s.Snapshot.Quarantined(s.pkg.Name) {
		if f.Bundle == name && f.Channel == "" {
			r.Code, r.Rule = Quarantined, f.Message
			return r
		}
	}
	for _, id := range s.Named(name) {
		r.Code, r.Names = OtherPackage, append(r.Names, s.Bundle(id).Package)
	}
	if r.Code != "" {
		return r
	}
	for _, id := range s.pkg.Bundles {
		if other := s.Bundle(id).Name; Alike(name, other) {
			r.Code, r.Other = NearName, other
			return r
		}
	}
	if low, v := s.lowest(), Named(name); low != nil && v != nil && v.LT(*low) {
		r.Code, r.Other, r.Versions = Older, name, []string{low.String()}
		return r
	}
	r.Code = Nowhere
	return r
}

// unlisted says where a bundle that no channel lists would stand.
func (s *subject) unlisted() (list []Reason) {
	v := s.version(s.id.Bundle)
	if v == nil {
		return nil
	}
	for _, c := range s.pkg.Channels {
		for i := range c.Entries {
			if name := c.Entries[i].Name; c.Entries[i].Bundle == catalog.NoBundle && Alike(name, s.id.Bundle) {
				list = append(list, Reason{Code: NearName, Channel: c.Name, Entry: name, Other: s.id.Bundle})
			}
		}
	}
	c := s.pkg.Channel(s.pkg.DefaultChannel)
	if len(list) > 0 || c == nil || c.Head() == nil {
		return list
	}
	if head := s.version(c.Head().Name); head != nil {
		r := Reason{Code: Between, Channel: c.Name, Entry: s.id.Bundle, Other: c.Head().Name, Versions: []string{v.String(), head.String()}}
		if v.GT(*head) {
			r.Code = NewHead
		}
		list = append(list, r)
	}
	return list
}

func (s *subject) defaultChannel() []Reason {
	name := s.pkg.DefaultChannel
	for _, c := range s.pkg.Channels {
		if Alike(name, c.Name) && levenshtein.ComputeDistance(name, c.Name) <= 1+len(name)/5 {
			return []Reason{{Code: NearName, Entry: name, Other: c.Name}}
		}
	}
	return nil
}

func (s *subject) sameVersion() (list []Reason) {
	v := s.version(s.id.Bundle)
	if v == nil {
		return nil
	}
	for _, id := range s.pkg.Bundles {
		if b := s.Bundle(id); b.Name != s.id.Bundle && b.Version.EQ(*v) {
			list = append(list, Reason{Code: SameVersion, Entry: s.id.Bundle, Other: b.Name, Versions: []string{v.String(), b.Version.String()}})
		}
	}
	return list
}

var inName = regexp.MustCompile(`\d+\.\d+\.\d+.*$`)

// Named returns the version that a name ends with, nil without one.
func Named(name string) *semver.Version {
	if v, err := semver.Parse(inName.FindString(name)); err == nil {
		return &v
	}
	return nil
}

// Alike reports whether two names differ in their spelling only, not in their numbers: in a few
// letters, or in the beginning that one of them lacks, such as v1.0.0 for etcd.v1.0.0.
func Alike(a, b string) bool {
	const most = 3
	numbers := func(name string) []string {
		return strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case a == "" || a == b:
		return false
	case Named(a) != nil && strings.HasSuffix(b, a):
		return b[len(b)-len(a)-1] < '0' || b[len(b)-len(a)-1] > '9' // 1.0.0 is no end of 11.0.0
	}
	return len(b) <= len(a)+most && slices.Equal(numbers(a), numbers(b)) && levenshtein.ComputeDistance(a, b) <= most
}
