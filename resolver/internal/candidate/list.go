package candidate

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// List holds bundles in order of preference; places run parallel and
// say through which entry each was reached.
type List struct {
	Candidates []solver.Var
	Places     []Place
}

func (l *List) Add(v solver.Var, at Place) {
	l.Candidates = append(l.Candidates, v)
	l.Places = append(l.Places, at)
}

// Leave drops all candidates but one.
func (l *List) Leave(v solver.Var) {
	at, _ := l.Place(v)
	*l = List{[]solver.Var{v}, []Place{at}}
}

// Place is a channel's entry. The zero value is no place: that of an
// installed bundle.
type Place struct {
	Channel *catalog.Channel
	Entry   int
}

// At returns the entry, nil for the zero value.
func (p Place) At() *catalog.Entry {
	if p.Channel == nil {
		return nil
	}
	return &p.Channel.Entries[p.Entry]
}

// Place returns through which entry v is reached.
func (l *List) Place(v solver.Var) (Place, bool) {
	if i := slices.Index(l.Candidates, v); i >= 0 {
		return l.Places[i], true
	}
	return Place{}, false
}

// Segment identifies a list of candidates by its memory: long ones are
// shared between the formulas that ask for the same.
type Segment struct {
	first *solver.Var
	n     int
}

// SegmentOf is for lists that are not empty.
func SegmentOf(list []solver.Var) Segment { return Segment{&list[0], len(list)} }

// PreferredChannels returns the channels of a package, the default one first,
// then by name.
func PreferredChannels(pkg *catalog.Package) []*catalog.Channel {
	first := pkg.Channel(pkg.DefaultChannel)
	if first == nil {
		return pkg.Channels
	}
	channels := make([]*catalog.Channel, 1, len(pkg.Channels))
	channels[0] = first
	for _, c := range pkg.Channels {
		if c != first {
			channels = append(channels, c)
		}
	}
	return channels
}

// FirstPlace is the first channel that lists a bundle, the default one before
// the others.
func FirstPlace(pkg *catalog.Package, bundle string, allowed func(*catalog.Channel) bool) Place {
	for _, c := range PreferredChannels(pkg) {
		if i, ok := c.Index(bundle); ok && allowed(c) {
			return Place{c, i}
		}
	}
	return Place{}
}

func Deprecated(b *catalog.Bundle) int {
	if b.Deprecation != "" {
		return 1
	}
	return 0
}

// ReleaseOf returns the version and release of a catalog's bundle.
func ReleaseOf(b *catalog.Bundle) properties.Package {
	return WithRelease(properties.Package{Version: b.Version, Release: b.Release})
}

// WithRelease makes the build metadata of a version the release, where it has
// the form of one and none is stated.
func WithRelease(pkg properties.Package) properties.Package {
	if pkg.Release != "" || len(pkg.Version.Build) == 0 {
		return pkg
	}
	if release, err := properties.ParseRelease(strings.Join(pkg.Version.Build, ".")); err == nil {
		pkg.Release = release
		pkg.Version.Build = nil
	}
	return pkg
}

// Same reports whether two packages are one version and release of it. Build
// metadata that is no release must be equal as well.
func Same(a, b properties.Package) bool {
	return a.Compare(b) == 0 && slices.Equal(a.Version.Build, b.Version.Build)
}

// Distinct drops repeats and keeps the order of first places.
func Distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool {
		known := seen[x]
		seen[x] = true
		return known
	})
}

// Unlisted is why no channel offers a bundle.
func Unlisted(snapshot *catalog.Snapshot, b *catalog.Bundle) result.Unlisted {
	var why result.Unlisted
	pkg := snapshot.Package(b.Package)
	if pkg == nil {
		return why
	}
	for _, channel := range PreferredChannels(pkg) {
		e := channel.Entry(b.Name)
		switch {
		case e == nil:
		case channel.Fault == "" && e.Skipped:
			return result.Unlisted{Channel: channel.Name, Skipped: true}
		case channel.Fault != "", e.Depth < 0:
			why = result.Unlisted{Channel: channel.Name, Fault: channel.Fault}
		case e.Bundle == catalog.NoBundle:
			why = result.Unlisted{Channel: channel.Name, Quarantined: true}
		}
	}
	return why
}
