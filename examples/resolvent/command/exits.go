package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/help"
)

// The exit statuses.
const (
	exitResolved = 0
	// exitUnresolved: there are results, and not all of them are resolved.
	exitUnresolved = 1
	// exitNotStarted: nothing was resolved, because the command line or an input
	// cannot be used.
	exitNotStarted = 2
)

// exit is the status of a command that has answers, and the first error of printing them.
func exit(unresolved bool, printing ...error) (status int, err error) {
	if err = cmp.Or(printing...); err != nil || unresolved {
		return exitUnresolved, err
	}
	return exitResolved, nil
}

// exits are what statuses 0 and 1 of the commands mean; where there is no 1, it does not occur.
var exits = map[string][2]string{
	"resolve": {"everything is resolved, or with --expect as expected", "something is not, or the problem is not saved"},
	"status": {"nothing is stuck; with --without if the package can go", "something is unhealthy or pending, waits for approval, is held, at a dead end, blocked or failed, " +
		"or blocks the target, or one of several clusters cannot be read; with --without if something that remains requires it"},
	"list":    {"something is listed"},
	"show":    {"a bundle is shown"},
	"why":     {"there is an answer", "the requests cannot be resolved, which is explained instead"},
	"why-not": {"there is an answer", "the requests cannot be resolved, which is explained instead"},
	"path":    {"there is a path", "there is none"},
	"check":   {"nothing is found that fails the check", "something is"},
	"graph":   {"the graph is drawn"},
	"diff":    {"nothing differs", "something does, or one of several clusters cannot be read"},
	"approve": {"nothing waits, or what waits may be approved", "an InstallPlan must wait"},
	"policy":  {"all cases pass, or the rules are explained", "a case does not pass, or a rule fails on a bundle"},
	"mirror":  {"everything is resolved and mirrored", "something is not"},
	"migrate": {"all are eligible or have moved; with --survey always", "one is ineligible or in conflict, or one of several clusters cannot be read"},
	"save":    {"it is printed"},
	"schema":  {"it is printed"},
	"version": {"it is printed"},
}

// exitText says what the statuses of a command mean.
func exitText(name string) string {
	text := "Exit status: 0 if " + exits[name][0]
	if exits[name][1] != "" {
		text += "; 1 if " + exits[name][1]
	}
	return help.Folded(strings.Fields(text+"; 2 if nothing is answered, because the command line, or an input, cannot be used."), " ", help.Width, "")
}

// exitTable is the topic on exit statuses.
func exitTable() string {
	var b strings.Builder
	b.WriteString("Exit statuses, of all commands. 2 is always that nothing is answered,\nbecause the command line, or an input, cannot be used; list and show have it\nwhere they find nothing.\n\n")
	for _, c := range commands() {
		described := c.describe()
		name := described.Name()
		for status, when := range exits[described.Name()] {
			if when != "" {
				fmt.Fprintf(&b, "  %-8s %s\n", name, help.Folded(strings.Fields(fmt.Sprintf("%d if %s", status, when)), " ", help.Width-11, strings.Repeat(" ", 11)))
			}
			name = ""
		}
	}
	return b.String()
}
