package outcomes

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	picture "github.com/resolvent/resolvent/resolver/graph"

	"github.com/resolvent/resolvent/resolver/result"
)

// BundleAnswer is why a bundle is, or is not, in one answer.
type BundleAnswer struct {
	Scope       cluster.Scope
	Explanation *result.Explanation
	Err         error
}

// writeExplanation prints a derivation; its head is bold.
func writeExplanation(w io.Writer, e *result.Explanation, indent string, s terminal.Style) {
	head := strings.Count(e.Text(), "\n") + 1
	for i, line := range strings.Split(strings.TrimSuffix(e.String(), "\n"), "\n") {
		if i < head {
			line = s.Bold(line)
		}
		terminal.Printf(w, "%s%s\n", indent, line)
	}
}

// Justified are the reasons of all choices of one outcome.
type Justified struct {
	Scope cluster.Scope
	List  []result.Justification
}

// WriteWhy prints why each bundle was chosen, and why not a better one.
func WriteWhy(w *bytes.Buffer, reasons []Justified, s terminal.Style) {
	for _, j := range reasons {
		terminal.Printf(w, "\n%s\n", s.Bold("Why, in "+Title(j.Scope)))
		for _, choice := range j.List {
			// The steps before the last one are those of the bundles above.
			terminal.Printf(w, "  %s\n", choice.Bundle.Bundle.Name)
			if n := len(choice.Why.Because); n > 0 {
				terminal.Printf(w, "    %s\n", terminal.Flat(choice.Why.Because[n-1].Text()))
			}
			for _, better := range choice.Better {
				terminal.Printf(w, "    %s\n", s.Notice("not "+names(better.Bundles)+", which would be preferred:"))
				writeExplanation(w, better.Why, "      ", terminal.Style{})
			}
		}
	}
}

// names shortens a list of bundles.
func names(list []result.BundleRef) string {
	switch n := len(list); {
	case n == 1:
		return list[0].Bundle.Name
	case n == 2:
		return list[0].Bundle.Name + " or " + list[1].Bundle.Name
	default:
		return fmt.Sprintf("%s or %d more up to %s", list[0].Bundle.Name, n-2, list[n-1].Bundle.Name)
	}
}

// WriteAnswers prints the answers about a bundle.
func WriteAnswers(w *bytes.Buffer, answers []BundleAnswer, output string, s terminal.Style) error {
	var report explanationsJSON
	var pictures picture.Drawing
	for i, a := range answers {
		if output == terminal.OutputText && i > 0 {
			w.WriteByte('\n')
		}
		o := result.Outcome{Scope: a.Scope, Err: a.Err}
		switch {
		case output == terminal.OutputJSON:
			report.Answers = append(report.Answers, answerToJSON(a))
		case a.Err != nil && output == terminal.OutputText:
			WriteText(w, []result.Outcome{o}, s)
		case output == terminal.OutputText:
			writeExplanation(w, a.Explanation, "", s)
		case a.Err != nil:
			pictures = append(pictures, picture.Frame{Title: Title(a.Scope), Graph: pictureOf(o)})
		default:
			pictures = append(pictures, picture.Frame{Title: Title(a.Scope), Graph: picture.OfExplanation(a.Explanation)})
		}
	}
	switch output {
	case terminal.OutputJSON:
		return terminal.Encode(w, report)
	case terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG:
		return WriteDrawing(w, pictures, output)
	}
	return nil
}
