package result

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// DescribeBundles names bundles of one package: a single one by its name, many by
// their number and range of versions. all says that the package has no others
// in question.
func DescribeBundles(list []BundleRef, all bool) string {
	if len(list) == 0 {
		return ""
	}
	names := names(list)
	where := words.InNamespace(list[0].Namespace)
	if list[0].Installed {
		return "the installed " + words.Listed(names, words.MaxNamed) + where
	}
	if len(names) <= 2 {
		return words.Listed(names, 2) + where
	}
	byVersion := func(a, b BundleRef) int { return a.Version.Compare(b.Version) }
	low, high := slices.MinFunc(list, byVersion).Version, slices.MaxFunc(list, byVersion).Version
	text := fmt.Sprintf("%d versions of %s from %s to %s%s", len(names), list[0].Package, low, high, where)
	if all {
		return "all " + text
	}
	return text
}

// names are those of the bundles, each once.
func names(list []BundleRef) []string {
	return words.Distinct(mapped(list, func(b BundleRef) string { return b.Name }))
}

// ByPackage splits bundles by namespace and package, and installed ones from
// others, in the order of first places.
func ByPackage(list []BundleRef) [][]BundleRef {
	type key struct {
		namespace, pkg string
		installed      bool
	}
	var parts [][]BundleRef
	at := map[key]int{}
	for _, b := range list {
		k := key{b.Namespace, b.Package, b.Installed}
		i, ok := at[k]
		if !ok {
			i = len(parts)
			at[k] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], b)
	}
	return parts
}

// VersionSpan names bundles of a package in a few words, however many there are:
// "etcd 0.9.4", "3 bundles of etcd from 0.9.0 to 0.9.4".
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

func mapped[From, To any](list []From, f func(From) To) []To {
	out := make([]To, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}
