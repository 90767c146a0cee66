// Package outcomes prints what the resolver answers, as text, JSON, manifests and
// pictures. It decides nothing, and asks again where a fix or advice needs that.
package outcomes

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// WriteText prints the outcomes for people, what failed first.
func WriteText(p *terminal.Page, outcomes []result.Outcome, view View) {
	list := toShow(outcomes)
	slices.SortStableFunc(list, func(a, b shown) int { return terminal.TrueFirst(a.Err != nil, b.Err != nil) })
	view.numbers = numbersOf(Helps(outcomes))
	p.Each(len(list), "result", func(i int) bool {
		if i > 0 {
			p.WriteByte('\n')
		}
		writeOutcome(&p.Buffer, list[i], view, p.Style)
		return true
	})
}

func writeOutcome(w *bytes.Buffer, o shown, view View, s terminal.Style) {
	if o.Err == nil {
		view.writeResolution(w, o.Outcome, s)
		return
	}
	terminal.Printf(w, "%s %s\n", s.Bold(o.title+":"), s.Bad(resultWord(o.Outcome)))
	heading := 1
	if view.own != nil {
		parts := []string{"Without what fails", view.own.Text()}
		if len(view.own.Because) > 0 && view.own.Reason.Code() != "isSelected" {
			parts = append(parts, view.own.Because[0].Text())
		}
		own := terminal.Line(terminal.Flat(strings.Join(parts, ": ")))
		w.WriteString(own + "\n")
		heading += 1 + len(own)/columns
	}
	view.writeFailure(w, o.Err, heading, s)
	if denied, ok := errors.AsType[*result.Denied](o.Err); ok {
		if answer := denied.Of(o.Scope); answer != nil {
			writeAnswer(w, answer, s)
		}
	}
}

// columns are those of which text.Limits count lines.
const columns = 100

// Helps are what helps against failures, each in its place.
func Helps(outcomes []result.Outcome) []*result.Help {
	return terminal.Mapped(outcomes, func(o result.Outcome) *result.Help { return result.HelpOf(o.Err) })
}

// resultWord heads the answer about a scope that has none.
func resultWord(o result.Outcome) string {
	if e, ok := errors.AsType[*result.CatalogsUnhealthy](o.Err); ok && e.NotGiven() {
		return "not judged: a catalog is missing"
	}
	if _, unknown := errors.AsType[*result.UnknownBundle](o.Err); unknown {
		return "no such bundle"
	}
	return ResultWords[o.Result()]
}

// ResultWords head the answers for people.
var ResultWords = map[result.Result]string{
	result.Resolved:           "resolved",
	result.ResultUnsatisfied:  "cannot be resolved",
	result.ResultUnhealthy:    "not resolved: a catalog is unhealthy",
	result.ResultInvalidInput: "not resolved: its objects do not allow it",
	result.ResultAmbiguous:    "not resolved: several catalogs offer the package",
	result.ResultDenied:       "resolves, but a policy denies the answer",
	result.ResultIncomplete:   "not finished",
	result.ResultInternal:     "not resolved, because of an internal error",
}

func (v View) writeResolution(w *bytes.Buffer, o result.Outcome, s terminal.Style) {
	r := o.Resolution
	refused, stuck := r.Refused(), slices.Clone(v.Stuck[o.Scope])
	stuck = slices.DeleteFunc(stuck, func(name string) bool { return slices.Contains(refused, name) })
	approval := ""
	if r.Manual() && len(r.Installs) > 0 {
		approval = " after manual approval"
		if len(r.ManualFor) > 0 {
			approval += fmt.Sprintf(" (installPlanApproval of %s is Manual)", terminal.Few(terminal.Mapped(r.ManualFor, cluster.RequestKey.String)))
		}
	}
	title, count := s.Bold(Title(o.Scope)+":"), terminal.Count(len(r.Installs), "bundle")
	var but []string
	if n := len(refused); n > 0 {
		but = append(but, fmt.Sprintf("would refuse %d", n))
	}
	if n := len(stuck); n > 0 {
		but = append(but, fmt.Sprintf("does not install %d yet", n))
	}
	if len(but) > 0 {
		terminal.Printf(w, "%s %s%s, but OLM %s\n", title, s.Notice("resolves to "+count), approval, strings.Join(but, ", and "))
	} else {
		terminal.Printf(w, "%s %s, %s to install%s\n", title, s.Good(ResultWords[o.Result()]), count, approval)
	}
	writeAnswer(w, r, s)
	if r.Fails() || len(stuck) > 0 {
		w.WriteString("\nWhat to do first: run status with the same -f and --catalog\n")
	}
}

// writeAnswer prints what an answer brings.
func writeAnswer(w *bytes.Buffer, r *result.Resolution, s terminal.Style) {
	if len(r.Installs) > 0 {
		w.WriteString("\n")
		writeTable(w, r, s)
	}
	if tree := dependencyTree(r); tree != "" {
		w.WriteString("\n" + s.Bold("Dependencies") + "\n" + tree)
	}
	terminal.Section(w, s.Bold("Kept"), terminal.Mapped(r.Kept, func(k result.Kept) string { return k.Bundle.Name }))
	terminal.Section(w, s.Bold("Replaced"), r.Replaced)
	terminal.Section(w, s.Bold("No longer needed"), r.Unneeded)
	terminal.Section(w, s.Notice("Left out"), terminal.Mapped(r.LeftOut, func(l result.LeftOut) terminal.Lines {
		return terminal.Named(l.Request.String(), l.Err)
	}))
	terminal.Section(w, s.Notice("Warnings"), terminal.Mapped(r.Warnings, func(x result.Reason) string {
		message := x.Message()
		if strings.Contains(message, x.Args().Subject) {
			return message
		}
		return x.Args().Subject + ": " + message
	}))
	if r.LacksRights() {
		w.WriteString("\n" + roles + "\n")
	}
}

// roles says how to get the roles that are missing.
const roles = "For roles with just the rights that are missing, run this again with -o yaml"

// writeTable lists what is installed, and what that replaces if anything is replaced.
func writeTable(w *bytes.Buffer, r *result.Resolution, s terminal.Style) {
	t := terminal.Table{Optional: []string{"REPLACES"}, Falling: []string{"CATALOG", "PACKAGE", "CHANNEL", "REPLACES"}}
	t.Row("BUNDLE", "PACKAGE", "VERSION", "CHANNEL", "CATALOG", "REPLACES", "WHY")
	for _, i := range r.Installs {
		replaced := ""
		if slices.Contains(r.Replaced, i.Replaces) {
			replaced = i.Replaces
		}
		t.Row(i.Bundle.Name, i.Bundle.Package, i.Version.String(), i.Channel, i.Bundle.Catalog.String(), replaced, why(i.For))
	}
	t.Write(w, s)
}

// why names the first thing that a bundle serves, and how many more there are.
func why(served []result.Obligation) string {
	if len(served) == 0 {
		return ""
	}
	text := describeServed(served[0])
	if more := len(served) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func describeServed(s result.Obligation) string {
	switch {
	case s.Request.Name != "":
		return s.Request.String()
	case s.Namespace != "":
		return "for " + s.Bundle + " in namespace " + s.Namespace
	}
	return "for " + s.Bundle
}
