package approvals

import (
	"context"
	"io"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

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
