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

type approveFlags struct {
	questionFlags
	live, yes bool
	lock      lockFlag
}

func (f *approveFlags) describe() cobra.Command {
	changes := "It is\nread-only."
	if f.live {
		changes = `On a terminal it asks whether to approve them now,
in the running cluster; --yes approves without a question. Otherwise nothing
is changed.`
	}
	return cobra.Command{
		Use: "approve -f FILE --catalog NAMESPACE/NAME=FROM [flags]", Short: "Which waiting InstallPlans may be approved now",
		Args: arguments(0, 0, "manifests with -f"),
		Long: `Judges each InstallPlan that waits for approval. It may be approved if it still
matches what OLM would resolve today, and no rule of a policy denies any of it.
Otherwise all reasons to wait are shown. -o kubectl prints commands that approve
those that may be; each fails if its InstallPlan has changed since. With --lock,
an InstallPlan may bring only what is locked, or leads there. ` + changes,
		Example: `  resolvent approve -f cluster.yaml --catalog olm/community=community.json --policy policy.yaml -o kubectl`,
	}
}

func (f *approveFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything", terminal.OutputKubectl, "commands that approve what may be approved")
	f.lock.register(set, "hold InstallPlans to the lock in `[CLUSTER=]FILE` instead of to what resolving gives now")
	f.input.Register(set)
	f.choice.Register(set)
	hide(set, "updates")
	if f.live {
		set.BoolVar(&f.yes, "yes", false, "approve without asking")
	}
}

func (f *approveFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := cmp.Or(refuseUpdates(set), f.input.Check(set, std)); err != nil {
		return exitNotStarted, err
	}
	cluster := f.live && f.input.ReadsLiveOnly() && f.output == terminal.OutputText
	if f.yes && !cluster {
		return exitNotStarted, inputs.Usagef("--yes: it approves InstallPlans of the running cluster; leave out -f, --load and -o")
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	locked, name, err := f.lock.read(ctx, false)
	if err != nil {
		return exitNotStarted, err
	}
	q, err := f.separate(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	inputs.HintCatalogs(std.Err, &q.Problem, q.Scopes)
	list, err := q.resolver.Approvals(ctx, q.Problem, q.Scopes)
	if locked != nil {
		list = locked.Judge(name, q.Problem.Catalogs, list)
	}
	if err = cmp.Or(err, approvals.Write(page, std.Err, list, f.output), page.Close()); err != nil {
		return exitUnresolved, err
	}
	if waiting := approvals.Approvable(list); cluster && len(waiting) > 0 {
		yes := f.yes
		if !yes && terminal.IsTerminal(std.In) && terminal.IsTerminal(std.Out) {
			terminal.Release(std.Err)
			if yes, err = terminal.Confirm(ctx, std.In, std.Out, "Approve "+terminal.Count(len(waiting), "InstallPlan")+" now?"); err != nil {
				return exitUnresolved, err
			}
		}
		if yes && !approvals.Carry(ctx, std.Out, std.Err, waiting, std.Live.Approve) {
			return exitUnresolved, nil
		}
	}
	return exit(approvals.Waits(list))
}
