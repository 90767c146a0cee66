package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

type resolveFlags struct {
	questionFlags
	why    bool
	all    bool
	save   string
	expect string
	fix    int
}

func (*resolveFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "resolve {-f FILE|--package PACKAGE} --catalog NAMESPACE/NAME=FROM [flags]", SuggestFor: []string{"install"}, Short: "What to install, keep and replace",
		Args: requests,
		Long: `Shows for each namespace with Subscriptions, and for each ClusterExtension,
which bundles to install, keep and replace, or why that is not possible.
With -o json, inputs has digests of everything the answer depends on: each
catalog, request and object of the cluster. --expect shows which have changed.`,
		Example: `  resolvent resolve -f cluster.yaml --catalog olm/community=community.json
  resolvent resolve -f must-gather -n operators --catalog olm/community=community.json --why
  resolvent resolve --package etcd@alpha --catalog olm/community=community.json
  resolvent resolve -f repository --catalog olm/community=community.json -o yaml --all
  resolvent resolve -f cluster.yaml --catalog olm/community=community.json --expect old.json`,
	}
}

func (f *resolveFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything",
		terminal.OutputYAML, "Subscriptions for the dependencies that were chosen",
		terminal.OutputMermaid, "", terminal.OutputDOT, "", terminal.OutputSVG, "pictures of the answer or of the conflict, svg for browsers")
	set.BoolVar(&f.why, "why", false, "also explain each choice: why not a better bundle, and what would lift a choice below its head; for namespaces that do not depend on each other")
	set.BoolVar(&f.all, "all", false, "show every cause and fix, with all its effects; with -o yaml: every Subscription of the answer, pinned by startingCSV and manual approval, and every ClusterExtension, "+
		"pinned by its version and, if it installs or updates, its catalog, so that applying them gives the same answer")
	inputs.String(set, "expect", "print only what differs from the earlier answer in `FILE`, which -o json wrote, and what changed since: a catalog, the "+
		"cluster or a request; warnings do not count", &f.expect)
	inputs.RegisterFix(set, "if something fails, print", &f.fix)
	inputs.String(set, "save", "write the problem, with everything the answer depends on, to `FILE` for --load", &f.save)
	f.input.Register(set)
	f.requests.Register(set, &f.input)
	f.choice.Register(set)
}

// check refuses flags that exclude each other.
func (f *resolveFlags) check(set *pflag.FlagSet, std inputs.Streams) error {
	switch output := f.output; {
	case f.all && output != terminal.OutputYAML && output != terminal.OutputText:
		return inputs.Usagef("--all: it is for -o yaml and -o text; leave out --all or -o")
	case f.expect != "" && output != terminal.OutputText && output != terminal.OutputJSON:
		return inputs.Usagef("--expect: it is for -o text and -o json; leave out -o")
	case f.fix != 0 && (output != terminal.OutputText || f.expect != "" || f.why):
		return inputs.Usagef("--fix: it prints commands; leave out -o, --expect and --why")
	case f.expect != "" && f.why:
		return inputs.Usagef("--expect: it cannot be combined with --why; leave one out")
	case f.why && output != terminal.OutputText && output != terminal.OutputJSON:
		return inputs.Usagef("--why: it is for -o text and -o json; leave out -o")
	}
	return f.input.Check(set, std)
}

var (
	errNothing     = errors.New("nothing to resolve: the manifests have no Subscription and no ClusterExtension; pass others with -f")
	errNothingLive = errors.New("nothing to resolve: the cluster has no Subscription and no ClusterExtension")
)

func (f *resolveFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.check(set, std); err != nil {
		return exitNotStarted, err
	}
	expected, err := f.expected(ctx)
	if err != nil {
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
	var unidentified error // the time was too short
	if f.output == terminal.OutputJSON || expected != nil {
		made, unidentified = q.Question.Identify(ctx)
	}
	all := q.resolver.ResolveAll(ctx, q.Problem, q.Scopes)
	done()
	inputs.HintMissing(std.Err, &q.Problem, all)
	var justify outcomes.Justify
	lifts := func(o *result.Outcome) ([]result.Lift, error) { return q.resolver.Lifts(ctx, q.Problem, o.Scope) }
	if f.why {
		justify = q.justify(ctx)
	}
	var compared *outcomes.Comparison
	if expected != nil {
		if unidentified != nil {
			return exitUnresolved, fmt.Errorf("--expect: %w", unidentified)
		}
		o := q.Problem.Options
		compared = expected.Compare(all, made, !o.Jointly && !o.SingleOwner && !o.SameVersions)
	}

	switch f.output {
	case terminal.OutputText:
		if f.fix != 0 {
			err = outcomes.WriteFix(ctx, page, f.fix, q.Problem, terminal.Mapped(all, func(o result.Outcome) *result.Help { return result.HelpOf(o.Err) })...)
			break
		}
		if compared != nil {
			outcomes.WriteComparison(page, compared)
			break
		}
		outcomes.WriteText(page, all, outcomes.View{All: f.all, Fix: true, Call: f.call(set, std)})
		if f.why {
			outcomes.WriteWhy(page, all, justify)
		}
		outcomes.WriteLifts(page, all, lifts, f.why || f.all && q.checkSeparate() == nil)
	case terminal.OutputJSON:
		err = outcomes.WriteJSON(page, all, justify, lifts, made, compared)
	case terminal.OutputYAML:
		err = outcomes.WriteYAML(page, q.Problem, all, f.all)
		outcomes.View{Call: f.call(set, std), Rest: "-o text --all"}.WriteFailures(std.Err, all)
		outcomes.WriteShared(std.Err, all)
	case terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG:
		err = outcomes.WritePictures(page, all, f.output)
	}
	if err != nil {
		return exitUnresolved, err
	}
	if err := page.Close(); err != nil {
		return exitUnresolved, err
	}
	if f.save != "" {
		// What was resolved is worth having even if there is no time left to save it.
		if err := q.save(ctx, f.save); err != nil {
			return exitUnresolved, err
		}
	}
	switch {
	case f.fix != 0:
		return exitResolved, nil
	case compared != nil:
		return exit(compared.Any())
	}
	return exit(slices.ContainsFunc(all, outcomes.Unresolved))
}

// expected reads what --expect names, nil if that is not given.
func (f *resolveFlags) expected(ctx context.Context) (*outcomes.Expected, error) {
	if f.expect == "" {
		return nil, nil
	}
	file, err := inputs.OpenFile(ctx, f.expect)
	if err != nil {
		return nil, fmt.Errorf("--expect %w", err)
	}
	defer file.Close()
	e, err := outcomes.ReadExpected(f.expect, file)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("--expect %w", err)
	}
	return e, nil
}
