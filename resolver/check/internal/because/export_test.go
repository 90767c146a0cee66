package because

import (
	"maps"
	"slices"
)

// Codes returns the codes of all reasons, sorted.
func Codes() []Code { return slices.Sorted(maps.Keys(sentences)) }
