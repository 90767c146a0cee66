// Package approvals prints which InstallPlans may be approved.
package approvals

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

// Waits reports whether an InstallPlan must wait.
func Waits(list []result.Approval) bool {
	return slices.ContainsFunc(list, func(a result.Approval) bool { return a.Waits() })
}

// document is what is written for programs.
type document struct {
	Approvals []outcomes.ApprovalWith `json:"approvals"`
}

var Documents = map[string][]any{"approve": {document{}}}

// Write prints the verdicts in a form. As commands it prints those that approve, and notes
// what it leaves out because the precondition is not known.
func Write(p *terminal.Page, notes io.Writer, list []result.Approval, form string) error {
	switch form {
	case terminal.OutputJSON:
		return terminal.WriteJSON(p, document{terminal.Mapped(list, outcomes.ApprovalToJSON)})
	case terminal.OutputKubectl:
		return writeCommands(p, notes, list)
	}
	if len(list) == 0 {
		terminal.Printf(p, "no InstallPlan waits for approval\n")
	}
	for i := range list {
		a := &list[i]
		verdict := p.Style.Good(string(a.Verdict))
		if a.Waits() {
			verdict = p.Style.Notice(string(a.Verdict))
		}
		terminal.Printf(p, "%s InstallPlan %s of namespace %s, which brings %s\n", verdict, a.InstallPlan, a.Namespace, strings.Join(a.Bundles, ", "))
		for _, r := range a.Reasons {
			terminal.Printf(p, "  %s: %s\n", r.Kind, r.Message)
		}
		for _, r := range a.Warnings {
			terminal.Printf(p, "  warning, %s: %s\n", r.Kind, r.Message)
		}
	}
	return nil
}

func writeCommands(w, notes io.Writer, list []result.Approval) error {
	for i := range list {
		a := &list[i]
		switch {
		case a.Waits():
		case a.ResourceVersion == "":
			terminal.Printf(notes, "InstallPlan %s of namespace %s: without metadata.resourceVersion, the command could not tell whether it has changed since; save it again with kubectl get -o yaml\n", a.InstallPlan, a.Namespace)
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

// Approvable are the InstallPlans that may be approved. One without a resourceVersion is not
// among them: a change since it was judged could not be noticed.
func Approvable(list []result.Approval) (may []result.Approval) {
	for _, a := range list {
		if !a.Waits() && a.ResourceVersion != "" {
			may = append(may, a)
		}
	}
	return may
}

// Carry approves InstallPlans, and says of each what came of it. It reports whether all are
// approved.
func Carry(ctx context.Context, out, problems io.Writer, list []result.Approval, approve func(ctx context.Context, namespace, name, resourceVersion string) error) bool {
	all := true
	for _, a := range list {
		object := "InstallPlan " + terminal.Plain(a.InstallPlan) + " of namespace " + terminal.Plain(a.Namespace)
		if err := approve(ctx, a.Namespace, a.InstallPlan, a.ResourceVersion); err != nil {
			terminal.Printf(problems, "%s is not approved: %v\n", object, err)
			all = false
			continue
		}
		terminal.Printf(out, "approved %s\n", object)
	}
	return all
}
