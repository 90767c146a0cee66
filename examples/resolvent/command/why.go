package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// explainFlags are those of the commands why and why-not. Both answer the question that
// the facts allow: why a bundle is chosen, or why not.
type explainFlags struct {
	questionFlags
	name string
	fix  int
	all  bool
}

func (f *explainFlags) describe() cobra.Command {
	c := cobra.Command{
		Use: f.name + " PACKAGE[@VERSION] -f FILE --catalog NAME=FROM [flags]", Args: arguments(1, 1, "one bundle, as PACKAGE or PACKAGE@VERSION"),
		Short: "Why a bundle is chosen",
		Long: `Shows why a bundle is chosen or kept: the chain from a request to it. Without
VERSION it is the chosen bundle of the package or, if there is none, the head of
the channel. VERSION may be a prefix, such as 1.16. You can also give the bundle
by its name, or the package by the name of a request for it.`,
		Example: `  resolvent why etcd@0.9.4 -f cluster.yaml --catalog olm/community=community.json`,
	}
	if f.name == "why-not" {
		c.Short = "Why a bundle is not chosen"
		c.Long = `Shows why a bundle is not chosen: a minimal set of reasons that exclude it, or
what is preferred to it. Without VERSION it is the head of the channel. VERSION
may be a prefix, such as 1.16. You can also give the bundle by its name, or the
package by the name of a request for it. It explains namespaces with a request
for the package, and only names the others.`
		c.Example = `  resolvent why-not etcd@0.9.4 -f cluster.yaml -n operators --catalog olm/community=community.json`
	}
	return c
}

func (f *explainFlags) register(set *pflag.FlagSet) {
	if f.name == "why-not" {
		inputs.RegisterFix(set, "print", &f.fix)
	}
	inputs.RegisterAll(set, &f.all)
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputJSON, "everything",
		terminal.OutputMermaid, "", terminal.OutputDOT, "", terminal.OutputSVG, "pictures, svg for browsers")
	f.input.Register(set)
	f.choice.Register(set)
	f.requests.Register(set, &f.input)
}

func (f *explainFlags) packages() []string { return append(f.questionFlags.packages(), "") }

func (f *explainFlags) run(ctx context.Context, args []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.input.Check(set, std); err != nil {
		return exitNotStarted, err
	}
	if f.fix > 0 && f.output != terminal.OutputText {
		return exitNotStarted, errFixText
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	q, err := f.separate(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	bundle := args[0]
	done := terminal.ShowProgress(std.Err, "asking about "+bundle)
	bundleOf := func(cluster.Scope) string { return bundle }
	if b := listing.Exact(q.Problem.Catalogs, q.Problem.Cluster, bundle); b != nil {
		if bundle = b.Name; bundle != args[0] {
			bundle = listing.Named(q.Problem.Catalogs, b)
		}
		if f.name == "why" && bundle != args[0] && !strings.Contains(args[0], "@") {
			bundleOf = q.selected(ctx, b)
		}
	} else if name, version, _ := strings.Cut(bundle, "@"); version == "" { // no catalog has the package
		bundle = listing.PackageOf(q.Problem.Catalogs, q.Problem.Cluster, name)
	}
	answers, rest, ended := q.explain(ctx, bundle, bundleOf)
	done()
	inputs.HintMissing(std.Err, &q.Problem, terminal.Mapped(answers, func(a outcomes.BundleAnswer) result.Outcome { return result.Outcome{Scope: a.Scope, Err: a.Err} }))
	if f.output != terminal.OutputText {
		answers, rest = append(answers, rest...), nil
	}
	if err := unknownBundle(answers, q.Problem.Catalogs, args[0]); err != nil {
		return exitNotStarted, err
	}
	failed := slices.ContainsFunc(answers, func(a outcomes.BundleAnswer) bool { return a.Err != nil })
	if f.fix > 0 {
		rest, failed = nil, false
		err = outcomes.WriteFix(ctx, page, std.Err, "--all", f.fix, q.Problem, terminal.Mapped(answers, outcomes.BundleAnswer.HelpOf)...)
	} else {
		err = outcomes.WriteAnswers(page, answers, f.output, outcomes.View{All: f.all, Fix: f.name == "why-not", Call: f.call(set, std)})
	}
	if err != nil {
		return exitUnresolved, err
	}
	if len(rest) > 0 && f.output == terminal.OutputText {
		others := terminal.Mapped(rest, func(a outcomes.BundleAnswer) string { return outcomes.Title(a.Scope) })
		terminal.Printf(page, "\nNothing requests or requires its package in %s.\n", terminal.OneOf(others))
	}
	return exit(failed, page.Close(), ended)
}

// unknownBundle is the error of a bundle that no answer knows.
func unknownBundle(answers []outcomes.BundleAnswer, view *cache.View, asked string) (err error) {
	for _, a := range answers {
		unknown, ok := errors.AsType[*result.UnknownBundle](a.Err)
		if !ok {
			return nil
		}
		if err = unknown; len(unknown.Nearest) == 0 {
			err = unknownPackage(view, asked)
		}
	}
	return err
}

// selected returns the bundle of a package that is selected in each scope, or the given one.
func (q *question) selected(ctx context.Context, otherwise *catalog.Bundle) func(cluster.Scope) string {
	names := map[cluster.Scope]string{}
	for _, o := range q.resolver.ResolveAll(ctx, q.Problem, q.Scopes) {
		if o.Err != nil {
			continue
		}
		for _, k := range o.Resolution.Kept {
			if k.Bundle.Package == otherwise.Package {
				names[o.Scope] = k.Bundle.Name
			}
		}
		for _, i := range o.Resolution.Installs {
			if i.Bundle.Package == otherwise.Package {
				names[o.Scope] = i.Bundle.Name
			}
		}
	}
	return func(s cluster.Scope) string { return cmp.Or(names[s], otherwise.Name) }
}

// explain explains a bundle in every namespace and ClusterExtension that asks for its
// package or, if none does, in all. rest are the others. When ctx ends, it returns what is
// ready, and an error.
func (q *question) explain(ctx context.Context, bundle string, bundleOf func(cluster.Scope) string) (answers, rest []outcomes.BundleAnswer, err error) {
	var all []outcomes.BundleAnswer
	asking := listing.Asking(q.Problem.Catalogs, q.Problem.Cluster, bundle)
	for _, scope := range q.Scopes {
		a := outcomes.BundleAnswer{Scope: scope}
		if a.Justification, a.Err = q.resolver.WhyNot(ctx, q.Problem, scope, bundleOf(scope)); ctx.Err() != nil {
			err = fmt.Errorf("stopped after %d of %s: %w", len(all), terminal.Count(len(q.Scopes), "answer"), context.Cause(ctx))
			break
		}
		a.Own = q.beside(ctx, a.Err, scope, bundleOf(scope), asking)
		all = append(all, a)
	}
	for _, a := range all {
		if concerns(a, asking) {
			answers = append(answers, a)
		} else {
			rest = append(rest, a)
		}
	}
	if len(answers) == 0 {
		return all, nil, err
	}
	return answers, rest, err
}

// beside explains a bundle as it would be without the requests that fail, nil if one of them asks for its
// package, or no others go on then.
func (q *question) beside(ctx context.Context, failed error, scope cluster.Scope, bundle string, asking map[cluster.RequestKey]bool) *result.Explanation {
	e, ok := errors.AsType[*result.NotSatisfiable](failed)
	if !ok {
		return nil
	}
	var steps []result.Step
	for _, k := range e.Blocking {
		if asking[k] {
			return nil
		}
		steps = append(steps, result.Step{Object: result.Object{Kind: string(k.Kind), Namespace: k.Namespace, Name: k.Name}})
	}
	without := q.Problem
	var err error
	if without.Cluster, err = result.Apply(without.Cluster, scope, steps); err != nil || len(steps) == 0 {
		return nil
	}
	without.Options.NoFixes = true
	justification, err := q.resolver.WhyNot(ctx, without, scope, bundle)
	if err != nil || len(justification.Why.Because) > 0 && justification.Why.Because[0].Reason.Unasked() {
		return nil
	}
	return justification.Why
}

// concerns reports whether anything in an answer leads to the bundle. Of what cannot be
// resolved, a request for its package does: those of asking.
func concerns(a outcomes.BundleAnswer, asking map[cluster.RequestKey]bool) bool {
	if a.Justification != nil {
		first := a.Why.Because
		return len(first) == 0 || !first[0].Reason.Unasked()
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(asking)), func(k cluster.RequestKey) bool { return k.Scope() == a.Scope })
}

// justify returns the reasons of what was resolved.
func (q *question) justify(ctx context.Context) outcomes.Justify {
	return func(o *result.Outcome) ([]result.Justification, error) {
		if o.Err != nil {
			return nil, o.Err
		}
		return q.resolver.Justify(ctx, q.Problem, o.Scope)
	}
}
