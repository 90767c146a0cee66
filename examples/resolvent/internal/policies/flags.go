package policies

import (
	"cmp"
	"context"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Flags are those of the command beside catalogs.
type Flags struct{ namespace, date, output string }

func (f *Flags) Register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything")
	set.FuncP("namespace", "n", "explain what rules deny in the namespace `NAME` (default: for each rule, one in which it counts)", func(s string) error {
		if f.namespace = s; s == "" {
			return inputs.Want("the name of a namespace")
		}
		return nil
	})
	inputs.Date(set, &f.date)
}

// Read reads the policy that the arguments name: an action and a file.
func (f *Flags) Read(ctx context.Context, args []string, set *pflag.FlagSet) (*policy.Policy, error) {
	if err := CheckAction(args[0]); err != nil {
		return nil, err
	}
	for _, name := range []string{"catalog", "namespace", "date"} {
		if args[0] == Test && set.Changed(name) {
			return nil, inputs.Usagef("--%s: the cases of the policy name what they need; leave it out", name)
		}
	}
	return inputs.ReadPolicy(ctx, args[1])
}

// Run runs the cases of the policy, or explains it on catalogs, and prints that. It reports
// whether a case or a rule failed.
func (f *Flags) Run(ctx context.Context, args []string, p *policy.Policy, view *cache.View, std inputs.Streams) (failed bool, err error) {
	page := terminal.NewPage(ctx, std.Out, f.output)
	if args[0] == Test {
		t, err := RunCases(ctx, args[1], p, std)
		if err != nil {
			return false, err
		}
		return t.Failed(), cmp.Or(WriteTest(page, t, f.output), page.Close())
	}
	e, err := ExplainRules(ctx, p, view, f.namespace, inputs.Day(f.date))
	if err != nil {
		return false, err
	}
	return e.Failed(), cmp.Or(WriteExplanation(page, e, f.output), page.Close())
}
