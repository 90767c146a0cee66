// Package policies runs the cases of a policy, and counts what its rules deny in catalogs.
package policies

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Complete completes the action, and then a file.
func Complete(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return Actions, cobra.ShellCompDirectiveNoFileComp
	case 1:
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// The actions of the command.
const (
	Test    = "test"
	Explain = "explain"
)

// Actions are all actions, in the order in which help names them.
var Actions = []string{Test, Explain}

var Documents = map[string][]any{"policy": {Tested{}, Explained{}}}

func WriteTest(p *terminal.Page, t *Tested, form string) error {
	if form != terminal.OutputText {
		return terminal.WriteJSON(p, t)
	}
	passed := 0
	for _, c := range t.Cases {
		if c.Passed {
			passed++
			terminal.Printf(p, "%s %s\n", p.Style.Good("passed"), c.Name)
			continue
		}
		terminal.Printf(p, "%s %s (line %d)\n", p.Style.Notice("failed"), c.Name, c.Line)
		for _, d := range c.Differences {
			terminal.Printf(p, "  %s: wanted %s, got %s\n", d.Of, listed(d.Want), listed(d.Got))
		}
		for i, why := range c.Why {
			if i == maxWhys {
				terminal.Printf(p, "  why: %d more, listed by -o json\n", len(c.Why)-i)
				break
			}
			terminal.Printf(p, "  why: %s\n", strings.Join(strings.Fields(why), " "))
		}
	}
	terminal.Printf(p, "%d of %s of policy %s passed\n", passed, terminal.Count(len(t.Cases), "case"), t.Policy)
	return nil
}

// maxWhys bounds the lines that say why a case failed.
const maxWhys = 3

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return terminal.Plain(strings.Join(names, ", "))
}

func WriteExplanation(p *terminal.Page, e *Explained, form string) error {
	if form != terminal.OutputText {
		return terminal.WriteJSON(p, e)
	}
	terminal.Printf(p, "policy %s on %s, %s of %s\n", e.Policy, e.Date, terminal.Count(e.Bundles, "bundle"), terminal.Count(e.Packages, "package"))
	for i := range e.Rules {
		r := &e.Rules[i]
		terminal.Printf(p, "rule %s (%s): %s\n", r.Name, r.Severity, strings.Join(strings.Fields(cmp.Or(r.Message, r.Deny)), " "))
		verb := "denies"
		if r.Severity == severityWarn {
			verb = "warns of"
		}
		switch {
		case r.Changes:
			terminal.Printf(p, "  it judges answers, not bundles\n")
			continue
		case r.Namespace == "":
			terminal.Printf(p, "  it does not apply here; name a namespace with -n\n")
			continue
		}
		if r.Bundles == 0 && r.Where != "" {
			terminal.Printf(p, "  no catalog has what it applies to: %s\n", r.Where)
			continue
		}
		terminal.Printf(p, "  in namespace %s it %s %d of %s\n", r.Namespace, verb, r.Denied, terminal.Count(r.Bundles, "new bundle"))
		if r.Updates > 0 {
			terminal.Printf(p, "  and %d of %s\n", r.DeniedUpdates, terminal.Count(r.Updates, "next update"))
		}
		switch {
		case r.Unreadable > 0:
			terminal.Printf(p, "  createdAt is missing on %d of these, and no day such as 2026-01-31 on %d\n", r.Undated, r.Unreadable)
		case r.Undated > 0:
			terminal.Printf(p, "  createdAt is missing on %d of these\n", r.Undated)
		}
		if len(r.Packages) > 0 {
			terminal.Printf(p, "  of %s\n", terminal.Few(terminal.Mapped(r.Packages, func(of PackageCount) string {
				return fmt.Sprintf("%s (%d)", terminal.Plain(of.Package), of.Denied+of.DeniedUpdates)
			})))
		}
		if r.Failed > 0 {
			terminal.Printf(p, "  it fails on %d of them, such as %s: %s\n", r.Failed, r.FailedOn, strings.Join(strings.Fields(r.Failure), " "))
		}
	}
	return nil
}
