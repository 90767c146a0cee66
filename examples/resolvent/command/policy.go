package command

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/policies"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

type policyFlags struct {
	catalogFlags
	namespace, date, output string
}

func (*policyFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "policy {test|explain} FILE [flags]", Short: "Test a policy, or count what its rules deny",
		Args: arguments(2, 2, "test or explain, and the file of a policy"), ValidArgsFunction: policies.Complete,
		Long: `test runs the cases of a policy file: it resolves their objects under the policy
and shows where the answer differs from what they want. File names are relative
to the folder of the policy. explain counts, for each rule, the bundles of
catalogs that it denies and, if it reads what is installed, the updates along
their channels.`,
		Example: `  resolvent policy test policy.yaml
  resolvent policy explain policy.yaml --catalog olm/community=community.json -n prod-1`,
	}
}

func (f *policyFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything")
	set.FuncP("namespace", "n", "count what rules deny in namespace `NAME` (default: for each rule, one that it applies to)", func(s string) error {
		if f.namespace = s; s == "" {
			return inputs.Want("the name of a namespace")
		}
		return nil
	})
	inputs.Date(set, &f.date)
	f.catalogFlags.register(set)
}

func (*policyFlags) packages() []string { return nil }

func (f *policyFlags) run(ctx context.Context, args []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if !slices.Contains(policies.Actions, args[0]) {
		return exitNotStarted, inputs.Usagef("%s: unknown action; want %s", args[0], terminal.OneOf(policies.Actions))
	}
	test := args[0] == policies.Test
	for _, name := range []string{"catalog", "namespace", "date"} {
		if test && set.Changed(name) {
			return exitNotStarted, inputs.Usagef("--%s: the cases of the policy name their own; leave it out", name)
		}
	}
	p, err := inputs.ReadPolicy(ctx, args[1])
	if err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	failed := false
	if test {
		var t *policies.Tested
		if t, err = policies.RunCases(ctx, args[1], p, std); err == nil {
			failed, err = t.Failed(), cmp.Or(policies.WriteTest(page, t, f.output), page.Close())
		}
	} else if view, read := f.view(ctx, std); read != nil {
		err = read
	} else {
		var e *policies.Explained
		if e, err = policies.ExplainRules(ctx, p, view, f.namespace, inputs.Day(f.date)); err == nil {
			failed, err = e.Failed(), cmp.Or(policies.WriteExplanation(page, e, f.output), page.Close())
		}
	}
	if err != nil {
		return exitNotStarted, err
	}
	return exit(failed)
}
