package finding

import (
	"maps"
	"slices"
)

// Codes returns the codes of all reasons, sorted.
func Marks() []Mark { return slices.Sorted(maps.Keys(sentences)) }
