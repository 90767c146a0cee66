// Package approvals prints which InstallPlans may be approved.
package approvals

import (
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/updates"
)

const Long = `Judges each InstallPlan that waits for approval: it may be approved if it brings
exactly what resolving its namespace brings now, and no rule of a policy denies
any of it. Otherwise it says all reasons to wait. -o kubectl prints commands
that approve those that may be, each only as long as the InstallPlan has not
changed since. `

// What the command itself changes, without and with a running cluster.
const (
	LongRead = "Nothing is changed."
	LongLive = `On a terminal it asks whether to approve them now,
in the running cluster; --yes approves without a question. Otherwise nothing
is changed.`
)

// Waits reports whether an InstallPlan must wait.
func Waits(list []updates.Approval) bool {
	return slices.ContainsFunc(list, func(a updates.Approval) bool { return a.Waits() })
}

// document is what is written for programs.
type document struct {
	Approvals []updates.Approval `json:"approvals"`
}

var Documents = map[string][]any{"approve": {document{}}}

// Write prints the verdicts in a form. As commands it prints those that approve, and notes
// what it leaves out because the precondition is not known.
func Write(p *terminal.Page, notes io.Writer, list []updates.Approval, form string) error {
	switch form {
	case terminal.OutputJSON:
		return terminal.WriteJSON(p, document{list}, outcomes.Shapes)
	case terminal.OutputKubectl:
		return writeCommands(p, notes, list)
	}
	if len(list) == 0 {
		terminal.Printf(p, "no InstallPlan waits for approval\n")
	}
	for i := range list {
		a := &list[i]
		verdict := p.Style.Good(a.Verdict)
		if a.Waits() {
			verdict = p.Style.Notice(a.Verdict)
		}
		terminal.Printf(p, "%s InstallPlan %s of namespace %s, which brings %s\n", verdict, terminal.Plain(a.InstallPlan), terminal.Plain(a.Namespace), terminal.Plain(strings.Join(a.Bundles, ", ")))
		for _, r := range a.Reasons {
			terminal.Printf(p, "  %s: %s\n", r.Kind, terminal.Plain(r.Message))
		}
		for _, r := range a.Warnings {
			terminal.Printf(p, "  warning, %s: %s\n", r.Kind, terminal.Plain(r.Message))
		}
	}
	return nil
}

// writeCommands prints the commands that approve what may be approved.
func writeCommands(w, notes io.Writer, list []updates.Approval) error {
	for i := range list {
		a := &list[i]
		switch {
		case a.Waits():
		case a.ResourceVersion == "":
			terminal.Printf(notes, "InstallPlan %s of namespace %s: its manifest has no metadata.resourceVersion, so a change since cannot be noticed; read it again with kubectl get -o yaml\n", terminal.Plain(a.InstallPlan), terminal.Plain(a.Namespace))
		default:
			line, err := outcomes.ApprovalCommand(a)
			if err != nil {
				return err
			}
			terminal.Printf(w, "%s\n", line)
		}
	}
	return nil
}
