package constraints

import (
	"cmp"
	"fmt"
)

// Limits bounds the cost of reading and evaluating a constraint. A field that is zero
// or negative means its default.
type Limits struct {
	// Size is the longest value of a property, in bytes of JSON. Default 64 KiB.
	Size int
	// Depth is how deep constraints may nest; one without children has depth 1.
	// Default 32.
	Depth int
	// RangeLength is the longest version range, in bytes. Default 4 KiB.
	RangeLength int
	// RuleLength is the longest CEL rule, in bytes. Default 10 KiB.
	RuleLength int
	// RuleRecursion is how deep the parser of CEL rules may descend. Default 250.
	RuleRecursion int
	// RuleNodes is how many nodes the syntax tree of a rule may have. Macros count
	// expanded, and each of their variables as what it ranges over. Default 10,000.
	RuleNodes int
	// RuleCalls is how many calls of functions and operators other than !, && and || a
	// rule may have. Checking the types of n calls takes time in proportion to n
	// squared. Default 300.
	RuleCalls int
	// RuleCost is what one evaluation of a rule on one bundle may cost, in units of
	// some 50 ns. Default 1,000,000.
	RuleCost uint64
	// RuleInput is how much a rule may read of one bundle, in bytes of memory, as
	// [properties.Set.CELSize] estimates it. Default 16 MiB.
	RuleInput int
	// RegexSize is the size of a compiled regular expression in a rule, in instructions.
	// Default 1,000.
	RegexSize int
}

func (l Limits) withDefaults() Limits {
	for field, value := range map[*int]int{
		&l.Size: 64 << 10, &l.Depth: 32, &l.RangeLength: 4 << 10, &l.RegexSize: 1_000,
		&l.RuleLength: 10 << 10, &l.RuleRecursion: 250, &l.RuleNodes: 10_000, &l.RuleCalls: 300,
		&l.RuleInput: 16 << 20,
	} {
		if *field <= 0 {
			*field = value
		}
	}
	l.RuleCost = cmp.Or(l.RuleCost, 1_000_000)
	return l
}

// limitError is the error of exceeding one of Limits.
type limitError struct {
	// Limit is the name of the field of Limits.
	Limit string
	text  string
}

func (e *limitError) Error() string { return e.text }

func overLimit(limit, format string, args ...any) error {
	return &limitError{limit, fmt.Sprintf(format, args...)}
}
