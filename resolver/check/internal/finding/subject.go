package finding

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Because returns the reasons of observations of a kind, that of the most telling first.
func (j *Judge) Because(kind *Kind, same []*Observation) (list []Reason) {
	known := map[string]bool{}
	for _, o := range same {
		if len(list) >= maxReasons || j.Ctx.Err() != nil {
			break
		}
		for _, r := range append(slices.Clone(o.because), j.reasonsOf(kind, o.Identity)...) {
			if text := r.String(); !known[text] && len(list) < maxReasons {
				known[text] = true
				list = append(list, r)
			}
		}
	}
	return list
}

// reasonsOf returns the reasons of a part of a finding.
func (j *Judge) reasonsOf(kind *Kind, id Identity) []Reason {
	p := j.Checked.Snapshot.Package(id.Package)
	if p == nil || kind.because == nil {
		return nil
	}
	list := kind.because(&subject{j.Checked.Snapshot, j.Blocked, p, cmp.Or(p.Channel(id.Channel), &catalog.Channel{}), id})
	return list[:min(len(list), maxOfOne)]
}

// subject is what reasons are wanted of.
type subject struct {
	*catalog.Snapshot
	Blocked map[catalog.ID]bool
	pkg     *catalog.Package
	channel *catalog.Channel // without entries if the finding is not about one
	id      Identity
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
