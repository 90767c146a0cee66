package command

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/policies"
)

type policyFlags struct {
	catalogFlags
	policies.Flags
}

func (*policyFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "policy {test|explain} FILE [flags]", Short: "Run the cases of a policy, or count what its rules deny",
		Args: arguments(2, 2, "test or explain, and the file of a policy"), Long: policies.Long, Example: policies.Example, ValidArgsFunction: policies.Complete,
	}
}

func (f *policyFlags) register(set *pflag.FlagSet) {
	f.Flags.Register(set)
	f.catalogFlags.register(set)
}

func (*policyFlags) packages() []string { return nil }

func (f *policyFlags) run(ctx context.Context, args []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	p, err := f.Read(ctx, args, set)
	var view *cache.View
	if err == nil && args[0] == policies.Explain {
		view, err = f.view(ctx, std)
	}
	if err != nil {
		return exitNotStarted, err
	}
	failed, err := f.Run(ctx, args, p, view, std)
	if err != nil {
		return exitNotStarted, err
	}
	return exit(failed)
}
