// Package words is how answers are put into words. It lists the codes of reasons, fixes and
// repairs: a code decides which arguments a reason has and how it is worded. [Code.Kind] leads from
// a code to its result.ReasonKind, which callers see, and [English] to its words. The package also has lists, plurals and quotes, and the rules of
// Kubernetes for names, labels and annotations: an API server refuses an object that breaks one.
package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
)

// MaxNamed is the number of names that a sentence lists before it counts the rest.
const MaxNamed = 4

// MaxQuoted is the limit of a text from a catalog, a rule or OLM, in bytes.
const MaxQuoted = 300

// Listed joins names as "a, b and c", and counts those beyond limit.
func Listed(names []string, limit int) string { return joined(names, limit, " and ", "") }

// Either joins alternatives as "a, b or c", and counts those beyond MaxNamed.
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

// Verb returns the form for one or that for many.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Plural returns the ending of a noun: "" or "s".
func Plural(n int) string { return Verb(n, "", "s") }

// Count returns a number with its noun: "2 bundles".
func Count(n int, noun string) string { return fmt.Sprintf("%d %s%s", n, noun, Plural(n)) }

// Distinct returns the list without repeats, in the order of first occurrence.
func Distinct[T comparable](list []T) []T {
	seen := make(map[T]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool {
		known := seen[x]
		seen[x] = true
		return known
	})
}

// Texts returns the String of each member.
func Texts[T fmt.Stringer](list []T) []string { return Mapped(list, T.String) }

// Mapped returns f of each member.
func Mapped[From, To any](list []From, f func(From) To) []To {
	out := make([]To, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

// Grouped splits a list by a key. The parts are in the order of their first members.
func Grouped[T any, K comparable](list []T, key func(T) K) [][]T {
	var parts [][]T
	at := map[K]int{}
	for _, item := range list {
		k := key(item)
		i, ok := at[k]
		if !ok {
			i, at[k] = len(parts), len(parts)
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], item)
	}
	return parts
}

// InOther is [InNamespace] for a sentence about home: empty if the namespace is home.
func InOther(namespace, home string) string {
	if namespace == home {
		return ""
	}
	return InNamespace(namespace)
}

// InNamespace returns " in namespace NAME", empty without a name.
func InNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// Suggestion returns the end of a sentence that names the closest names, empty without any.
func Suggestion(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; the nearest name is " + names[0]
	}
	return "; the nearest names are " + strings.Join(names, ", ")
}

// Clip shortens a text to a limit in bytes, at a rune boundary, and marks that with "...": before
// a word that does not fit, or within one that is long.
func Clip(s string, limit int) string {
	const mark = "..."
	if len(s) <= limit {
		return s
	}
	cut := limit - len(mark)
	if space := strings.LastIndexByte(s[:cut], ' ') + 1; space > cut-cut/longWord {
		return s[:space] + mark
	}
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + mark
}

// longWord is which part of a text a word is that is cut.
const longWord = 8

// OneLine joins the words of a message by single spaces. The message is a stranger's: no
// part of it may pass for a line of ours.
func OneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// snippetLine begins the lines that show a place in a rule, see package constraints.
const snippetLine = "  | "

// Unbroken joins the lines of a sentence whose names may have line breaks. Lines that show a
// place in a rule stay lines, and a line after them gets their mark.
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

// breaksLine reports whether a character ends a line.
func breaksLine(c rune) bool {
	switch c {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// APIName returns the name of an API, or of a kind if there is no version.
func APIName(api properties.GVK) string {
	if api.Version == "" {
		return api.Kind + "." + api.Group
	}
	return api.String()
}

// APIText describes an API for people, or a kind if there is no version.
func APIText(api properties.GVK) string {
	if api.Version == "" {
		return APIName(api)
	}
	return api.Describe()
}

// Shortened leaves out of what a stranger states what tells least, if it is longer than so many bytes:
// clauses that are repeated, then the middle of what leads to its end. There errors have their cause,
// of which who cannot do what stays.
func Shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = strings.Join(slices.Compact(strings.Split(text, ": ")), ": ")
	from, to := limit*2/5, len(text)-limit*3/5
	if who := strings.Index(text, ` User "`); who >= from && who < to && len(text)-who < limit {
		to = who
	}
	if len(text) <= limit {
		return text
	}
	from = strings.LastIndexByte(text[:from], ' ')
	space := strings.IndexByte(text[to:], ' ')
	if from < 0 || space < 0 {
		return Clip(text, limit)
	}
	return text[:from] + " ..." + text[to+space:]
}

// MaxLikewise bounds the APIs, packages or rules of merged causes that a sentence names, to what a
// reader takes in.
const MaxLikewise = 2

// maxStated is about what is left, in bytes, of what OLM states.
const maxStated = 260

// Stated returns what OLM states on one line, shortened if it is long.
func Stated(text string) string { return Shortened(OneLine(text), maxStated) }
