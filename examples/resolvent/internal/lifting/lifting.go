// Package lifting prints why choices are below their heads, and what lifts them.
package lifting

import (
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
)

// Limits of what the text shows of a choice. JSON has all.
const (
	maxLiftsShown   = 3
	maxBlockedShown = 6
)

// Write prints why choices are below their heads, and what lifts them, if asked to.
func Write(p *terminal.Page, all []result.Outcome, lifts outcomes.Lifts, asked bool) {
	if !asked {
		return
	}
	p.Each(len(all), "scope", func(i int) bool {
		for n, l := range lifts.Of(&all[i]) {
			if n == 0 {
				terminal.Printf(&p.Buffer, "\n%s\n", p.Bold("Why not newer, in "+outcomes.Title(all[i].Scope)))
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
		add("    ", "lifted by: "+f.Text(l.Help.Home))
	}
	options := overview.OptionTexts(&l.Help, nil, nil)
	for _, text := range options {
		add("    ", "lifted by: "+text)
	}
	if len(l.Help.Fixes)+len(options) == 0 {
		add("    ", "no change of the cluster's objects that was tried lifts it")
	}
	for _, o := range l.Help.Others[:min(len(l.Help.Others), maxLiftsShown)] {
		add("    ", "others can: "+o.Text(l.Help.Home))
	}
	for _, b := range l.Blocked[:min(len(l.Blocked), maxBlockedShown)] {
		line := "not by this alone: " + fixes.TextOf([]fixes.Change{b.Change}, l.Help.Home)
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
