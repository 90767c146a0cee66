package result

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Printer turns a failure into the text that people read. It must be safe for
// concurrent use.
type Printer interface {
	Print(e *NotSatisfiable) string
}

// TreePrinter is the default Printer: two lines that say who and what are in
// conflict, the derivation as an indented tree in which a shared cause is printed
// once, and what would help.
type TreePrinter struct{}

// Print implements Printer.
func (t TreePrinter) Print(e *NotSatisfiable) string {
	var b strings.Builder
	b.WriteString(t.Derivation(e.Explanation))
	var tail strings.Builder
	if text := e.ProceedText(); text != "" {
		tail.WriteString("\n" + text + "\n")
	}
	if missing := e.MissingTexts(); len(missing) > 0 {
		tail.WriteString("\nWhat is missing:\n")
		for _, text := range missing {
			tail.WriteString("  - " + text + "\n")
		}
	}
	if len(e.Fixes) > 0 {
		tail.WriteString("\nWhat would help (each was tried, and works):\n")
		for _, text := range e.HelpTexts() {
			tail.WriteString("  - " + text + "\n")
		}
	}
	if len(e.Fixes) == 0 && e.Searched {
		tail.WriteString("\nNo change that was tried would help.\n")
	}
	// What helps is worth more than the end of a long derivation.
	return words.Clip(b.String(), MaxExplanation-tail.Len()) + tail.String()
}

// Derivation prints a derivation as text of at most MaxExplanation bytes.
func (t TreePrinter) Derivation(e *Explanation) string {
	if e == nil {
		return ""
	}
	w := treeWriter{printed: map[*Explanation]bool{}}
	w.line(0, e.Text())
	if !onlyRepeats(e) {
		w.children(e, 1)
	}
	return words.Clip(w.b.String(), MaxExplanation)
}

// onlyRepeats reports whether the tree has nothing to add to its head: a single
// request and a single fact about it, which the head states.
func onlyRepeats(e *Explanation) bool {
	head, ok := e.Reason.Detail.(Conflict)
	if !ok || len(e.Because) != 1 || len(head.Causes) != 1 {
		return false
	}
	for _, child := range e.Because[0].Because {
		if !child.Stated && (child != head.Causes[0].Fact || len(child.Because) > 0) {
			return false
		}
	}
	return head.Causes[0].RequiredBy == nil && head.Causes[0].Excluder == nil
}

type treeWriter struct {
	b       strings.Builder
	printed map[*Explanation]bool
}

func (w *treeWriter) line(depth int, text string) {
	indent := strings.Repeat("  ", depth)
	w.b.WriteString(indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
}

// maxSiblings is how many facts about one thing the printer shows.
const maxSiblings = 12

func (w *treeWriter) children(e *Explanation, depth int) {
	shown := 0
	for i, child := range e.Because {
		if w.b.Len() > MaxExplanation {
			return // the rest is clipped anyway
		}
		if child.Stated {
			continue
		}
		if shown++; shown > maxSiblings && i+1 < len(e.Because) {
			w.line(depth, fmt.Sprintf("... and %d more", len(e.Because)-i))
			return
		}
		if w.printed[child] {
			w.line(depth, words.Unbroken(child.Text())+" (see above)")
			continue
		}
		w.printed[child] = true
		w.line(depth, words.Unbroken(child.Text()))
		w.children(child, depth+1)
	}
}
