package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// resolveFlags are those of the commands that resolve.
type resolveFlags struct {
	input  inputFlags
	choice choiceFlags
	why    bool
	save   string
}

// parse reads the flags of the command resolve.
func (f *resolveFlags) parse(args []string) error {
	set := flag.NewFlagSet("resolve", flag.ContinueOnError)
	f.input.register(set)
	f.choice.register(set)
	set.BoolVar(&f.why, "why", false, "")
	set.StringVar(&f.save, "save", "", "")
	if err := parseFlags(set, args); err != nil {
		return err
	}
	return f.input.check(set)
}

// question is everything that an answer depends on.
type question struct {
	options    policy.Options
	cluster    *resolver.Cluster
	catalogs   *cache.View
	namespaces []string
	extensions []string
	jointly    bool
	resolver   *resolver.Resolver
}

// question reads what the flags name.
func (f *resolveFlags) question(ctx context.Context, std streams) (*question, error) {
	if f.input.load != "" {
		q, err := loadQuestion(ctx, f.input.load)
		if err == nil && len(q.namespaces) == 0 && len(q.extensions) == 0 {
			err = errNothing
		}
		return q, err
	}
	q := &question{options: f.choice.options, jointly: f.choice.jointly}
	var err error
	if q.cluster, q.catalogs, err = open(ctx, &f.input, &f.choice, std); err != nil {
		return nil, err
	}
	if q.namespaces, q.extensions, err = f.choice.toResolve(q.cluster); err != nil {
		return nil, err
	}
	for _, namespace := range q.namespaces {
		if !slices.Contains(q.cluster.Requesting(), namespace) {
			fmt.Fprintf(std.err, "namespace %s: the manifests hold no Subscription in it\n", namespace)
		}
	}
	q.resolver = resolver.New(q.options)
	return q, nil
}

// open reads the manifests and catalogs that the flags name. A saved problem
// sets the options, too.
func open(ctx context.Context, input *inputFlags, choice *choiceFlags, std streams) (*resolver.Cluster, *cache.View, error) {
	if input.load != "" {
		q, err := loadQuestion(ctx, input.load)
		if err != nil {
			return nil, nil, err
		}
		choice.options = q.options
		return q.cluster, q.catalogs, nil
	}
	cluster, err := readCluster(ctx, input, std.in)
	if err != nil {
		return nil, nil, err
	}
	catalogs, err := loadCatalogs(ctx, input, cluster, choice.options.LenientHealth, std.err)
	if err != nil {
		return nil, nil, err
	}
	return cluster, catalogs, checkExcluded(choice.options.ExcludeCatalogs, catalogs, cluster)
}

// checkSeparate refuses to explain choices of namespaces that depend on each
// other: they are explained for each namespace by itself.
func (q *question) checkSeparate() error {
	flag := ""
	switch {
	case len(q.namespaces) < 2:
		return nil
	case q.jointly:
		flag = "--jointly"
	case q.options.SingleOwner:
		flag = "--single-owner"
	case q.options.SameVersions:
		flag = "--same-versions"
	default:
		return nil
	}
	return usagef("bundles are explained for each namespace by itself, and with %s the choices in %d namespaces depend on each other: "+
		"leave %[1]s out, or name one namespace with --namespace", flag, len(q.namespaces))
}

// outcomes resolves everything.
func (q *question) outcomes(ctx context.Context) []result.Outcome {
	namespaces := q.resolver.ResolveNamespaces
	if q.jointly {
		namespaces = q.together
	}
	outcomes := namespaces(ctx, q.namespaces, q.cluster, q.catalogs)
	return append(outcomes, q.resolver.ResolveExtensions(ctx, q.extensions, q.cluster, q.catalogs)...)
}

// together resolves the namespaces jointly; a failure is one of each.
func (q *question) together(ctx context.Context, namespaces []string, cluster *resolver.Cluster, catalogs *cache.View) []result.Outcome {
	resolutions, err := q.resolver.ResolveJointly(ctx, namespaces, cluster, catalogs)
	outcomes := make([]result.Outcome, len(namespaces))
	for i, namespace := range namespaces {
		outcomes[i] = result.Outcome{Namespace: namespace, Err: err}
		if err == nil {
			outcomes[i].Resolution = resolutions[i]
		}
	}
	return outcomes
}

// limit ends the context when the time that --timeout allows is over.
func (f *choiceFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return limited(ctx, f.timeout)
}
