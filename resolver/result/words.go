package result

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// maxNamed is how many names a sentence lists before it counts the rest.
const maxNamed = 4

// maxQuoted bounds texts that come from catalogs and rules, in bytes.
const maxQuoted = 300

// listed joins names as a sentence does and counts those beyond limit.
func listed(names []string, limit int) string { return joined(names, limit, " and ", "") }

// either is listed for alternatives.
func either(names []string) string { return joined(names, maxNamed, " or ", "one of ") }

func joined(names []string, limit int, conjunction, beyond string) string {
	switch n := len(names); {
	case n < 2:
		return strings.Join(names, "")
	case n > limit:
		return strings.Join(names[:limit-1], ", ") + fmt.Sprintf("%s%s%d more", conjunction, beyond, n-limit+1)
	default:
		return strings.Join(names[:n-1], ", ") + conjunction + names[n-1]
	}
}

// verb chooses the form for one or for many.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func plural(n int) string { return verb(n, "", "s") }

func count(n int, noun string) string { return fmt.Sprintf("%d %s%s", n, noun, plural(n)) }

// distinct drops repeats and keeps the order of first places.
func distinct(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		known := seen[s]
		seen[s] = true
		return known
	})
}

// texts returns the form for display of each.
func texts[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x.String()
	}
	return out
}

// inNamespace names a namespace, if there is one to name.
func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// describe names bundles of one package: a single one by its name, many by
// their number and range of versions. all says that the package has no others
// in question.
func describe(list []BundleRef, all bool) string {
	if len(list) == 0 {
		return ""
	}
	names := names(list)
	where := inNamespace(list[0].Namespace)
	if list[0].Installed {
		return "the installed " + listed(names, maxNamed) + where
	}
	if len(names) <= 2 {
		return listed(names, 2) + where
	}
	low, high := list[0].Version, list[0].Version
	for _, b := range list[1:] {
		if b.Version.LT(low) {
			low = b.Version
		}
		if b.Version.GT(high) {
			high = b.Version
		}
	}
	text := fmt.Sprintf("%d versions of %s from %s to %s%s", len(names), list[0].Package, low, high, where)
	if all {
		return "all " + text
	}
	return text
}

// names are those of the bundles, each once.
func names(list []BundleRef) []string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.Name
	}
	return distinct(names)
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

// suggestion ends a sentence with the closest names.
func suggestion(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; the nearest name is " + names[0]
	}
	return "; the nearest names are " + strings.Join(names, ", ")
}

// quoted is an error as part of a sentence.
func quoted(err error) string { return clip(oneLine(err.Error()), maxQuoted) }

// clip shortens a text to a limit in bytes, at a rune boundary.
func clip(s string, limit int) string {
	const mark = "..."
	if len(s) <= limit {
		return s
	}
	cut := limit - len(mark)
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + mark
}

// oneLine makes one line of a message that a stranger wrote, so that no part of it
// passes for a sentence of its own.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// snippetLine begins the lines that show a place in a rule, see package constraints.
const snippetLine = "  | "

// unbroken makes one line of a sentence whose names may hold line breaks. Only the
// lines that show a place in a rule stay lines, and what follows them is marked as
// they are.
func unbroken(sentence string) string {
	if strings.IndexFunc(sentence, breaksLine) < 0 {
		return sentence
	}
	parts := strings.Split(sentence, "\n"+snippetLine)
	join := " "
	for i, part := range parts {
		parts[i] = strings.Join(strings.FieldsFunc(part, breaksLine), join)
		join = "\n" + snippetLine
	}
	return strings.Join(parts, "\n"+snippetLine)
}

// breaksLine reports whether a character begins another line.
func breaksLine(c rune) bool {
	switch c {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
