package command

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/result"
)

const resolveUsage = `Usage: resolvent resolve -f FILE --catalog NAMESPACE/NAME=FROM [flags]
       resolvent resolve --package PACKAGE --catalog NAMESPACE/NAME=FROM [flags]

Says for each namespace with Subscriptions, and for each ClusterExtension, which
bundles to install, to keep and to replace, or why that is not possible.

` + inputUsage + packageUsage + "\n" + choiceUsage + `
Output:
  -o text|json|yaml|mermaid|dot|svg
                             text: for people (default); json: everything; yaml: the
                             Subscriptions for the dependencies that were chosen;
                             mermaid, dot, svg: a picture of the answer or the
                             conflict, svg for browsers
  --save FILE                write the problem, with all that the requests depend
                             on, as one text file that --load reads
  --why                      say why each bundle was chosen, and why not a better one,
                             in namespaces that do not depend on each other

Examples:
  resolvent resolve -f cluster.yaml --catalog olm/community=community.json
  resolvent resolve -f must-gather -n operators --catalog olm/community=community.json --why
  resolvent resolve --package etcd@alpha --catalog olm/community=community.json

Exit status: 0 if everything is resolved, 1 if something is not, or is not saved, 2
if nothing was resolved because the command line or an input cannot be used.
`

// The values of -o.
const (
	outputText = "text"
	outputJSON = "json"
	outputYAML = "yaml"

	outputMermaid = "mermaid"
	outputDOT     = "dot"
	outputSVG     = "svg"
)

var outputs = []string{outputText, outputJSON, outputYAML, outputMermaid, outputDOT, outputSVG}

var errTimeout = errors.New("the time that --timeout allows is over")

var errNothing = errors.New("nothing to resolve: the manifests hold no Subscription and no ClusterExtension")

// resolve is the command of that name.
func resolve(ctx context.Context, args []string, std streams) (int, error) {
	var flags resolveFlags
	if err := flags.parse(args); err != nil {
		return exitNotStarted, err
	}
	ctx, cancel := limited(ctx, flags.choice.timeout)
	defer cancel()
	q, err := flags.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	if flags.why {
		if err := q.checkSeparate(); err != nil {
			return exitNotStarted, err
		}
	}
	done := showProgress(std.err, "resolving")
	outcomes := q.Resolve(ctx, q.resolver)
	var reasons []justified
	if flags.why {
		reasons = q.justify(ctx, outcomes)
	}
	done()
	choice, s := &flags.choice, styleFor(std.out)

	// Nothing goes to standard output before it is complete.
	var out bytes.Buffer
	switch choice.output {
	case outputText:
		writeText(&out, outcomes, s)
		writeWhy(&out, reasons, s)
	case outputJSON:
		err = writeJSON(&out, outcomes, reasons)
	case outputYAML:
		err = writeYAML(&out, outcomes)
	case outputMermaid, outputDOT, outputSVG:
		err = writePictures(&out, outcomes, choice.output)
	}
	if err != nil {
		return exitUnresolved, err
	}
	if choice.output == outputYAML {
		// Failures have no place among manifests.
		writeFailures(std.err, outcomes)
	}
	if err := s.print(std.out, out.Bytes(), choice.output); err != nil {
		return exitUnresolved, err
	}
	if flags.save != "" {
		// What was resolved is worth having even if there is no time left to save it.
		if err := q.save(ctx, flags.save); err != nil {
			return exitUnresolved, err
		}
	}
	if slices.ContainsFunc(outcomes, unresolved) {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

// toResolve lists the namespaces and ClusterExtensions to resolve: those of
// --namespace and nothing else, or all requests.
func (f *choiceFlags) toResolve(cluster *resolver.Cluster) (namespaces, extensions []string, err error) {
	if len(f.namespaces) > 0 {
		return slices.Compact(slices.Sorted(slices.Values(f.namespaces))), nil, nil
	}
	namespaces, extensions = cluster.Requesting(), cluster.Extensions()
	if len(namespaces) == 0 && len(extensions) == 0 {
		return nil, nil, errNothing
	}
	return namespaces, extensions, nil
}

// unresolved reports whether a request has no answer.
func unresolved(o result.Outcome) bool { return o.Err != nil || len(o.Resolution.LeftOut) > 0 }

// shown is an outcome as people see it: once, if it is that of several
// namespaces.
type shown struct {
	result.Outcome
	title string
}

// toShow brings together the namespaces that failed as one problem.
func toShow(outcomes []result.Outcome) []shown {
	var list []shown
	for i := 0; i < len(outcomes); {
		o := outcomes[i]
		namespaces := []string{o.Namespace}
		for i++; o.Err != nil && o.Extension == "" && i < len(outcomes) && outcomes[i].Err == o.Err; i++ {
			namespaces = append(namespaces, outcomes[i].Namespace)
		}
		s := shown{o, title(o)}
		if len(namespaces) > 1 {
			s.title = "namespaces " + plain(strings.Join(namespaces, ", "))
		}
		list = append(list, s)
	}
	return list
}

// title names what is resolved in outputs for people.
func title(o result.Outcome) string {
	if o.Extension != "" {
		return "ClusterExtension " + plain(o.Extension)
	}
	return "namespace " + plain(o.Namespace)
}
