package rules

import "fmt"

// Verdict is the result of evaluating an expression on one bundle.
type Verdict uint8

const (
	// Unknown: the context ended first.
	Unknown Verdict = iota
	// Yes: the bundle satisfies the expression.
	Yes
	// No: the bundle does not satisfy the expression.
	No
	// Failed: a rule failed on this bundle, which therefore does not satisfy the
	// expression. The error says why.
	Failed
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	if names := [...]string{"unknown", "yes", "no", "failed"}; int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}
