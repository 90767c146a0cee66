package resolver

import (
	"github.com/resolvent/resolvent/cache/catalog"
)

// MaxSummary is the length limit of a summary line in bytes; MaxExplanation
// that of a whole explanation, which a Kubernetes condition must hold.
const (
	MaxSummary     = 200
	MaxExplanation = 32 << 10
)

// Explanation is a derivation: leaves are input facts, inner nodes follow from
// their children. It is plain data; a Printer turns it into text.
type Explanation struct {
	// Reason is the input fact that a leaf states, nil on inner nodes.
	Reason *Reason
	// Text states the node in one sentence. That of the root has two lines: who
	// cannot have what they ask for, and the cause.
	Text string
	// Bundles are those that the node speaks of, in order of preference. Those
	// that fail for the same reason share one node.
	Bundles []BundleRef
	// Stated marks a leaf that the text of its parent says already.
	Stated bool
	// Core marks what belongs to a minimal set of facts that cannot hold
	// together. The other leaves are facts about the catalogs that explain a
	// member of it.
	Core bool
	// Because holds the facts that the node follows from.
	Because []*Explanation
}

// BundleRef names a bundle.
type BundleRef struct {
	// Namespace is that for which the bundle is installed or could be, where
	// several namespaces are resolved jointly.
	Namespace string

	Name    string
	Package string
	Version string
	// Catalog is empty for an installed bundle.
	Catalog   catalog.Key
	Installed bool
}

// Summary is the head of the explanation as one line of at most MaxSummary
// bytes.
func (e *Explanation) Summary() string { return e.line(MaxSummary) }

// line is the head as one line of at most limit bytes.
func (e *Explanation) line(limit int) string {
	return clip(oneLine(e.Text), limit)
}

// String prints the derivation with the TreePrinter.
func (e *Explanation) String() string { return TreePrinter{}.Derivation(e) }

// Leaves walks the input facts of the derivation, each once. What a derivation
// shares stands in many places, whose number can double with each level.
func (e *Explanation) Leaves(yield func(*Explanation) bool) {
	e.leaves(map[*Explanation]bool{}, yield)
}

func (e *Explanation) leaves(seen map[*Explanation]bool, yield func(*Explanation) bool) bool {
	if seen[e] {
		return true
	}
	seen[e] = true
	if e.Reason != nil && !yield(e) {
		return false
	}
	for _, child := range e.Because {
		if !child.leaves(seen, yield) {
			return false
		}
	}
	return true
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
