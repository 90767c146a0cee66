package outcomes

import (
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

// Lifts returns what lifts the choices of an outcome that are below their heads.
type Lifts func(o *result.Outcome) ([]result.Lift, error)

// Of returns what lifts the choices of an outcome that has any: for Subscriptions there is a
// warning then.
func (lifts Lifts) Of(o *result.Outcome) []result.Lift {
	if o.Resolution == nil || !o.Scope.Alone() && len(o.Resolution.Warnings) == 0 {
		return nil
	}
	list, _ := lifts(o) // without time there are none
	return list
}

// Limits of what the text shows of a choice. JSON has all.
const (
	maxLiftsShown   = 3
	maxBlockedShown = 6
)

// WriteLifts prints why choices are below their heads, and what lifts them.
func WriteLifts(p *terminal.Page, all []result.Outcome, lifts Lifts) {
	p.Each(len(all), "scope", func(i int) bool {
		for n, l := range lifts.Of(&all[i]) {
			if n == 0 {
				terminal.Printf(&p.Buffer, "\n%s\n", p.Bold("Why not newer, in "+Title(all[i].Scope)))
			}
			writeLift(p, &l)
		}
		return true
	})
}

func writeLift(p *terminal.Page, l *result.Lift) {
	add := func(indent, line string) { terminal.Printf(&p.Buffer, "%s%s\n", indent, terminal.Line(line)) }
	add("  ", l.Bundle+", not "+l.Head)
	add("    ", l.Why.Message())
	if wait := l.Help.WaitText(); wait != "" {
		add("    ", wait)
	}
	for _, f := range l.Help.Fixes[:min(len(l.Help.Fixes), maxLiftsShown)] {
		do, warnings := f.Parts(l.Help.Home)
		add("    ", "lifted by: "+f.Class.Warning()+do)
		for _, warning := range warnings {
			add("      ", "careful: "+warning)
		}
	}
	options := overview.Call{}.OptionTexts(&l.Help, nil)
	for _, option := range options {
		add("    ", "lifted by: "+option)
	}
	if len(l.Help.Fixes)+len(options) == 0 {
		add("    ", "no change that was tried lifts it")
	}
	for _, o := range l.Help.Others[:min(len(l.Help.Others), maxLiftsShown)] {
		add("    ", "needs a change by others: "+o.Text(l.Help.Home))
	}
	for _, b := range l.Blocked[:min(len(l.Blocked), maxBlockedShown)] {
		line := "not enough alone: " + b.Change.Text(l.Help.Home)
		switch {
		case b.Gets == "" && b.Why != "":
			line += "; then it fails: " + b.Why
		case b.Why != "":
			line += "; then " + b.Why
		case b.Gets != "":
			line += "; then it gets " + b.Gets
		}
		if b.With != nil {
			line += "; only with: " + b.With.Text(l.Help.Home)
		}
		add("    ", line)
	}
}
