package resolver

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/solver"
)

// candidateList holds bundles in order of preference; places run parallel and
// say through which entry each was reached.
type candidateList struct {
	candidates []solver.Var
	places     []entryPlace
}

func (l *candidateList) add(v solver.Var, at entryPlace) {
	l.candidates = append(l.candidates, v)
	l.places = append(l.places, at)
}

// leave drops all candidates but one.
func (l *candidateList) leave(v solver.Var) {
	at, _ := l.place(v)
	*l = candidateList{[]solver.Var{v}, []entryPlace{at}}
}

// entryPlace is a channel's entry. The zero value is no place: that of an
// installed bundle.
type entryPlace struct {
	channel *catalog.Channel
	entry   int
}

// at returns the entry, nil for the zero value.
func (p entryPlace) at() *catalog.Entry {
	if p.channel == nil {
		return nil
	}
	return &p.channel.Entries[p.entry]
}

// place returns through which entry v is reached.
func (l *candidateList) place(v solver.Var) (entryPlace, bool) {
	if i := slices.Index(l.candidates, v); i >= 0 {
		return l.places[i], true
	}
	return entryPlace{}, false
}

// candidateSegment identifies a list of candidates by its memory: long ones are
// shared between the formulas that ask for the same.
type candidateSegment struct {
	first *solver.Var
	n     int
}

// segmentOf is for lists that are not empty.
func segmentOf(list []solver.Var) candidateSegment { return candidateSegment{&list[0], len(list)} }

// preferredChannels returns the channels of a package, the default one first,
// then by name.
func preferredChannels(pkg *catalog.Package) []*catalog.Channel {
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

// firstPlace is the first channel that lists a bundle, the default one before
// the others.
func firstPlace(pkg *catalog.Package, bundle string, allowed func(*catalog.Channel) bool) entryPlace {
	for _, c := range preferredChannels(pkg) {
		if i, ok := c.Index(bundle); ok && allowed(c) {
			return entryPlace{c, i}
		}
	}
	return entryPlace{}
}

func deprecated(b *catalog.Bundle) int {
	if b.Deprecation != "" {
		return 1
	}
	return 0
}

// releaseOf returns the version and release of a catalog's bundle.
func releaseOf(b *catalog.Bundle) properties.Package {
	return withRelease(properties.Package{Version: b.Version, Release: b.Release})
}

// withRelease makes the build metadata of a version the release, where it has
// the form of one and none is stated.
func withRelease(pkg properties.Package) properties.Package {
	if pkg.Release != "" || len(pkg.Version.Build) == 0 {
		return pkg
	}
	if release, err := properties.ParseRelease(strings.Join(pkg.Version.Build, ".")); err == nil {
		pkg.Release = release
		pkg.Version.Build = nil
	}
	return pkg
}

// same reports whether two packages are one version and release of it. Build
// metadata that is no release must be equal as well.
func same(a, b properties.Package) bool {
	return a.Compare(b) == 0 && slices.Equal(a.Version.Build, b.Version.Build)
}

// distinct drops repeats and keeps the order of first places.
func distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool {
		known := seen[x]
		seen[x] = true
		return known
	})
}
