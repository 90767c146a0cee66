package command

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

type resolveFlags struct {
	questionFlags
	why  bool
	all  bool
	save string
	fix  int
}

func (*resolveFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "resolve {-f FILE|--package PACKAGE} --catalog NAMESPACE/NAME=FROM [flags]", SuggestFor: []string{"install"}, Short: "What to install, keep and replace",
		Args: requests,
		Long: `Shows for each namespace with Subscriptions, and for each ClusterExtension,
which bundles to install, keep and replace, or why that is not possible.
With -o json, inputs has digests of everything the answer depends on: each
catalog, request and object of the cluster.`,
		Example: `  resolvent resolve -f cluster.yaml --catalog olm/community=community.json
  resolvent resolve -f must-gather -n operators --catalog olm/community=community.json --why
  resolvent resolve --package etcd@alpha --catalog olm/community=community.json
  resolvent resolve -f repository --catalog olm/community=community.json -o yaml`,
	}
}

func (f *resolveFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything",
		terminal.OutputYAML, "Subscriptions for the dependencies that were chosen, and roles with the rights that OLM lacks",
		terminal.OutputMermaid, "", terminal.OutputDOT, "", terminal.OutputSVG, "pictures of the answer or of the conflict, svg for browsers")
	set.BoolVar(&f.why, "why", false, "also explain each choice: why not a better bundle, and what would lift a choice below its head; for namespaces that do not depend on each other")
	set.BoolVar(&f.all, "all", false, "show every cause and fix with all its effects")
	inputs.RegisterFix(set, "if something fails, print", &f.fix)
	inputs.String(set, "save", "write the problem, with everything the answer depends on, to `FILE` for --load", &f.save)
	f.input.Register(set)
	f.requests.Register(set, &f.input)
	f.choice.Register(set)
}

// check refuses flags that exclude each other.
func (f *resolveFlags) check(set *pflag.FlagSet, std inputs.Streams) error {
	switch output := f.output; {
	case f.all && output != terminal.OutputText:
		return inputs.Usagef("--all: it is for -o text; leave out --all or -o")
	case f.fix != 0 && (output != terminal.OutputText || f.why):
		return inputs.Usagef("--fix: it prints commands; leave out -o and --why")
	case f.why && output != terminal.OutputText && output != terminal.OutputJSON:
		return inputs.Usagef("--why: it is for -o text and -o json; leave out -o")
	}
	return f.input.Check(set, std)
}

func installsOf(o result.Outcome) []result.Install {
	if o.Err != nil {
		return nil
	}
	return o.Resolution.Installs
}

// stuck returns, by scope, the bundles to install for requests for which OLM installs nothing as things stand.
func (q *question) stuck(ctx context.Context, all []result.Outcome) map[cluster.Scope][]string {
	if q.checkSeparate() != nil || !slices.ContainsFunc(all, func(o result.Outcome) bool { return len(installsOf(o)) > 0 }) {
		return nil
	}
	problem, names := q.Problem, map[cluster.Scope][]string{}
	problem.Options.NoFixes = true
	rows, _ := q.resolver.Status(ctx, problem, q.Scopes, nil) // without time there are none
	waits := map[cluster.RequestKey]bool{}
	for i := range rows {
		r := &rows[i]
		goesOn := r.Repair != nil && (r.Repair.ByItself() || r.Repair.OfBundle()) // or fails forward
		waits[r.Request] = (r.State == result.StateUnhealthy || r.State == result.StatePending) && !goesOn
	}
	for _, o := range all {
		for _, i := range installsOf(o) {
			if slices.ContainsFunc(i.For, func(s result.Obligation) bool { return waits[s.Request] }) {
				names[o.Scope] = append(names[o.Scope], i.Bundle.Name)
			}
		}
	}
	return names
}

var (
	errNothing     = errors.New("nothing to resolve: the manifests have no Subscription and no ClusterExtension; pass others with -f")
	errNothingLive = errors.New("nothing to resolve: the cluster has no Subscription and no ClusterExtension")
)

func (f *resolveFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.check(set, std); err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	q, err := f.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	if f.why {
		if err := q.checkSeparate(); err != nil {
			return exitNotStarted, err
		}
	}
	done := terminal.ShowProgress(std.Err, "resolving")
	var made *scenario.Identity
	if f.output == terminal.OutputJSON {
		made, _ = q.Question.Identify(ctx) // the time may be too short
	}
	all := q.resolver.ResolveAll(ctx, q.Problem, q.Scopes)
	done()
	inputs.HintMissing(std.Err, &q.Problem, all)
	if err = f.print(ctx, page, q, all, made, f.call(set, std), std.Err); err == nil {
		err = page.Close()
	}
	if err != nil {
		return exitUnresolved, err
	}
	if f.save != "" {
		// What was resolved is worth having even if there is no time left to save it.
		if err := q.save(ctx, f.save); err != nil {
			return exitUnresolved, err
		}
	}
	if f.fix != 0 {
		return exitResolved, nil
	}
	return exit(slices.ContainsFunc(all, outcomes.Unresolved))
}

// print prints the outcomes in the form that was chosen.
func (f *resolveFlags) print(ctx context.Context, page *terminal.Page, q *question, all []result.Outcome, made *scenario.Identity, call overview.Call, stderr io.Writer) error {
	var justify outcomes.Justify
	lifts := func(o *result.Outcome) ([]result.Lift, error) { return q.resolver.Lifts(ctx, q.Problem, o.Scope) }
	if f.why {
		justify = q.justify(ctx)
	}
	switch f.output {
	case terminal.OutputJSON:
		return outcomes.WriteJSON(page, all, justify, lifts, made)
	case terminal.OutputYAML:
		err := outcomes.WriteYAML(page, q.Problem, all)
		outcomes.View{Call: call, Rest: "-o text --all"}.WriteFailures(stderr, all)
		outcomes.WriteShared(stderr, all)
		return err
	case terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG:
		return outcomes.WritePictures(page, all, f.output)
	}
	if f.fix != 0 {
		return outcomes.WriteFix(ctx, page, stderr, "--all", f.fix, q.Problem, outcomes.Helps(all)...)
	}
	outcomes.WriteText(page, all, outcomes.View{All: f.all, Fix: true, Call: call, Stuck: q.stuck(ctx, all)})
	if f.why {
		outcomes.WriteWhy(page, all, justify)
	}
	if f.why || f.all && q.checkSeparate() == nil {
		outcomes.WriteLifts(page, all, lifts)
	}
	return nil
}
