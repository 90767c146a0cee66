package terminal

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name closest to the one that was given, if few letters differ or
// one begins with the other; else nothing.
func Nearest(given string, names []string) string {
	const most = 255 // bytes of a name that is compared
	best, least := "", 2+len(given)/4
	for _, name := range slices.Sorted(slices.Values(names)) {
		if len(given) > most || len(name) > most {
			continue
		}
		distance := levenshtein.ComputeDistance(given, name)
		if strings.EqualFold(given, name) {
			distance = 1
		}
		if given != "" && (strings.HasPrefix(name, given) || strings.HasSuffix(name, given)) {
			distance = min(distance, 2)
		}
		if distance < least {
			best, least = name, distance
		}
	}
	return best
}

// Suggestion ends a sentence with a question for the closest name, if there is one.
func Suggestion(given string, names []string) string {
	if name := Nearest(given, names); name != "" {
		return "; did you mean " + name + "?"
	}
	return ""
}
