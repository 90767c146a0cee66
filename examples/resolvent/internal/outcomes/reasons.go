package outcomes

import (
	"fmt"
	"io"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// BundleAnswer is why a bundle is, or is not, in one answer.
type BundleAnswer struct {
	Scope cluster.Scope
	*result.Justification
	Err error
	// Own is why the bundle is, or is not, in the answer without the requests that fail, nil if that is not known.
	Own *result.Explanation
}

func (a BundleAnswer) HelpOf() *result.Help {
	if a.Justification != nil {
		return &a.Help
	}
	return result.HelpOf(a.Err)
}

// writeExplanation prints a derivation, whose head is bold, and returns the number of lines.
func writeExplanation(w io.Writer, e *result.Explanation, indent string, s terminal.Style) int {
	head := strings.Count(e.Text(), "\n") + 1
	lines := strings.Split(strings.TrimSuffix(e.String(), "\n"), "\n")
	for i, line := range lines {
		if i < head {
			line = s.Bold(line)
		}
		terminal.Printf(w, "%s%s\n", indent, line)
	}
	return len(lines)
}

// Justify returns the reasons of all choices of an outcome, or why it has none.
type Justify func(o *result.Outcome) ([]result.Justification, error)

// WriteWhy prints why each bundle was chosen, and why not a better one.
func WriteWhy(p *terminal.Page, outcomes []result.Outcome, justify Justify) {
	w, s := &p.Buffer, p.Style
	p.Each(len(outcomes), "justification", func(i int) bool {
		list, err := justify(&outcomes[i])
		if err != nil {
			return result.Of(err) != result.ResultIncomplete
		}
		terminal.Printf(w, "\n%s\n", s.Bold("Why, in "+Title(outcomes[i].Scope)))
		for _, choice := range list {
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
		return true
	})
}

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
func WriteAnswers(p *terminal.Page, answers []BundleAnswer, output string, view View) error {
	view.numbers = numbersOf(terminal.Mapped(answers, BundleAnswer.HelpOf))
	if output == terminal.OutputJSON {
		return terminal.WriteJSON(p, explanationsJSON{terminal.ListOf(p, "answer", answers, view.numbers.answer)})
	}
	pictures := &graph.Drawing{}
	p.Each(len(answers), "answer", func(i int) bool {
		a := answers[i]
		if output == terminal.OutputText && i > 0 {
			p.WriteByte('\n')
		}
		o := result.Outcome{Scope: a.Scope, Err: a.Err}
		switch {
		case a.Err != nil && output == terminal.OutputText:
			view.own = a.Own
			writeOutcome(&p.Buffer, shown{o, Title(o.Scope)}, view, p.Style)
		case output == terminal.OutputText:
			lines := writeExplanation(p, a.Why, "", p.Style)
			view.write(&p.Buffer, *text.OfHelp(&a.Help), &a.Help, nil, lines, p.Style)
		case a.Err != nil:
			addPicture(pictures, Title(a.Scope), o)
		default:
			pictures.AddExplanation(Title(a.Scope), a.Why)
		}
		return true
	})
	switch output {
	case terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG:
		return WriteDrawing(p, output, pictures)
	}
	return nil
}

type explanationsJSON struct {
	Answers terminal.List[answerWith] `json:"answers"`
}

type answerWith = terminal.With[bundleAnswerJSON, *terminal.With[result.Help, helpJSON]]

type bundleAnswerJSON struct {
	// With an Error, Explanation and Derivation are of the answer without the requests that fail.
	Namespace   string              `json:"namespace,omitempty"`
	Name        string              `json:"name,omitempty"` // of a ClusterExtension
	Explanation string              `json:"explanation,omitempty"`
	Derivation  *result.Explanation `json:"derivation,omitempty"`
	Error       *errorWith          `json:"error,omitempty"`
}

func (n numbering) answer(a BundleAnswer) answerWith {
	j := answerWith{Of: bundleAnswerJSON{Namespace: a.Scope.Namespace(), Name: a.Scope.Extension(), Error: n.error(a.Err)}}
	if a.Own != nil {
		j.Of.Explanation, j.Of.Derivation = a.Own.String(), a.Own
	}
	if a.Err == nil {
		j.Of.Explanation, j.Of.Derivation = a.Why.String(), a.Why
		j.More = &terminal.With[result.Help, helpJSON]{Of: a.Help, More: n.json(&a.Help, nil)}
	}
	return j
}
