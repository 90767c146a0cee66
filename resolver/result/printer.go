package result

import (
	"fmt"
	"strings"
)

// Printer turns a failure into the text that people read. It must be safe for
// concurrent use.
type Printer interface {
	Print(e *NotSatisfiable) string
}

// TreePrinter is the default Printer: two lines that say who and what are in
// conflict, the derivation as an indented tree in which a shared cause is told
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
	if len(e.Fixes) > 0 {
		tail.WriteString("\nWhat would help (each was tried, and works):\n")
		for _, f := range e.Fixes {
			tail.WriteString("  - " + f.Text + "\n")
		}
	}
	if len(e.Fixes) == 0 && e.Searched {
		tail.WriteString("\nNo change that was tried would help.\n")
	}
	// What helps is worth more than the end of a long derivation.
	return Clip(b.String(), MaxExplanation-tail.Len()) + tail.String()
}

// ProceedText says in a sentence without which requests the others could
// proceed; it is empty if none could.
func (e *NotSatisfiable) ProceedText() string {
	if len(e.Blocking) == 0 || len(e.Proceeding) == 0 {
		return ""
	}
	names := make([]string, len(e.Blocking))
	for i, s := range e.Blocking {
		names[i] = s.Subscription + InNamespace(s.Namespace)
	}
	others := "the other Subscription"
	if n := len(e.Proceeding); n > 1 {
		others = "the other " + Count(n, "Subscription")
	}
	return Unbroken("Without Subscription" + Plural(len(names)) + " " + Listed(names, MaxNamed) + ", " + others + " can proceed.")
}

// Derivation prints a derivation as text of at most MaxExplanation bytes.
func (t TreePrinter) Derivation(e *Explanation) string {
	if e == nil {
		return ""
	}
	w := treeWriter{told: map[*Explanation]bool{}}
	w.line(0, e.Text)
	if !onlyRepeats(e) {
		w.children(e, 1)
	}
	return Clip(w.b.String(), MaxExplanation)
}

// onlyRepeats reports whether the tree has nothing to add to its head: a single
// request and a single fact about it, which the head states.
func onlyRepeats(e *Explanation) bool {
	if len(e.Because) != 1 {
		return false
	}
	var facts []*Explanation
	for _, child := range e.Because[0].Because {
		if !child.Stated {
			facts = append(facts, child)
		}
	}
	return len(facts) == 1 && len(facts[0].Because) == 0 && strings.HasSuffix(e.Text, facts[0].Text)
}

type treeWriter struct {
	b    strings.Builder
	told map[*Explanation]bool
}

func (w *treeWriter) line(depth int, text string) {
	indent := strings.Repeat("  ", depth)
	w.b.WriteString(indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
}

// maxSiblings is how many facts about one thing the printer tells.
const maxSiblings = 12

func (w *treeWriter) children(e *Explanation, depth int) {
	told := 0
	for i, child := range e.Because {
		if w.b.Len() > MaxExplanation {
			return // the rest is cut off anyway
		}
		if child.Stated {
			continue
		}
		if told++; told > maxSiblings && i+1 < len(e.Because) {
			w.line(depth, fmt.Sprintf("... and %d more", len(e.Because)-i))
			return
		}
		if w.told[child] {
			w.line(depth, Unbroken(child.Text)+" (see above)")
			continue
		}
		w.told[child] = true
		w.line(depth, Unbroken(child.Text))
		w.children(child, depth+1)
	}
}
