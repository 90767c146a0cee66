package constraints

import "github.com/resolvent/resolvent/constraints/rules"

// Limits bounds the cost of reading and evaluating a constraint. A field that is zero
// or negative means its default.
type Limits struct {
	// Size is the longest value of a property, in bytes of JSON. Default 64 KiB.
	Size int
	// Depth is how deep constraints may nest; one without children has depth 1.
	// Default 32.
	Depth int
	// Limits are those of ranges and rules.
	rules.Limits
}

func (l Limits) withDefaults() Limits {
	if l.Size <= 0 {
		l.Size = 64 << 10
	}
	if l.Depth <= 0 {
		l.Depth = 32
	}
	return l
}
