package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	picture "github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/result"
)

const (
	whyUsage = `Usage: resolvent why BUNDLE -f FILE --catalog NAMESPACE/NAME=FROM [flags]

Says how a bundle came to be chosen or kept: the chain from a request to it. BUNDLE
is the name of a bundle, or PACKAGE@VERSION.

Examples:
  resolvent why etcd@0.9.4 -f cluster.yaml --catalog olm/community=community.json

` + explainUsage
	whyNotUsage = `Usage: resolvent why-not BUNDLE -f FILE --catalog NAMESPACE/NAME=FROM [flags]

Says why a bundle is not chosen: a minimal set of reasons that exclude it, or what is
preferred to it. BUNDLE is the name of a bundle, or PACKAGE@VERSION. Namespaces that ask
for its package answer; others are only named.

Examples:
  resolvent why-not etcd@0.9.4 -f cluster.yaml -n operators --catalog olm/community=community.json

` + explainUsage
	explainUsage = inputUsage + packageUsage + "\n" + choiceUsage + `
Output:
  -o text|json|mermaid|dot|svg
                             text: for people (default); json: everything; mermaid,
                             dot, svg: a picture, svg for browsers

Exit status: 0 if there is an answer; 1 if the requests cannot be resolved, which is
then explained instead; 2 if the command line or an input cannot be used.
`
)

// explainCommand is the command why or why-not. Both answer the question that
// the facts allow: why a bundle is chosen, or why not.
func explainCommand(name string) func(context.Context, []string, streams) (int, error) {
	return func(ctx context.Context, args []string, std streams) (int, error) {
		var flags resolveFlags
		set := flag.NewFlagSet(name, flag.ContinueOnError)
		flags.input.register(set)
		flags.choice.register(set)
		flags.registerPackages(set)
		operands, err := parse(set, args)
		switch {
		case err != nil:
			return exitNotStarted, err
		case len(operands) != 1:
			return exitNotStarted, usagef("want one bundle, got %d arguments", len(operands))
		case flags.choice.output == outputYAML:
			return exitNotStarted, usagef("-o yaml is for resolve only")
		}
		if err := flags.input.check(set); err != nil {
			return exitNotStarted, err
		}
		ctx, cancel := limited(ctx, flags.choice.timeout)
		defer cancel()
		q, err := flags.question(ctx, std)
		if err != nil {
			return exitNotStarted, err
		}
		if err := q.checkSeparate(); err != nil {
			return exitNotStarted, err
		}
		done := showProgress(std.err, "asking about "+operands[0])
		answers, rest := q.explain(ctx, operands[0])
		done()
		if flags.choice.output != outputText {
			answers, rest = append(answers, rest...), nil
		}
		var out bytes.Buffer
		s := styleFor(std.out)
		status, err := writeAnswers(&out, answers, flags.choice.output, s)
		if err != nil {
			return status, err
		}
		if len(rest) > 0 && flags.choice.output == outputText {
			others := mapped(rest, func(a bundleAnswer) string { return title(a.outcome) })
			fmt.Fprintf(&out, "\nNothing asks for its package in %s.\n", oneOf(others))
		}
		if err := s.print(std.out, out.Bytes(), flags.choice.output); err != nil {
			return exitUnresolved, err
		}
		return status, nil
	}
}

// bundleAnswer is why a bundle is, or is not, in one answer.
type bundleAnswer struct {
	outcome     result.Outcome
	explanation *result.Explanation
}

// explain explains a bundle in every namespace and ClusterExtension that asks for its
// package or, if none does, in all. rest are the others.
func (q *question) explain(ctx context.Context, bundle string) (answers, rest []bundleAnswer) {
	var all []bundleAnswer
	for _, namespace := range q.Namespaces {
		a := bundleAnswer{outcome: result.Outcome{Namespace: namespace}}
		a.explanation, a.outcome.Err = q.resolver.WhyNot(ctx, namespace, q.Cluster, q.Catalogs, bundle)
		all = append(all, a)
	}
	for _, name := range q.Extensions {
		a := bundleAnswer{outcome: result.Outcome{Extension: name}}
		a.explanation, a.outcome.Err = q.resolver.WhyNotExtension(ctx, name, q.Cluster, q.Catalogs, bundle)
		all = append(all, a)
	}
	for _, a := range all {
		if q.concerns(a, bundle) {
			answers = append(answers, a)
		} else {
			rest = append(rest, a)
		}
	}
	if len(answers) == 0 {
		return all, nil
	}
	return answers, rest
}

// concerns reports whether anything in an answer leads to the bundle. Of what cannot be
// resolved, a request for its package does.
func (q *question) concerns(a bundleAnswer, bundle string) bool {
	if a.explanation != nil {
		first := a.explanation.Because
		return len(first) == 0 || first[0].Reason.Kind != result.ReasonUnasked || first[0].Reason.Detail != nil
	}
	pkg, _, _ := strings.Cut(bundle, "@")
	packages := []string{pkg}
	for c := range q.Catalogs.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for _, id := range c.Snapshot.Named(bundle) {
			packages = append(packages, c.Snapshot.Bundle(id).Package)
		}
	}
	objects := q.Cluster.Objects()
	return slices.ContainsFunc(objects.Subscriptions, func(s cluster.Subscription) bool {
		return s.Namespace == a.outcome.Namespace && slices.Contains(packages, s.Package)
	}) || slices.ContainsFunc(objects.ClusterExtensions, func(e cluster.ClusterExtension) bool {
		return e.Name == a.outcome.Extension && slices.Contains(packages, e.Package)
	})
}

// writeAnswers prints the answers about a bundle. An unknown bundle is a fault of
// the command line.
func writeAnswers(w *bytes.Buffer, answers []bundleAnswer, output string, s style) (int, error) {
	status := exitResolved
	var report explanationsJSON
	var pictures picture.Drawing
	for i, a := range answers {
		if unknown, ok := errors.AsType[*result.UnknownBundle](a.outcome.Err); ok {
			return exitNotStarted, unknown
		}
		if a.outcome.Err != nil {
			status = exitUnresolved
		}
		if output == outputText && i > 0 {
			w.WriteByte('\n')
		}
		switch {
		case output == outputJSON:
			report.Answers = append(report.Answers, answerToJSON(a))
		case a.outcome.Err != nil && output == outputText:
			writeText(w, []result.Outcome{a.outcome}, s)
		case output == outputText:
			writeExplanation(w, a.explanation, "", s)
		case a.outcome.Err != nil:
			pictures = append(pictures, picture.Frame{Title: title(a.outcome), Graph: pictureOf(a.outcome)})
		default:
			pictures = append(pictures, picture.Frame{Title: title(a.outcome), Graph: picture.OfExplanation(a.explanation)})
		}
	}
	switch output {
	case outputJSON:
		return status, encode(w, report)
	case outputMermaid, outputDOT, outputSVG:
		return status, writeDrawing(w, pictures, output)
	}
	return status, nil
}

// writeExplanation prints a derivation; its head is bold.
func writeExplanation(w io.Writer, e *result.Explanation, indent string, s style) {
	head := strings.Count(e.Text(), "\n") + 1
	for i, line := range strings.Split(strings.TrimSuffix(e.String(), "\n"), "\n") {
		if i < head {
			line = s.bold(line)
		}
		fmt.Fprintf(w, "%s%s\n", indent, line)
	}
}

// justified are the reasons of all choices of one outcome.
type justified struct {
	outcome result.Outcome
	list    []result.Justification
}

func (j *justified) of(o result.Outcome) bool {
	return j.outcome.Namespace == o.Namespace && j.outcome.Extension == o.Extension
}

// justify returns the reasons of what was resolved.
func (q *question) justify(ctx context.Context, outcomes []result.Outcome) []justified {
	var all []justified
	for _, o := range outcomes {
		if o.Err != nil {
			continue
		}
		j := justified{outcome: o}
		var err error
		if o.Extension != "" {
			j.list, err = q.resolver.JustifyExtension(ctx, o.Extension, q.Cluster, q.Catalogs)
		} else {
			j.list, err = q.resolver.Justify(ctx, o.Namespace, q.Cluster, q.Catalogs)
		}
		if err == nil {
			all = append(all, j)
		}
	}
	return all
}

// writeWhy prints why each bundle was chosen, and why not a better one.
func writeWhy(w *bytes.Buffer, reasons []justified, s style) {
	for _, j := range reasons {
		fmt.Fprintf(w, "\n%s\n", s.bold("Why, in "+title(j.outcome)))
		for _, choice := range j.list {
			// The steps before the last one are those of the bundles above.
			fmt.Fprintf(w, "  %s\n", plain(choice.Bundle.Name))
			if n := len(choice.Why.Because); n > 0 {
				fmt.Fprintf(w, "    %s\n", flat(choice.Why.Because[n-1].Text()))
			}
			for _, better := range choice.Better {
				fmt.Fprintf(w, "    %s\n", s.notice("not "+plain(names(better.Bundles))+", which would be preferred:"))
				writeExplanation(w, better.Why, "      ", style{})
			}
		}
	}
}

// names shortens a list of bundles.
func names(list []result.BundleRef) string {
	switch n := len(list); {
	case n == 1:
		return list[0].Name
	case n == 2:
		return list[0].Name + " or " + list[1].Name
	default:
		return fmt.Sprintf("%s or %d more up to %s", list[0].Name, n-2, list[n-1].Name)
	}
}
