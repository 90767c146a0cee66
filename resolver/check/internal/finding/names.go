package finding

import (
	"slices"

	"github.com/agnivade/levenshtein"
)

// Closest returns the names that are spelt nearly as a name, the Closest first.
func Closest(name string, names []string) []string {
	distance := func(other string) int { return levenshtein.ComputeDistance(name, other) }
	names = slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other == name || distance(other) > 1+len(name)/5 })
	slices.SortStableFunc(names, func(a, b string) int { return distance(a) - distance(b) })
	return names
}
