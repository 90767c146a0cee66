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
	"resolve": {"everything resolves", "something does not, OLM cannot install it, or the problem is not saved"},
	"status": {"nothing is stuck or, with --without, the package can go", "something is unhealthy, pending, waiting for approval, held, at a dead end, blocked or failed, " +
		"or blocks the target, or a cluster cannot be read; with --without, if something that remains requires the package"},
	"list":    {"something is listed"},
	"show":    {"a bundle is shown"},
	"why":     {"there is an answer", "the requests cannot be resolved; the answer explains why"},
	"why-not": {"there is an answer", "the requests cannot be resolved; the answer explains why"},
	"path":    {"there is a path", "there is none, or OLM cannot take it"},
	"check":   {"the check passes", "it fails"},
	"graph":   {"the graph is drawn"},
	"diff":    {"nothing differs", "something does, or a cluster cannot be read"},
	"approve": {"every waiting InstallPlan may be approved", "one must wait"},
	"policy":  {"all cases pass, or the rules are explained", "a case or, on a bundle, a rule fails"},
	"lock":    {"everything resolves and is written or, with --check, holds", "a request has no answer, or something no longer holds"},
	"mirror":  {"everything resolves and is mirrored", "something is not"},
	"migrate": {"every operator is eligible or has moved, and always with --survey", "one is ineligible or in conflict, or a cluster cannot be read"},
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
	return help.Folded(strings.Fields(text+"; 2 if the command line or an input cannot be used."), " ", help.Width, "")
}

// exitTable is the topic on exit statuses.
func exitTable() string {
	var b strings.Builder
	b.WriteString("Exit statuses of all commands. 2 always means that the command line or an input\ncannot be used; list and show also use it if they find nothing.\n\n")
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
