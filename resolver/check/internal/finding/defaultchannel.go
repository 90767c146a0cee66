package finding

import (
	"slices"

	"github.com/agnivade/levenshtein"
	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

var defaultChannelKind = Kind{
	Code: "defaultChannel", Meaning: "the package has no default channel, or names one that does not exist", cause: byPlace,
	because: (*subject).defaultChannel, Candidates: otherDefault,
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

// otherDefault names a default channel that exists: one of nearly that name, else the one with
// the highest head.
func otherDefault(s *Wrong, now *edit.Draft, _ Identity) (list []*edit.Draft) {
	p := s.Snapshot.Package(s.Pkg)
	if p == nil {
		return nil
	}
	channels := slices.Clone(p.Channels)
	head := func(c *catalog.Channel) semver.Version {
		if c.Head() != nil {
			if b := s.Snapshot.Bundle(c.Head().Bundle); b != nil {
				return b.Version
			}
		}
		return semver.Version{}
	}
	slices.SortStableFunc(channels, func(a, b *catalog.Channel) int { return head(b).Compare(head(a)) })
	names := words.Mapped(channels, func(c *catalog.Channel) string { return c.Name })
	names = append(Closest(p.DefaultChannel, names), names...)
	for _, name := range names {
		for _, b := range now.Named(s.Pkg, edit.SchemaPackage, "") {
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "defaultChannel"), name)))
		}
		for _, d := range now.Dirs(s.Pkg, "") {
			if d.Annotations >= 0 {
				list = append(list, now.With(edit.Add(d.Annotations, edit.Pointer("/annotations", edit.AnnotationDefault), name)))
			}
		}
	}
	return list
}
