package command

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

// saveFlags are the flags of save, which only programs have that know a running cluster.
type saveFlags struct{ namespaces []string }

func (*saveFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "save [flags]", Short: "What the running cluster has, as manifests that -f reads", Args: arguments(0, 0, "none"),
		Long: `Prints the objects of the running cluster that answers depend on, as manifests
for -f: one JSON document per line, without fields that no answer reads. It does
not save catalogs.`,
		Example: "  resolvent save > cluster.yaml",
	}
}

func (f *saveFlags) register(set *pflag.FlagSet) {
	set.StringArrayVarP(&f.namespaces, "namespace", "n", nil, "if you may not list everything: list namespace `NAME`; repeatable")
}

func (f *saveFlags) run(ctx context.Context, _ []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := inputs.SaveLive(ctx, f.namespaces, std); err != nil {
		return exitNotStarted, err
	}
	return exitResolved, nil
}
