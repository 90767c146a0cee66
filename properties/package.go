package properties

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// Package is the value of olm.package: the package of a bundle, and its version.
type Package struct {
	Name    string
	Version semver.Version
	Release Release
}

// Compare orders by version, then by release. It ignores the name.
func (p Package) Compare(other Package) int {
	return cmp.Or(p.Version.Compare(other.Version), p.Release.Compare(other.Release))
}

// Release distinguishes builds of one version. It consists of identifiers joined by
// dots, as a semver prerelease does. The empty Release is lower than any other.
type Release string

// ParseRelease reads a release. The empty text is the empty Release.
func ParseRelease(text string) (Release, error) {
	if text == "" {
		return "", nil
	}
	for part := range strings.SplitSeq(text, ".") {
		if _, err := semver.NewPRVersion(part); err != nil {
			return "", fmt.Errorf("release %q: %w", text, err)
		}
	}
	return Release(text), nil
}

// Compare orders releases identifier by identifier, as semver orders prereleases.
func (r Release) Compare(other Release) int {
	if r == "" || other == "" {
		return cmp.Compare(len(r), len(other))
	}
	return slices.CompareFunc(r.identifiers(), other.identifiers(), semver.PRVersion.Compare)
}

func (r Release) identifiers() []semver.PRVersion {
	var list []semver.PRVersion
	for part := range strings.SplitSeq(string(r), ".") {
		id, err := semver.NewPRVersion(part)
		if err != nil {
			// The Release is not from ParseRelease: compare it as text.
			id = semver.PRVersion{VersionStr: part}
		}
		list = append(list, id)
	}
	return list
}

func decodePackage(value []byte, in *Interner) (pkg Package, whole bool, err error) {
	name, version, release := member{name: "packageName"}, member{name: "version"}, member{name: "release"}
	if whole, err = in.json.members(value, &name, &version, &release); err != nil {
		return Package{}, false, err
	}
	switch {
	case name.text == "":
		return Package{}, false, errors.New("packageName is missing: give the name of the bundle's package")
	case version.text == "":
		return Package{}, false, errors.New("version is missing: give a version such as 1.2.3")
	}
	parsed, err := semver.Parse(version.text)
	if err != nil {
		return Package{}, false, &versionError{version.text, err}
	}
	rel, err := ParseRelease(release.text)
	if err != nil {
		return Package{}, false, err
	}
	// Rendering leaves out an empty release, so it cannot restore a stated one.
	whole = whole && release.set == (rel != "")
	return Package{Name: in.String(name.text), Version: parsed, Release: Release(in.String(string(rel)))}, whole, nil
}

type versionError struct {
	text string
	err  error
}

func (e *versionError) Error() string {
	return fmt.Sprintf("version %q is not a semantic version such as 1.2.3: %v", e.text, e.err)
}

func (e *versionError) Unwrap() error { return e.err }
