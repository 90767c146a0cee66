package result

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// MaxExplanation is the length limit of a whole explanation in bytes, which a Kubernetes
// condition must hold; maxSummary is that of a summary line.
const (
	MaxExplanation = 32 << 10
	maxSummary     = 200
)

// Explanation is a derivation: leaves are input facts, inner nodes follow from
// their children. It is plain data.
type Explanation struct {
	// Reason is what the node states. Of a node that speaks of many bundles it is
	// the reason of the first.
	Reason Reason
	// Fact marks a leaf: an input fact.
	Fact bool
	// Stated marks a leaf that its parent says already.
	Stated bool
	// Core marks what belongs to a minimal set of facts that cannot hold
	// together. The other leaves are facts about the catalogs that explain a
	// member of it.
	Core bool
	// Bundles are those that the node speaks of, in order of preference. Those
	// that fail for the same reason share one node.
	Bundles []BundleRef
	// All says that there are no other bundles of the package in question.
	All bool
	// More is how many further facts like this one are left out.
	More int
	// Because holds the facts that the node follows from.
	Because []*Explanation
}

// BundleRef names a bundle.
type BundleRef struct {
	// Namespace is that for which the bundle is installed or could be, where
	// several namespaces are resolved jointly.
	Namespace string            `json:"namespace,omitempty"`
	Bundle    catalog.BundleKey `json:",embed,inline"`
	Version   semver.Version    `json:"version"`
	Installed bool              `json:"installed"`
}

// Text states the node in one sentence. That of the head has two lines: who
// cannot have what they ask for, and the cause.
func (e *Explanation) Text() string {
	text := e.Reason.words(e.subject())
	if e.More > 0 {
		text += fmt.Sprintf(" (and %d more)", e.More)
	}
	return text
}

// Cause is the text without the bundles that it is about, where it says why these are
// not selected, or not the best.
func (e *Explanation) Cause() string {
	switch e.Reason.code {
	case code.Conflict:
		return e.Reason.args.Conflict.cause("; ")
	case code.BelowHead:
		return e.Reason.row("why")
	}
	return e.Text()
}

// ends are the facts that end the derivation that the node heads.
func (e *Explanation) ends() []ConflictCause {
	if e.Reason.code != code.Conflict {
		return nil
	}
	return e.Reason.args.Conflict.Causes
}

// requires begins a sentence about what the bundles of the node require.
func (e *Explanation) requires() string {
	s := e.subject()
	return s.text + words.Verb(s.n, " requires ", " require ")
}

// Named are the bundles of the node, in a few words.
func (e *Explanation) Named() string { return describeBundles(e.Bundles, false) }

// subject is what the sentence of the node is about.
func (e *Explanation) subject() subject {
	if len(e.Bundles) == 0 || e.Reason.Args().Count > 0 { // the bundles are what was chosen for the reason
		return e.Reason.subject()
	}
	newest := slices.MaxFunc(e.Bundles, func(a, b BundleRef) int { return a.Version.Compare(b.Version) }).Version
	return subject{text: describeBundles(e.Bundles, e.All), none: noneOf(e.Bundles), newest: &newest, n: len(names(e.Bundles)), short: true}
}

// Leaves walks the input facts of the derivation, each once. What a derivation
// shares stands in many places, whose number can double with each level.
func (e *Explanation) Leaves(yield func(*Explanation) bool) {
	e.nodes(func(node *Explanation) bool { return !node.Fact || yield(node) })
}

// nodes walks the derivation, each node once.
func (e *Explanation) nodes(yield func(*Explanation) bool) {
	e.visit(map[*Explanation]bool{}, yield)
}

func (e *Explanation) visit(seen map[*Explanation]bool, yield func(*Explanation) bool) bool {
	if seen[e] {
		return true
	}
	seen[e] = true
	if !yield(e) {
		return false
	}
	return !slices.ContainsFunc(e.Because, func(child *Explanation) bool { return !child.visit(seen, yield) })
}
