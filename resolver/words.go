package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/resolvent/resolvent/properties"
)

// maxNamed is how many names a sentence lists before it counts the rest.
const maxNamed = 4

// listed joins names as a sentence does and counts those beyond limit.
func listed(names []string, limit int) string { return joined(names, limit, " and ", "") }

// either is listed for alternatives.
func either(names []string, limit int) string { return joined(names, limit, " or ", "one of ") }

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

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func count(n int, noun string) string { return fmt.Sprintf("%d %s%s", n, noun, plural(n)) }

// verb chooses the form for one or for many.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
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

// describe names bundles of one package: a single one by its name, many by
// their number and range of versions. all says that the package has no others
// in question.
func describe(list []BundleRef, all bool) string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = b.Name
	}
	names = distinct(names)
	where := ""
	if len(list) > 0 {
		where = inNamespace(list[0].Namespace)
	}
	if len(list) > 0 && list[0].Installed {
		return "the installed " + listed(names, maxNamed) + where
	}
	if len(names) <= 2 {
		return listed(names, 2) + where
	}
	low, high := versionSpan(list)
	text := fmt.Sprintf("%d versions of %s from %s to %s%s", len(names), list[0].Package, low, high, where)
	if all {
		return "all " + text
	}
	return text
}

// versionSpan returns the lowest and the highest version.
func versionSpan(list []BundleRef) (low, high string) {
	var least, most semver.Version
	for i, b := range list {
		v, err := semver.Parse(b.Version)
		if err != nil {
			continue
		}
		if i == 0 || v.LT(least) {
			least = v
		}
		if i == 0 || v.GT(most) {
			most = v
		}
	}
	return least.String(), most.String()
}

// countNames is the number of different bundles.
func countNames(list []BundleRef) int {
	names := make(map[string]bool, len(list))
	for _, b := range list {
		names[b.Name] = true
	}
	return len(names)
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

// inNamespace names a namespace, if there is one to name.
func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// kindText shows a kind without version.
func kindText(kind properties.GVK) string { return kind.Kind + "." + kind.Group }

// apiText shows an API for people, and a kind where there is no version.
func apiText(api properties.GVK) string {
	if api.Version == "" {
		return kindText(api)
	}
	return api.Describe()
}

// apiName names an API, or a kind where there is no version.
func apiName(api properties.GVK) string {
	if api.Version == "" {
		return kindText(api)
	}
	return api.String()
}

// oneAPI is the word for what apiText shows.
func oneAPI(api properties.GVK) string {
	if api.Version == "" {
		return "a kind"
	}
	return "an API"
}

// conditionText shows reason and message of a hold.
func conditionText(c *Condition) string {
	parts := slices.DeleteFunc([]string{oneLine(c.Reason), oneLine(c.Message)}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ": ") + ")"
}

func suggestion(names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return nearestText + " is " + names[0]
	}
	return nearestText + "s are " + strings.Join(names, ", ")
}

// nearestText opens the list of nearest names in a message.
const nearestText = "; the nearest name"
