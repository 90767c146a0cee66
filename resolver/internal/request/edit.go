package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// EditKind is what an Edit changes. Of fixes that are equal otherwise, the one with the
// lower kind comes first.
type EditKind uint8

// The kinds of edits: first of requests, then of what they depend on, at last those that
// delete requests or installed bundles.
const (
	EditStart EditKind = iota
	EditChannel
	EditSource
	EditName
	EditReinstall
	EditChannels
	EditVersion
	EditSelector
	EditPolicy
	EditTargets
	EditExclude
	EditCreateGroup
	EditMove
	EditDeleteGroup
	EditForward
	EditHold
	EditPriority
	EditAvailability
	EditDeleteSource
	EditStored
	EditRights
	EditDelete
	EditGiveUp
	EditGoesAlong
	EditOption
)

// WithoutPins returns the edit that lifts the pins of a package in the namespace of a part.
func WithoutPins(p *model.Part, pkg string) Edit {
	o := result.Object{Kind: words.ObjectOptions, Namespace: p.Namespace, Name: pkg}
	return Edit{Kind: EditOption, Object: o, Steps: []result.Step{{Object: o, Field: words.FieldPins}}}
}

// Edit is a change that makes sense by itself: of one field, or steps that belong together.
type Edit struct {
	Kind EditKind
	// Object is the object that the edit is about.
	Object result.Object
	Steps  []result.Step
	// Reaches is true if the edit can lead to a bundle that nothing else leads to.
	Reaches bool
	// Version is the version that the request gets, if it is known before the edit is
	// tried. Apart is then its distance from the version that the request meant, see
	// [Apart]. Widens is true if it is a newer major version or a prerelease.
	Version *semver.Version
	Apart   int
	Widens  bool
	// Admits is the number of versions in the catalogs that an edited range admits.
	Admits int
	// Runs is what OLM v0 runs already of what the edit gives up, as NAMESPACE/NAME.
	Runs string
	// Serves is the ClusterExtension that has installed what the edit gives up.
	Serves string
	// Caution, if set, is what to be careful of whatever the edit leads to.
	Caution *result.Caution
	// Other, if set, states the edit as what only others can do.
	Other *result.Other
	// key is what Key returned first. A search compares thousands of edits.
	key string
}

// Key returns a text that differs between edits. Their steps do not change afterwards.
func (e *Edit) Key() string {
	if e.key != "" {
		return e.key
	}
	var key strings.Builder
	fmt.Fprint(&key, e.Object, " ", e.Kind)
	for _, s := range e.Steps {
		if s.To != nil {
			fmt.Fprintf(&key, " %v", s.To)
		}
		if s.Create != nil && s.Object.Namespace != e.Object.Namespace {
			fmt.Fprint(&key, " ", s.Object)
		}
		if e.Kind == EditCreateGroup {
			fmt.Fprint(&key, " ", s.Create.OperatorGroups[0].TargetNamespaces)
		}
	}
	e.key = key.String()
	return e.key
}

// set returns an edit of one field.
func set(kind EditKind, o result.Object, f string, from, to any) Edit {
	return Edit{Kind: kind, Object: o, Steps: []result.Step{{Object: o, Field: f, From: from, To: to}}}
}

// orNil returns the value of a field, nil for the zero value.
func orNil[V comparable](value V) any {
	if value == *new(V) {
		return nil
	}
	return value
}

// Slip reports whether name may be a misspelling of another. Two letters in the wrong order
// are one edit.
func Slip(name, other string) bool {
	if len(name) > MaxName || len(other) > MaxName {
		return false
	}
	distance := levenshtein.ComputeDistance(name, other)
	return distance <= 1 || distance <= maxSlip && (len(name) > shortName || transposed(name, other))
}

// transposed reports whether two names differ by two neighbouring letters that changed places.
func transposed(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// misspelt returns the packages of the catalogs that a request most likely means by the name of its
// package, sorted. It returns none if a catalog has a package of this name.
func misspelt(p *model.Part, catalogs []int, request, name string) []string {
	for range p.Packages(catalogs, name) {
		return nil
	}
	var names []string
	for _, c := range catalogs {
		for pkg := range p.Catalogs[c].Snapshot.Packages() {
			p.Pace.Step(1)
			if Slip(name, pkg.Name) || pkg.Name == request && HoldsPart(p, catalogs, request, name) {
				names = append(names, pkg.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// HoldsPart reports whether name, which no package has, is that of a channel or bundle of the
// package own: a field was filled in with what belongs in another one.
func HoldsPart(p *model.Part, catalogs []int, own, name string) bool {
	for c, pkg := range p.Packages(catalogs, own) {
		named := func(id catalog.ID) bool { return p.Catalogs[c].Snapshot.Bundle(id).Package == own }
		if pkg.Channel(name) != nil || slices.ContainsFunc(p.Catalogs[c].Snapshot.Named(name), named) {
			return true
		}
	}
	return false
}

// Meant implements Object. For a new installation it is the version of startingCSV, from a
// catalog or else from the name itself. Otherwise see [headMeant].
func (s Subscription) Meant(p *model.Part, pkg string, installed *semver.Version, _ semver.Version) *semver.Version {
	for c := range p.Catalogs {
		for _, id := range p.Catalogs[c].Snapshot.Named(s.Object.StartingCSV) {
			if b := p.Catalogs[c].Snapshot.Bundle(id); installed == nil && b.Package == pkg {
				return &b.Version
			}
		}
	}
	if v := VersionInName(s.Object.StartingCSV); v != nil && installed == nil && pkg == s.Object.Package {
		return v
	}
	var channels []string
	if s.Object.Channel != "" {
		channels = []string{s.Object.Channel}
	}
	return headMeant(p, pkg, s.namedCatalogs(p), channels, installed)
}

// VersionInName returns the version with which the name of a bundle ends, nil if there is
// none. The name may also be nothing but a version, as some users write.
func VersionInName(bundle string) *semver.Version {
	_, version, _ := strings.Cut(bundle, ".")
	for _, text := range []string{bundle, version} {
		if v, err := semver.ParseTolerant(text); err == nil {
			return &v
		}
	}
	return nil
}

// Meant implements Object. With a version range it is the end of the range that is closest
// to got. Without one it is [headMeant]; of catalogs of equal rank, the closest to got.
func (a *Extension) Meant(p *model.Part, pkg string, installed *semver.Version, got semver.Version) *semver.Version {
	looked := a.looked(p)
	var meant *semver.Version
	versions := p.Universe.VersionsOf(pkg)
	closer := func(v *semver.Version) {
		if v != nil && (meant == nil || Apart(versions, *v, got) < Apart(versions, *meant, got)) {
			meant = v
		}
	}
	if a.versions != nil {
		low, high := ends(a.versions)
		for _, e := range []bound{low, high} {
			if e.text == "" {
				continue
			}
			if v, err := semver.Parse(e.version.String()); err == nil {
				closer(&v)
			}
		}
	}
	for i := 0; a.tied && a.versions == nil && i < len(looked); i++ {
		closer(headMeant(p, pkg, looked[i:i+1], a.Object.Channels, installed))
	}
	if meant != nil {
		return meant
	}
	return headMeant(p, pkg, looked, a.Object.Channels, installed)
}

// headMeant returns the version of the head of the first of the channels that exists, else
// of a channel whose name they misspell, else installed, else that of the default channel's
// head.
func headMeant(p *model.Part, pkg string, catalogs []int, channels []string, installed *semver.Version) *semver.Version {
	head := func(named func(*catalog.Package) []string) *semver.Version {
		for c, found := range p.Packages(catalogs, pkg) {
			for _, name := range named(found) {
				if ch := found.Channel(name); ch != nil && ch.Head() != nil && ch.Head().Bundle != catalog.NoBundle {
					return &p.Catalogs[c].Snapshot.Bundle(ch.Head().Bundle).Version
				}
			}
		}
		return nil
	}
	if v := head(func(*catalog.Package) []string { return channels }); v != nil {
		return v
	}
	slips := func(pkg *catalog.Package) (names []string) {
		for _, ch := range pkg.Channels {
			if slices.ContainsFunc(channels, func(name string) bool { return Slip(name, ch.Name) }) {
				names = append(names, ch.Name)
			}
		}
		return names
	}
	if v := head(slips); v != nil {
		return v
	}
	if installed != nil {
		return installed
	}
	return head(func(pkg *catalog.Package) []string { return []string{pkg.DefaultChannel} })
}

// Apart returns by how many places two versions are apart in a sorted list. A version that
// is not in the list has a place of its own.
func Apart(versions []semver.Version, a, b semver.Version) int {
	if a.GT(b) {
		a, b = b, a
	}
	i, listed := slices.BinarySearchFunc(versions, a, semver.Version.Compare)
	j, _ := slices.BinarySearchFunc(versions, b, semver.Version.Compare)
	if listed || a.EQ(b) {
		return j - i
	}
	return j - i + 1
}
