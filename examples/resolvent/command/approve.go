package command

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/approvals"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// approveFlags are those of the command approve.
type approveFlags struct{ questionFlags }

func (*approveFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "approve -f FILE --catalog NAMESPACE/NAME=FROM [flags]", Short: "Which waiting InstallPlans may be approved now",
		Args:    arguments(0, 0, "manifests with -f"),
		Long:    approvals.Long,
		Example: `  resolvent approve -f cluster.yaml --catalog olm/community=community.json --policy policy.yaml -o kubectl`,
	}
}

func (f *approveFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything", terminal.OutputKubectl, "commands that approve what may be approved")
	f.input.Register(set)
	f.choice.Register(set)
}

func (f *approveFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.input.Check(set, std); err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	q, err := f.separate(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	list, err := q.resolver.Approvals(ctx, q.Problem, q.Scopes)
	if err = cmp.Or(err, approvals.Write(page, std.Err, list, f.output), page.Close()); err != nil {
		return exitUnresolved, err
	}
	return exit(approvals.Waits(list))
}
