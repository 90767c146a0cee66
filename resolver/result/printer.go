package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Report is the whole text for people, of at most MaxExplanation bytes: lines that
// say who and what are in conflict, the derivation as an indented tree in which a shared
// cause is printed once, and what would help.
func (e *NotSatisfiable) Report() string {
	var tail strings.Builder
	gap := "\n"
	section := func(title string, texts []string) {
		if len(texts) > 0 {
			tail.WriteString(gap + title + ":\n")
		}
		for _, text := range texts {
			tail.WriteString("  - " + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
		}
	}
	causes := e.Texts()
	section("Also", causes[1:])
	if text := e.ProceedText(); text != "" {
		tail.WriteString("\n" + text + "\n")
	}
	section("What is missing (add a catalog that has it)", e.MissingTexts())
	for _, s := range e.Sections() {
		section(s.Title, s.Texts)
		gap = "" // all of them are about what would help
	}
	gap = "\n"
	section("What options of the call would do", fixes.Texts(e.Options, e.Home))
	if len(e.Fixes) == 0 && (e.Search == fixes.SearchComplete || e.Search == fixes.SearchLimit) {
		tail.WriteString("\nNo change that was tried would help.\n")
	}
	if text := e.Search.CutOff(); text != "" {
		tail.WriteString("\n" + text + ".\n")
	}
	// What helps is worth more than the end of a long derivation.
	return words.Clip(causes[0]+"\n", MaxExplanation-tail.Len()) + tail.String()
}

// String prints the derivation as text of at most MaxExplanation bytes, nothing if it is
// nil.
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

// onlyRequest reports whether the tree has nothing to add to its head but a single
// request that names what is not there.
func (w *treeWriter) onlyRequest(e *Explanation) bool {
	if len(e.Because) != 1 || len(w.stated) == 0 {
		return false
	}
	first := e.Because[0]
	switch first.Reason.Kind() {
	case ReasonSubscription, ReasonExtension, ReasonHold:
		return len(first.Bundles) == 0 && len(w.visible(first)) == 0
	}
	return false
}

type treeWriter struct {
	b       strings.Builder
	printed map[*Explanation]bool
	stated  map[*Explanation]bool // by the head
}

// heads notes what a node states of the facts below it, if it heads a derivation.
func (w *treeWriter) heads(e *Explanation) {
	if e.Reason.code == code.Conflict {
		_, facts := e.Reason.args.Conflict.causes()
		maps.Copy(w.stated, facts)
	}
}

// visible are the children that have a line: what the parent or the head states and
// nothing follows from has none.
func (w *treeWriter) visible(e *Explanation) []*Explanation {
	return slices.DeleteFunc(slices.Clone(e.Because), func(c *Explanation) bool {
		switch c.Reason.code {
		case code.CanSatisfy, code.SamePackage: // which bundles these are is no news
			return len(w.visible(c)) == 0
		}
		if c.Stated || c.Reason.Kind() == reasonAsked && len(w.visible(c)) == 0 {
			return true
		}
		return w.stated[c] && e.Reason.Kind() != reasonPart && len(w.visible(c)) == 0
	})
}

func (w *treeWriter) line(depth int, text string) {
	indent := strings.Repeat("  ", depth)
	w.b.WriteString(indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
}

// maxSiblings is how many facts about one thing the printer shows.
const maxSiblings = 12

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
