package rules

import (
	"cmp"
	"fmt"
)

// The limits that no field of [Limits] sets.
const (
	// maxVersionLength bounds the versions that rules compare, in bytes: each is parsed.
	maxVersionLength = 1 << 10
	// maxCompared is how many values one comparison may walk. It keeps every step short,
	// because the context is checked only between steps.
	maxCompared = 20_000
	// checkedAfter is the number of units, of some 50 ns, between two checks of the context.
	checkedAfter = 10_000
	// maxRegexTextLength bounds the text of a regular expression in bytes, before it is parsed.
	maxRegexTextLength = 4 << 10

	// The limits of caches, in entries and bytes of text. A rule takes far more memory than its
	// text, and so does a regular expression.

	maxRangesKept     = 1 << 14
	maxRangeBytesKept = 1 << 20
	maxRulesKept      = 1 << 10
	maxRuleBytesKept  = 1 << 18
	maxRegexesKept    = 1 << 8
	maxRegexBytesKept = 1 << 16

	// The limits of sentences about a rule, to what a reader takes in.

	// maxIssuesShown bounds the faults of a rule. The others are counted.
	maxIssuesShown = 3
	// maxMessageShown bounds the message of a fault in bytes.
	maxMessageShown = 300
	// maxLineShown bounds the line with the caret in characters.
	maxLineShown = 100
	// maxFailureShown bounds the message of a failure in bytes: it quotes a value of the bundle.
	maxFailureShown = 500
	// maxRuleShown bounds a rule in a sentence, in bytes.
	maxRuleShown = 200
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
