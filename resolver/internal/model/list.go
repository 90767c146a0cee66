package model

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// List holds bundles in order of preference. Places has, at the same index, the channel
// entry that leads to the bundle; it is empty for an installed bundle.
type List struct {
	Candidates []solver.Var
	Places     []catalog.Place
}

// Add appends a candidate.
func (l *List) Add(v solver.Var, at catalog.Place) {
	l.Candidates = append(l.Candidates, v)
	l.Places = append(l.Places, at)
}

// KeepOnly drops all candidates but v.
func (l *List) KeepOnly(v solver.Var) {
	*l = List{[]solver.Var{v}, []catalog.Place{l.Place(v)}}
}

// Place returns the entry that leads to v, empty if there is none.
func (l *List) Place(v solver.Var) catalog.Place {
	if i := slices.Index(l.Candidates, v); i >= 0 {
		return l.Places[i]
	}
	return catalog.Place{}
}

// Segment identifies a list of candidates by its memory. Formulas that require the same
// share one list.
type Segment struct {
	first *solver.Var
	n     int
}

// SegmentOf returns the Segment of a list, which must not be empty.
func SegmentOf(list []solver.Var) Segment { return Segment{&list[0], len(list)} }

// ChannelsNamed returns the channels of a package that have one of the names.
func ChannelsNamed(pkg *catalog.Package, names []string) []*catalog.Channel {
	return slices.DeleteFunc(slices.Clone(pkg.Channels), func(c *catalog.Channel) bool { return !slices.Contains(names, c.Name) })
}

// FirstPlace returns the entry of a bundle in the most preferred channel that lists it. If
// channels are named, only those count.
func FirstPlace(pkg *catalog.Package, bundle string, channels ...string) catalog.Place {
	for _, c := range pkg.Preferred() {
		if i, ok := c.Index(bundle); ok && (len(channels) == 0 || slices.Contains(channels, c.Name)) {
			return catalog.Place{Channel: c, Entry: i}
		}
	}
	return catalog.Place{}
}

// Deprecated returns 1 for a bundle that olm.deprecations names, else 0, as a sort key.
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

// WithRelease makes the build metadata of a version its release, if it has that form and
// no release is stated.
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

// Same reports whether two bundles of a package have the same version and release. Build
// metadata that is no release must be equal as well.
func Same(a, b properties.Package) bool {
	return a.Compare(b) == 0 && slices.Equal(a.Version.Build, b.Version.Build)
}

// Unlisted returns why no channel offers a bundle.
func Unlisted(snapshot *catalog.Snapshot, b *catalog.Bundle) *result.Unlisted {
	why := &result.Unlisted{}
	pkg := snapshot.Package(b.Package)
	if pkg == nil {
		return why
	}
	for _, channel := range pkg.Preferred() {
		e := channel.Entry(b.Name)
		switch {
		case e == nil:
		case channel.Fault == "" && e.Skipped:
			return &result.Unlisted{Channel: channel.Name, Skipped: true}
		case channel.Fault != "", e.Depth < 0:
			why = &result.Unlisted{Channel: channel.Name, Fault: channel.Fault}
		case e.Bundle == catalog.NoBundle:
			why = &result.Unlisted{Channel: channel.Name, NoBundle: true, Quarantine: BundleFault(snapshot, b.Package, b.Name)}
		}
	}
	return why
}

// BundleFault returns the fault that quarantines a bundle, nil if there is none.
func BundleFault(s *catalog.Snapshot, pkg, bundle string) error {
	for _, f := range s.Quarantined(pkg) {
		if f.Bundle == bundle {
			return f
		}
	}
	return nil
}
