package result

import (
	"slices"
	"strconv"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// describeBundles names bundles of one package: a few by name, many by number and range of
// versions. all states that these are all bundles of the package in question.
func describeBundles(list []BundleRef, all bool) string {
	if len(list) == 0 {
		return ""
	}
	names := names(list)
	where := words.InNamespace(list[0].Namespace)
	switch {
	case list[0].Installed:
		return "the installed " + words.Listed(names, words.MaxNamed) + where
	case len(names) == 2 && all:
		return words.Failures.With("both", 2, words.Values{"package": list[0].Bundle.Package, "low": list[0].Version.String(), "high": list[1].Version.String(), "where": where})
	case len(names) <= 2:
		return words.Listed(names, 2) + where
	case all:
		return "all " + span(list, len(names)) + where
	}
	return span(list, len(names)) + where
}

// span returns the number of bundles of a package and their range of versions.
func span(list []BundleRef, n int) string {
	byVersion := func(a, b BundleRef) int { return a.Version.Compare(b.Version) }
	low, high := slices.MinFunc(list, byVersion).Version, slices.MaxFunc(list, byVersion).Version
	return words.Failures.With("span", n, words.Values{"count": strconv.Itoa(n), "package": list[0].Bundle.Package, "low": low.String(), "high": high.String()})
}

// noneOf begins a negated sentence about several bundles of a package, empty for one bundle.
func noneOf(list []BundleRef) string {
	switch names := names(list); len(names) {
	case 0, 1:
		return ""
	case 2:
		return words.Failures.With("none", 2, words.Values{"low": names[0], "high": names[1]})
	default:
		return words.Failures.With("none", len(names), words.Values{"span": span(list, len(names))})
	}
}

// names returns the names of the bundles, each once.
func names(list []BundleRef) []string {
	return words.Distinct(words.Mapped(list, func(b BundleRef) string { return b.Bundle.Name }))
}

// byPackage splits bundles by namespace and package, and installed ones from others.
func byPackage(list []BundleRef) [][]BundleRef {
	return words.Grouped(list, func(b BundleRef) [3]any { return [3]any{b.Namespace, b.Bundle.Package, b.Installed} })
}
