package command

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	picture "github.com/resolvent/resolvent/resolver/graph"

	"github.com/resolvent/resolvent/resolver/result"
)

// bundleAnswer is why a bundle is, or is not, in one answer.
type bundleAnswer struct {
	outcome     result.Outcome
	explanation *result.Explanation
}

// writeExplanation prints a derivation; its head is bold.
func writeExplanation(w io.Writer, e *result.Explanation, indent string, s style) {
	head := strings.Count(e.Text(), "\n") + 1
	for i, line := range strings.Split(strings.TrimSuffix(e.String(), "\n"), "\n") {
		if i < head {
			line = s.bold(line)
		}
		fmt.Fprintf(w, "%s%s\n", indent, line)
	}
}

// justified are the reasons of all choices of one outcome.
type justified struct {
	outcome result.Outcome
	list    []result.Justification
}

func (j *justified) of(o result.Outcome) bool {
	return j.outcome.Namespace == o.Namespace && j.outcome.Extension == o.Extension
}

// writeWhy prints why each bundle was chosen, and why not a better one.
func writeWhy(w *bytes.Buffer, reasons []justified, s style) {
	for _, j := range reasons {
		fmt.Fprintf(w, "\n%s\n", s.bold("Why, in "+title(j.outcome)))
		for _, choice := range j.list {
			// The steps before the last one are those of the bundles above.
			fmt.Fprintf(w, "  %s\n", plain(choice.Bundle.Name))
			if n := len(choice.Why.Because); n > 0 {
				fmt.Fprintf(w, "    %s\n", flat(choice.Why.Because[n-1].Text()))
			}
			for _, better := range choice.Better {
				fmt.Fprintf(w, "    %s\n", s.notice("not "+plain(names(better.Bundles))+", which would be preferred:"))
				writeExplanation(w, better.Why, "      ", style{})
			}
		}
	}
}

// names shortens a list of bundles.
func names(list []result.BundleRef) string {
	switch n := len(list); {
	case n == 1:
		return list[0].Name
	case n == 2:
		return list[0].Name + " or " + list[1].Name
	default:
		return fmt.Sprintf("%s or %d more up to %s", list[0].Name, n-2, list[n-1].Name)
	}
}

// writeAnswers prints the answers about a bundle.
func writeAnswers(w *bytes.Buffer, answers []bundleAnswer, output string, s style) error {
	var report explanationsJSON
	var pictures picture.Drawing
	for i, a := range answers {
		if output == outputText && i > 0 {
			w.WriteByte('\n')
		}
		switch {
		case output == outputJSON:
			report.Answers = append(report.Answers, answerToJSON(a))
		case a.outcome.Err != nil && output == outputText:
			writeText(w, []result.Outcome{a.outcome}, s)
		case output == outputText:
			writeExplanation(w, a.explanation, "", s)
		case a.outcome.Err != nil:
			pictures = append(pictures, picture.Frame{Title: title(a.outcome), Graph: pictureOf(a.outcome)})
		default:
			pictures = append(pictures, picture.Frame{Title: title(a.outcome), Graph: picture.OfExplanation(a.explanation)})
		}
	}
	switch output {
	case outputJSON:
		return encode(w, report)
	case outputMermaid, outputDOT:
		writeDrawing(w, pictures, output)
	}
	return nil
}
