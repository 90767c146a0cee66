package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
)

const resolveUsage = `Usage: resolvent resolve -f FILE --catalog NAMESPACE/NAME=PATH [flags]

Says for each namespace with Subscriptions, and for each ClusterExtension, which
bundles to install, to keep and to replace, or why that is not possible.

` + inputUsage + "\n" + choiceUsage + `
Output:
  -o text|json|yaml          text: for people (default); json: everything; yaml: the
                             Subscriptions for the dependencies that were chosen

Exit status: 0 if everything is resolved, 1 if something is not, 2 if nothing was
resolved because the command line or an input cannot be used.
`

// The values of -o.
const (
	outputText = "text"
	outputJSON = "json"
	outputYAML = "yaml"
)

var outputs = []string{outputText, outputJSON, outputYAML}

var errTimeout = errors.New("the time that --timeout allows is over")

// resolve is the command of that name.
func resolve(ctx context.Context, args []string, std streams) (int, error) {
	var input inputFlags
	var choice choiceFlags
	set := flag.NewFlagSet("resolve", flag.ContinueOnError)
	input.register(set)
	choice.register(set)
	if err := parse(set, args); err != nil {
		return exitNotStarted, err
	}
	if err := input.check(); err != nil {
		return exitNotStarted, err
	}
	ctx, cancel := choice.limit(ctx)
	defer cancel()
	cluster, catalogs, err := open(ctx, &input, &choice, std)
	if err != nil {
		return exitNotStarted, err
	}
	namespaces, extensions, err := choice.toResolve(cluster)
	if err != nil {
		return exitNotStarted, err
	}
	outcomes := choice.resolve(ctx, namespaces, extensions, cluster, catalogs)

	// Nothing goes to standard output before it is complete.
	var out bytes.Buffer
	switch choice.output {
	case outputText:
		writeText(&out, outcomes, styleFor(std.out))
	case outputJSON:
		err = writeJSON(&out, outcomes)
	case outputYAML:
		err = writeYAML(&out, outcomes)
	}
	if err != nil {
		return exitUnresolved, err
	}
	if choice.output == outputYAML {
		// Failures have no place among manifests.
		writeFailures(std.err, outcomes)
	}
	if _, err := std.out.Write(out.Bytes()); err != nil {
		return exitUnresolved, err
	}
	if slices.ContainsFunc(outcomes, unresolved) {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

// limit makes the context end when --timeout says so.
func (f *choiceFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.timeout, errTimeout)
}

// open reads what the flags name.
func open(ctx context.Context, input *inputFlags, choice *choiceFlags, std streams) (*resolver.Cluster, *cache.View, error) {
	cluster, err := readCluster(input, std.in)
	if err != nil {
		return nil, nil, err
	}
	catalogs, err := loadCatalogs(ctx, input, cluster, choice.options.LenientHealth, std.err)
	if err != nil {
		return nil, nil, err
	}
	return cluster, catalogs, checkExcluded(choice.options.ExcludeCatalogs, catalogs, cluster)
}

// resolve answers all requests. Where namespaces are resolved jointly, a failure
// is one of each.
func (f *choiceFlags) resolve(ctx context.Context, namespaces, extensions []string, cluster *resolver.Cluster, catalogs *cache.View) []resolver.Outcome {
	r := resolver.New(f.options)
	extended := func(outcomes []resolver.Outcome) []resolver.Outcome {
		return append(outcomes, r.ResolveExtensions(ctx, extensions, cluster, catalogs)...)
	}
	if !f.jointly {
		return extended(r.ResolveNamespaces(ctx, namespaces, cluster, catalogs))
	}
	resolutions, err := r.ResolveJointly(ctx, namespaces, cluster, catalogs)
	outcomes := make([]resolver.Outcome, len(namespaces))
	for i, namespace := range namespaces {
		outcomes[i] = resolver.Outcome{Namespace: namespace, Err: err}
		if err == nil {
			outcomes[i].Resolution = resolutions[i]
		}
	}
	return extended(outcomes)
}

// toResolve lists the namespaces and ClusterExtensions to resolve: the
// namespaces asked for and nothing else, or all requests.
func (f *choiceFlags) toResolve(cluster *resolver.Cluster) (namespaces, extensions []string, err error) {
	if len(f.namespaces) > 0 {
		return slices.Sorted(slices.Values(f.namespaces)), nil, nil
	}
	namespaces, extensions = cluster.Requesting(), cluster.Extensions()
	if len(namespaces) == 0 && len(extensions) == 0 {
		return nil, nil, errors.New("nothing to resolve: the manifests hold no Subscription and no ClusterExtension")
	}
	return namespaces, extensions, nil
}

// unresolved reports whether a request has no answer.
func unresolved(o resolver.Outcome) bool { return o.Err != nil || len(o.Resolution.LeftOut) > 0 }

// title is how people's outputs call what was resolved.
func title(o resolver.Outcome) string {
	if o.Extension != "" {
		return "ClusterExtension " + o.Extension
	}
	return "namespace " + o.Namespace
}
