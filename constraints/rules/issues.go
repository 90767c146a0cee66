package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// undeclaredError is the error of a rule that reads what its Environment does not declare.
type undeclaredError struct{ error }

func (undeclaredError) Undeclared() {}

// issuesError returns the faults of a rule, nil if there are none. It shows the line of each,
// with a caret under the place, and the first hint below.
func issuesError(source string, faults []*cel.Error, hint func(*cel.Error) (text string, undeclared bool)) error {
	if len(faults) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("the rule does not compile: ")
	for i, fault := range faults {
		if i > 0 {
			b.WriteString("\n  | ")
		}
		if i == maxIssuesShown {
			fmt.Fprintf(&b, "and %d more", len(faults)-i)
			break
		}
		message, _, _ := strings.Cut(strings.TrimSuffix(fault.Message, " (in container '')"), " expecting {") // all tokens of CEL
		b.WriteString(cut(onOneLine(message), maxMessageShown))
		b.WriteString(snippet(source, fault.Location))
	}
	undeclared := false
	for _, fault := range faults {
		var helps string
		if helps, undeclared = hint(fault); helps != "" {
			b.WriteString(onLine(helps))
			break
		}
	}
	for _, fault := range faults {
		// cel-go gives these faults no type.
		switch {
		case strings.Contains(fault.Message, "expression recursion limit exceeded"):
			return overLimit("RuleRecursion", "%s", b.String())
		case strings.Contains(fault.Message, "expression count exceeds limit"):
			return overLimit("RuleNodes", "%s", b.String())
		}
	}
	if undeclared {
		return undeclaredError{errors.New(b.String())}
	}
	return errors.New(b.String())
}

// onLine puts a hint on a line of its own, below the source.
func onLine(hint string) string {
	if hint == "" {
		return ""
	}
	return "\n  | " + hint
}

// snippet shows a place of the source on lines of its own. Without such a place it is
// empty. Columns count characters from 0, lines from 1.
func snippet(source string, place common.Location) string {
	if place == nil {
		return ""
	}
	lines := strings.Split(source, "\n")
	if place.Line() < 1 || place.Line() > len(lines) {
		return ""
	}
	// Blanks keep the caret in its column, whatever the width of a tab.
	line := []rune(strings.NewReplacer("\t", " ", "\r", " ").Replace(lines[place.Line()-1]))
	column := min(max(place.Column(), 0), len(line))
	// Of a long line, only the part around the place is shown.
	from := max(0, min(column-maxLineShown/2, len(line)-maxLineShown))
	to := min(len(line), from+maxLineShown)
	return fmt.Sprintf(" (line %d, column %d)\n  | %s\n  | %s^",
		place.Line(), column+1, string(line[from:to]), strings.Repeat(" ", column-from))
}
