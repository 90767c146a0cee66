package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// String returns the derivation as an indented tree of at most MaxExplanation bytes, empty if
// it is nil.
func (e *Explanation) String() string {
	if e == nil {
		return ""
	}
	w := treeWriter{printed: map[*Explanation]bool{}, stated: map[*Explanation]bool{}}
	w.heads(e)
	w.line(0, e.Text())
	if !w.onlyRequest(e) {
		w.children(e, 1)
	}
	return words.Clip(w.b.String(), MaxExplanation)
}

// onlyRequest reports whether below the head there is only a single request without
// candidates, which adds nothing.
func (w *treeWriter) onlyRequest(e *Explanation) bool {
	if len(e.Because) != 1 || len(w.stated) == 0 {
		return false
	}
	first := e.Because[0]
	switch first.Reason.Kind() {
	case words.KindOfSubscription, words.KindOfExtension, words.KindHold:
		return len(first.Bundles) == 0 && len(w.visible(first)) == 0
	}
	return false
}

type treeWriter struct {
	b       strings.Builder
	printed map[*Explanation]bool
	stated  map[*Explanation]bool // by the head
}

// heads notes the facts that a node states already, if it is the head of a derivation.
func (w *treeWriter) heads(e *Explanation) {
	if e.Reason.code == words.Conflict {
		_, facts := e.Reason.args.Conflict.causes()
		maps.Copy(w.stated, facts)
	}
}

// visible returns the children that get a line. A child that the parent or the head states
// already gets none, unless it has visible children.
func (w *treeWriter) visible(e *Explanation) []*Explanation {
	return slices.DeleteFunc(slices.Clone(e.Because), func(c *Explanation) bool {
		switch c.Reason.code {
		case words.CanSatisfy, words.SamePackage: // the reader knows these bundles already
			return len(w.visible(c)) == 0
		}
		if c.Stated || c.Reason.Kind() == words.KindAsked && len(w.visible(c)) == 0 {
			return true
		}
		return w.stated[c] && e.Reason.Kind() != words.KindPart && len(w.visible(c)) == 0
	})
}

func (w *treeWriter) line(depth int, text string) {
	indent := strings.Repeat("  ", depth)
	w.b.WriteString(indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
}

func (w *treeWriter) children(e *Explanation, depth int) {
	visible := w.visible(e)
	for i, child := range visible {
		if w.b.Len() > MaxExplanation {
			return // the rest is clipped anyway
		}
		if i >= maxSiblings && i+1 < len(visible) {
			w.line(depth, fmt.Sprintf("... and %d more", len(visible)-i))
			return
		}
		if w.printed[child] {
			w.line(depth, words.Unbroken(child.Text())+" (see above)")
			continue
		}
		w.printed[child] = true
		w.heads(child)
		w.line(depth, words.Unbroken(child.Text()))
		w.children(child, depth+1)
	}
}
