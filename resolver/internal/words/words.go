// Package words puts names and numbers into English sentences.
package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
)

// MaxNamed is how many names a sentence lists before it counts the rest.
const MaxNamed = 4

// MaxQuoted bounds texts that come from catalogs and rules, in bytes.
const MaxQuoted = 300

// Listed joins names as a sentence does and counts those beyond limit.
func Listed(names []string, limit int) string { return joined(names, limit, " and ", "") }

// Either is listed for alternatives.
func Either(names []string) string { return joined(names, MaxNamed, " or ", "one of ") }

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

// Verb chooses the form for one or for many.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Plural is the ending of a noun.
func Plural(n int) string { return Verb(n, "", "s") }

// Count puts a number before a noun.
func Count(n int, noun string) string { return fmt.Sprintf("%d %s%s", n, noun, Plural(n)) }

// Distinct drops repeats and keeps the order of first places.
func Distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool {
		known := seen[x]
		seen[x] = true
		return known
	})
}

// Texts returns the form for display of each.
func Texts[T fmt.Stringer](list []T) []string { return Mapped(list, T.String) }

// Mapped returns what f makes of each.
func Mapped[From, To any](list []From, f func(From) To) []To {
	out := make([]To, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// InOther continues a sentence that is about a home, if the namespace is another one.
func InOther(namespace, home string) string {
	if namespace == home {
		return ""
	}
	return InNamespace(namespace)
}

// InNamespace names a namespace, if there is one to name.
func InNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// Suggestion ends a sentence with the closest names.
func Suggestion(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; the nearest name is " + names[0]
	}
	return "; the nearest names are " + strings.Join(names, ", ")
}

// Clip shortens a text to a limit in bytes, at a rune boundary.
func Clip(s string, limit int) string {
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

// OneLine makes one line of a message that a stranger wrote, so that no part of it
// passes for a sentence of its own.
func OneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// snippetLine begins the lines that show a place in a rule, see package constraints.
const snippetLine = "  | "

// Unbroken makes one line of a sentence whose names may hold line breaks. Only the
// lines that show a place in a rule stay lines, and what follows them is marked as
// they are.
func Unbroken(sentence string) string {
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

// APIName names an API, or a kind where there is no version.
func APIName(api properties.GVK) string {
	if api.Version == "" {
		return api.Kind + "." + api.Group
	}
	return api.String()
}

// APIText shows an API for people, and a kind where there is no version.
func APIText(api properties.GVK) string {
	if api.Version == "" {
		return APIName(api)
	}
	return api.Describe()
}
