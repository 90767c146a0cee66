package rules

import (
	"cmp"
	"fmt"
)

// Limits bounds the cost of reading and evaluating a rule. A field that is zero or negative
// means its default.
type Limits struct {
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

// withDefaults returns the limits with the default of each that is not set.
func (l Limits) withDefaults() Limits {
	for field, value := range map[*int]int{
		&l.RangeLength: 4 << 10, &l.RegexSize: 1_000,
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

// LimitError is the error of exceeding a limit.
type LimitError struct {
	// Limit is the name of its field.
	Limit string
	// Text is the message.
	Text string
}

func (e *LimitError) Error() string { return e.Text }

func overLimit(limit, format string, args ...any) error {
	return &LimitError{limit, fmt.Sprintf(format, args...)}
}
