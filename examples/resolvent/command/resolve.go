package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/scenario"
)

const resolveUsage = `Usage: resolvent resolve -f FILE --catalog NAMESPACE/NAME=FROM [flags]
       resolvent resolve --package PACKAGE --catalog NAMESPACE/NAME=FROM [flags]

Says for each namespace with Subscriptions, and for each ClusterExtension, which
bundles to install, to keep and to replace, or why that is not possible.

` + inputs.InputUsage + inputs.PackageUsage + "\n" + inputs.ChoiceUsage + `
Output:
  -o text|json|yaml|mermaid|dot|svg
                             text: for people (default); json: everything; yaml: the
                             Subscriptions for the dependencies that were chosen;
                             mermaid, dot, svg: a picture of the answer or the
                             conflict, svg for browsers
  --all                      with -o yaml: every Subscription of the answer, held by
                             startingCSV at what was chosen or kept, to be approved by
                             hand; every ClusterExtension, held by its version and,
                             if it is installed or updated, its catalog; applied, they
                             get the same answer again; specs are complete, labels and
                             annotations are not printed
  --expect FILE              say only what differs from an earlier answer, which -o json
                             wrote, and what changed since: a catalog, the cluster or
                             what was asked for; with -o json beside the answer;
                             warnings do not count
  --fix N                    print what would help with that number, of the only
                             failure, as kubectl commands; nothing is changed
  --save FILE                write the problem, with all that the requests depend
                             on, as one text file that --load reads
  --why                      say why each bundle was chosen, and why not a better one,
                             in namespaces that do not depend on each other

Examples:
  resolvent resolve -f cluster.yaml --catalog olm/community=community.json
  resolvent resolve -f must-gather -n operators --catalog olm/community=community.json --why
  resolvent resolve --package etcd@alpha --catalog olm/community=community.json
  resolvent resolve -f repository --catalog olm/community=community.json -o yaml --all
  resolvent resolve -f cluster.yaml --catalog olm/community=community.json --expect old.json

Exit status: 0 if everything is resolved, 1 if something is not, or is not saved, 2
if nothing was resolved because the command line or an input cannot be used; with
--expect, 0 if everything is as expected, and 1 if something differs.
`

var errNothing = errors.New("nothing to resolve: the manifests hold no Subscription and no ClusterExtension")

// resolve is the command of that name.
func resolve(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var flags resolveFlags
	if err := flags.parse(args, std); err != nil {
		return exitNotStarted, err
	}
	ctx, cancel := inputs.Limited(ctx, flags.choice.Timeout)
	defer cancel()
	expected, err := flags.expected(ctx)
	if err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, flags.choice.Output)
	q, err := flags.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	if flags.why {
		if err := q.checkSeparate(); err != nil {
			return exitNotStarted, err
		}
	}
	choice := &flags.choice
	done := terminal.ShowProgress(std.Err, "resolving")
	var made *scenario.Identity
	var unidentified error // the time was too short
	if choice.Output == terminal.OutputJSON || expected != nil {
		made, unidentified = scenario.Identify(ctx, &q.Question)
	}
	all := q.resolver.ResolveAll(ctx, q.Problem, q.Scopes)
	done()
	var justify outcomes.Justify
	if flags.why {
		justify = q.justify(ctx)
	}
	var compared *outcomes.Comparison
	if expected != nil {
		if unidentified != nil {
			return exitUnresolved, fmt.Errorf("--expect: %w", unidentified)
		}
		o := q.Problem.Options
		apart := !o.Jointly && !o.SingleOwner && !o.SameVersions
		compared = expected.Compare(all, made, apart)
	}

	switch choice.Output {
	case terminal.OutputText:
		if flags.fix != 0 {
			var commands []byte
			commands, err = outcomes.Commands(ctx, all, flags.fix)
			page.Write(commands)
			break
		}
		if compared != nil {
			outcomes.WriteComparison(page, compared)
			break
		}
		outcomes.WriteText(page, all)
		if flags.why {
			outcomes.WriteWhy(page, all, justify)
		}
	case terminal.OutputJSON:
		err = outcomes.WriteJSON(page, all, justify, made, compared)
	case terminal.OutputYAML:
		if flags.all {
			err = outcomes.WritePinned(page, q.Problem, all)
		} else {
			err = outcomes.WriteYAML(page, all)
		}
	case terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG:
		err = outcomes.WritePictures(page, all, choice.Output)
	}
	if err != nil {
		return exitUnresolved, err
	}
	if choice.Output == terminal.OutputYAML {
		// Failures have no place among manifests.
		outcomes.WriteFailures(std.Err, all)
	}
	if err := page.Close(); err != nil {
		return exitUnresolved, err
	}
	if flags.save != "" {
		// What was resolved is worth having even if there is no time left to save it.
		if err := q.save(ctx, flags.save); err != nil {
			return exitUnresolved, err
		}
	}
	if compared != nil {
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
		return nil, fmt.Errorf("--expect: %w", err)
	}
	defer file.Close()
	e, err := outcomes.ReadExpected(f.expect, file)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("--expect: %w", err)
	}
	return e, nil
}
