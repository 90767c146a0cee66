package command

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// resolveFlags are those of the commands that resolve.
type resolveFlags struct {
	input  inputFlags
	choice choiceFlags
	why    bool
	save   string
	// packages are requests besides those of the manifests.
	packages []packageFlag
}

// parse reads the flags of the command resolve.
func (f *resolveFlags) parse(args []string) error {
	set := flag.NewFlagSet("resolve", flag.ContinueOnError)
	f.input.register(set)
	f.choice.register(set)
	set.BoolVar(&f.why, "why", false, "")
	set.StringVar(&f.save, "save", "", "")
	f.registerPackages(set)
	if err := parseFlags(set, args); err != nil {
		return err
	}
	return f.input.check(set)
}

// question is everything that an answer depends on.
type question struct {
	scenario.Inputs
	resolver *resolver.Resolver
}

// question reads what the flags name.
func (f *resolveFlags) question(ctx context.Context, std streams) (*question, error) {
	if f.input.load != "" {
		q, err := loadQuestion(ctx, f.input.load)
		if err == nil && len(q.Namespaces) == 0 && len(q.Extensions) == 0 {
			err = errNothing
		}
		return q, err
	}
	q := &question{}
	var err error
	if q.Cluster, q.Catalogs, err = open(ctx, &f.input, &f.choice, std); err != nil {
		return nil, err
	}
	if q.Cluster, err = subscribe(q.Cluster, f.packages, f.choice.namespaces, q.Catalogs); err != nil {
		return nil, err
	}
	if err := checkNamespaces(f.choice.namespaces, q.Cluster); err != nil {
		return nil, err
	}
	if q.Namespaces, q.Extensions, err = f.choice.toResolve(q.Cluster); err != nil {
		return nil, err
	}
	hintCatalogs(std.err, q, f.choice.options.ExcludeCatalogs)
	for _, namespace := range q.Namespaces {
		if !slices.Contains(q.Cluster.Requesting(), namespace) {
			fmt.Fprintf(std.err, "namespace %s: the manifests hold no Subscription in it\n", namespace)
		}
	}
	q.Options, q.Jointly = f.choice.options, f.choice.jointly
	q.resolver = resolver.New(q.Options)
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
		choice.options = q.Options
		return q.Cluster, q.Catalogs, nil
	}
	cluster, err := readCluster(ctx, input, std)
	if err != nil {
		return nil, nil, err
	}
	if len(input.catalogs) == 0 {
		return nil, nil, usagef("no catalogs: give them with --catalog [NAMESPACE/]NAME=FROM")
	}
	catalogs, err := loadCatalogs(ctx, input, cluster, choice.options.LenientHealth, std)
	if err != nil {
		return nil, nil, err
	}
	return cluster, catalogs, checkExcluded(choice.options.ExcludeCatalogs, catalogs, cluster)
}

// checkSeparate refuses to explain choices of namespaces that depend on each
// other: each namespace has an explanation of its own.
func (q *question) checkSeparate() error {
	flag := ""
	switch {
	case len(q.Namespaces) < 2:
		return nil
	case q.Jointly:
		flag = "--jointly"
	case q.Options.SingleOwner:
		flag = "--single-owner"
	case q.Options.SameVersions:
		flag = "--same-versions"
	default:
		return nil
	}
	return usagef("bundles are explained for each namespace by itself, and with %s the choices in %d namespaces depend on each other: "+
		"leave %[1]s out, or name one namespace with --namespace", flag, len(q.Namespaces))
}
