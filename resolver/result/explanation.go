package result

import (
	"fmt"
	"iter"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Explanation is a derivation: leaves are input facts, inner nodes follow from their
// children. It is plain data. Nodes may be shared: it is a graph without cycles.
type Explanation struct {
	// Reason is what the node states; if it is about many bundles, the reason of the first.
	Reason Reason
	// Fact is true for a leaf: an input fact.
	Fact bool
	// Stated is true for a leaf that the text of its parent states already.
	Stated bool
	// Core is true for a member of a minimal set of facts that cannot hold together. Other
	// leaves are facts about the catalogs that explain a member.
	Core bool
	// Bundles are the bundles that the node is about, in order of preference. Bundles that
	// fail for the same reason share a node.
	Bundles []BundleRef
	// All is true if these are all bundles of the package in question.
	All bool
	// More is the number of further facts like this one that are left out.
	More int
	// Because are the nodes that this one follows from.
	Because []*Explanation
}

// BundleRef identifies a bundle in results.
type BundleRef struct {
	// Namespace is set if several namespaces are resolved jointly: the bundle is or would be
	// installed there.
	Namespace string
	Bundle    catalog.BundleKey
	Version   semver.Version
	Installed bool
}

// String returns the bundle, and the namespace if it is set.
func (b BundleRef) String() string { return b.Bundle.String() + words.InNamespace(b.Namespace) }

// Text returns the sentence of the node. That of the head of a derivation has two parts, each
// on lines of its own: the demands that cannot hold together, and the causes.
func (e *Explanation) Text() string {
	text := e.Reason.words(e.subject())
	if e.More > 0 {
		text += fmt.Sprintf(" (and %d more)", e.More)
	}
	return text
}

// Cause returns the text of the node without its subject, if the node states why bundles are
// not selected or not the best.
func (e *Explanation) Cause() string {
	switch e.Reason.code {
	case words.Conflict:
		return e.Reason.args.Conflict.cause("; ")
	case words.BelowHead:
		return e.Reason.row("why")
	}
	return e.Text()
}

// Key is the same for nodes of which Cause says the same. It is empty for the head of a
// derivation.
func (e *Explanation) Key() (key string) {
	switch e.Reason.code {
	case words.Conflict:
		return ""
	case words.BelowHead:
		for _, r := range e.Reason.Because() {
			key += r.Key()
		}
		return key
	}
	return e.Reason.Key()
}

// aboutBundles is the key of the node's reason and bundles.
func (e *Explanation) aboutBundles() string { return e.Reason.Key() + " " + bundlesKey(e.Bundles) }

// bundlesKey is the same for lists of the same bundles.
func bundlesKey(list []BundleRef) string {
	return fmt.Sprint(words.Mapped(list, func(b BundleRef) string {
		return fmt.Sprintf("%q %q %q %q %t", b.Namespace, b.Bundle.Catalog, b.Bundle.Package, b.Bundle.Name, b.Installed)
	}))
}

// ends returns the facts that end the derivation, nil unless the node is its head.
func (e *Explanation) ends() []ConflictCause {
	if e.Reason.code != words.Conflict {
		return nil
	}
	return e.Reason.args.Conflict.Causes
}

// requires returns the beginning of a sentence about what the bundles of the node require.
func (e *Explanation) requires() string {
	s := e.subject()
	return s.text + words.Verb(s.n, " requires ", " require ")
}

// Named returns the bundles of the node in a few words.
func (e *Explanation) Named() string { return describeBundles(e.Bundles, false) }

// subject returns the subject of the node's sentence.
func (e *Explanation) subject() subject {
	if len(e.Bundles) == 0 || e.Reason.Args().Count > 0 { // the bundles are chosen for the reason
		return e.Reason.subject()
	}
	newest := slices.MaxFunc(e.Bundles, func(a, b BundleRef) int { return a.Version.Compare(b.Version) }).Version
	return subject{text: describeBundles(e.Bundles, e.All), none: noneOf(e.Bundles), newest: &newest, n: len(names(e.Bundles)), short: true}
}

// Leaves walks the input facts of the derivation, each once: the number of paths to a shared
// node can double with each level.
func (e *Explanation) Leaves() iter.Seq[*Explanation] {
	return func(yield func(*Explanation) bool) {
		e.nodes(func(node *Explanation) bool { return !node.Fact || yield(node) })
	}
}

// nodes yields the nodes of the derivation, each once.
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
