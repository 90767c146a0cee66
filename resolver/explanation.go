package resolver

import "strings"

// MaxSummary is the length limit of a summary line in bytes; MaxExplanation
// that of a whole explanation, which a Kubernetes condition must hold.
const (
	MaxSummary     = 200
	MaxExplanation = 32 << 10
)

// Explanation is a derivation: inner nodes follow from their children, leaves
// are input facts.
type Explanation struct {
	// Reason is set on leaves.
	Reason *Reason
	// Text states the node in one sentence.
	Text string
	// Because holds the facts that it follows from.
	Because []*Explanation
}

// Summary is the head of the explanation as one line of at most MaxSummary
// bytes.
func (e *Explanation) Summary() string { return clip(e.Text, MaxSummary) }

// String prints the whole derivation as an indented tree of at most
// MaxExplanation bytes.
func (e *Explanation) String() string {
	var b strings.Builder
	e.print(&b, "")
	return clip(b.String(), MaxExplanation)
}

func (e *Explanation) print(b *strings.Builder, indent string) {
	b.WriteString(indent)
	b.WriteString(e.Text)
	b.WriteByte('\n')
	for _, child := range e.Because {
		child.print(b, indent+"  ")
	}
}

// clip shortens a text to a limit in bytes, at a rune boundary.
func clip(s string, limit int) string {
	const mark = "..."
	if len(s) <= limit {
		return s
	}
	cut := limit - len(mark)
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + mark
}
