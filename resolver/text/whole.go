package text

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// The titles that both layouts have.
const (
	titleNotGiven = "Not judged, so there is no advice"
	titleWhy      = "Why"
	titleMissing  = "What is missing (not in the given catalogs: pass the catalog of the cluster that has it, or add one to the cluster)"
	titleOthers   = "Needs a change by others"
	titleHelps    = "What would help"
	titleOptions  = "Options of the tool (nothing in the cluster)"
	titleStated   = "What OLM reports"
)

// whole is the layout without limits.
func (a *Advice) whole() []*section {
	why, also := &section{title: titleWhy}, &section{title: "Also"}
	for i, lines := range a.inWhole() {
		p := also
		if i == 0 {
			p = why
		}
		entry := words.Mapped(lines, func(line string) Line { return Line{Text: line, Follows: true} })
		entry[0].Follows = false
		p.entries = append(p.entries, entry)
	}
	stated := listed(titleStated, "", a.Stated[:min(len(a.Stated), words.MaxNamed)]...)
	if more := len(a.Stated) - len(stated.entries); more > 0 {
		stated.add("", fmt.Sprintf("and %d more", more))
	}
	order := []*section{listed(titleNotGiven, "", strings.Join(a.NotGiven, "; ")), why, also, listed("What can proceed", "", a.Proceed), listed(titleMissing, "", a.Missing...)}
	order = append(order, listed("If nothing is done", "", a.Leave), listed(titleHelps, "", a.Nothing))
	order = append(order, a.fixes()...)
	return append(order, stated, listed(titleOptions, "", a.Options...), listed("What was not searched", "", a.CutOff))
}

// fixes lays out what is missing once something is changed, what to wait for, and all fixes by class,
// with what only others can change before the last.
func (a *Advice) fixes() []*section {
	lacks := &section{title: "What is missing after a change (not in the given catalogs: pass the catalog of the cluster that has it, or add one to the cluster)"}
	helps, others := &section{title: titleHelps}, &section{title: titleOthers}
	unneeded, risky, gives := &section{title: "To give up, with nothing installed"}, &section{title: "At a risk"}, &section{title: "To give up"}
	byClass := map[result.Class]*section{result.ClassGivesUp: unneeded, result.ClassRemoves: risky, result.ClassOverrides: risky, result.ClassAbandons: gives}
	for i := range a.help.Others {
		switch o := &a.help.Others[i]; {
		case o.Missing() && len(o.After) > 0:
			lacks.entries = append(lacks.entries, []Line{{Text: o.Text(a.help.Home)}})
		case !o.Missing():
			others.entries = append(others.entries, []Line{{Text: o.Text(a.help.Home)}})
		}
	}
	if wait := a.Wait; wait != "" {
		if a.Then != "" {
			wait += ": " + a.Then
		}
		helps.entries = append(helps.entries, []Line{{Text: wait}})
	}
	for i := range a.help.Fixes {
		p := byClass[a.help.Fixes[i].Class]
		if p == nil {
			p = helps
		}
		p.entries = append(p.entries, a.inFull(i+1))
	}
	switch n := len(helps.entries); {
	case len(a.help.Wait) == 0:
		helps.title += " (each was tried here, not on the cluster)"
	case n > 1:
		helps.title += " (each but the repair was tried here, not on the cluster)"
	}
	list := []*section{lacks, helps, unneeded, risky, others, gives}
	for _, p := range list {
		p.helps = true
	}
	return list
}

// inFull returns the fix of a number: what to do and what it brings, and its warnings.
func (a *Advice) inFull(number int) []Line {
	text, warnings := a.help.Fixes[number-1].Parts(a.help.Home)
	list := []Line{{Label: fixLabel(a.before + number), Text: text, Fix: number}}
	for _, warning := range warnings {
		list = append(list, Line{Label: "warning:", Text: warning, Follows: true})
	}
	return list
}
