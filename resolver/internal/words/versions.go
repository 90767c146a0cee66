package words

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
)

// VersionSpan names any number of bundles of a package in a few words: "etcd 0.9.4",
// "3 bundles of etcd from 0.9.0 to 0.9.4".
func VersionSpan(pkg string, versions []semver.Version) string {
	switch len(versions) {
	case 0:
		return "no bundle of " + pkg
	case 1:
		return pkg + " " + versions[0].String()
	}
	first, last := slices.MinFunc(versions, semver.Version.Compare), slices.MaxFunc(versions, semver.Version.Compare)
	return fmt.Sprintf("%d bundles of %s from %s to %s", len(versions), pkg, first, last)
}

// Versions returns the clause that says which versions a package has. They must be sorted.
func Versions(versions []semver.Version) string {
	names := slices.Compact(Texts(versions))
	switch n := len(names); {
	case n == 0:
		return "it has no usable version"
	case n == 1:
		return "it has only " + names[0]
	case n <= MaxNamed:
		return "it has " + Listed(names, MaxNamed)
	default:
		return fmt.Sprintf("it has %d versions from %s to %s", n, names[0], names[n-1])
	}
}
