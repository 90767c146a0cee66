package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// resolveFlags are those of the commands that resolve.
type resolveFlags struct {
	input  inputs.Flags
	choice inputs.ChoiceFlags
	why    bool
	all    bool
	save   string
	expect string
	// packages are requests besides those of the manifests.
	packages inputs.PackageFlags
}

// parse reads the flags of the command resolve.
func (f *resolveFlags) parse(args []string, std inputs.Streams) error {
	set := flag.NewFlagSet("resolve", flag.ContinueOnError)
	f.input.Register(set)
	f.choice.Register(set)
	set.BoolVar(&f.why, "why", false, "")
	set.BoolVar(&f.all, "all", false, "")
	inputs.String(set, "save", &f.save)
	inputs.String(set, "expect", &f.expect)
	f.packages.Register(set, &f.input)
	if err := inputs.ParseFlags(set, args, std); err != nil {
		return err
	}
	switch output := f.choice.Output; {
	case f.all && output != terminal.OutputYAML:
		return inputs.Usagef("--all is for -o yaml")
	case f.expect != "" && output != terminal.OutputText && output != terminal.OutputJSON:
		return inputs.Usagef("--expect is for -o text and -o json")
	case f.expect != "" && f.why:
		return inputs.Usagef("--expect says what differs, and --why what was chosen: leave one of them out")
	}
	return f.input.Check(set, std)
}

// question is everything that an answer depends on.
type question struct {
	scenario.Inputs
	resolver *resolver.Resolver
}

// question reads what the flags name.
func (f *resolveFlags) question(ctx context.Context, std inputs.Streams) (*question, error) {
	if f.input.Load != "" {
		q, err := loadQuestion(ctx, f.input.Load)
		if err == nil && len(q.Namespaces) == 0 && len(q.Extensions) == 0 {
			err = errNothing
		}
		return q, err
	}
	cluster, catalogs, err := open(ctx, &f.input, &f.choice, std)
	if err != nil {
		return nil, err
	}
	return f.ask(cluster, catalogs, resolver.New(f.choice.Options), std.Err)
}

// ask returns the question that the flags ask about a cluster.
func (f *resolveFlags) ask(cluster *resolver.Cluster, catalogs *cache.View, by *resolver.Resolver, stderr io.Writer) (*question, error) {
	q := &question{resolver: by}
	q.Cluster, q.Catalogs = cluster, catalogs
	var err error
	if q.Cluster, err = f.packages.Subscribe(q.Cluster, f.choice.Namespaces, q.Catalogs); err != nil {
		return nil, err
	}
	if err := inputs.CheckNamespaces(f.choice.Namespaces, q.Cluster); err != nil {
		return nil, err
	}
	if q.Namespaces, q.Extensions, err = toResolve(f.choice.Namespaces, q.Cluster); err != nil {
		return nil, err
	}
	inputs.HintCatalogs(stderr, &q.Inputs, f.choice.Options.ExcludeCatalogs)
	requesting := q.Cluster.Requesting()
	for _, namespace := range q.Namespaces {
		if _, found := slices.BinarySearch(requesting, namespace); !found {
			fmt.Fprintf(stderr, "namespace %s: the manifests hold no Subscription in it\n", namespace)
		}
	}
	q.Options, q.Jointly = f.choice.Options, f.choice.Jointly
	return q, nil
}

// open reads the manifests and catalogs that the flags name. A saved problem
// sets the options, too.
func open(ctx context.Context, input *inputs.Flags, choice *inputs.ChoiceFlags, std inputs.Streams) (*resolver.Cluster, *cache.View, error) {
	if input.Load != "" {
		q, err := loadQuestion(ctx, input.Load)
		if err != nil {
			return nil, nil, err
		}
		choice.Options = q.Options
		return q.Cluster, q.Catalogs, nil
	}
	if err := input.ChooseNamespaces(choice, std.Live); err != nil {
		return nil, nil, err
	}
	cluster, err := inputs.ReadCluster(ctx, input, std)
	if err != nil {
		return nil, nil, err
	}
	if err := input.AddDeclared(ctx, choice, cluster.Objects(), std); err != nil {
		return nil, nil, err
	}
	catalogs, err := inputs.LoadCatalogs(ctx, input, cluster, choice.Options.LenientHealth, std)
	if err != nil {
		return nil, nil, err
	}
	return cluster, catalogs, inputs.CheckExcluded(choice.Options.ExcludeCatalogs, catalogs, cluster)
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
	return inputs.Usagef("bundles are explained for each namespace by itself, and with %s the choices in %d namespaces depend on each other: "+
		"leave %[1]s out, or name one namespace with --namespace", flag, len(q.Namespaces))
}

// toResolve lists the namespaces and ClusterExtensions to resolve: those asked
// for and nothing else, or all requests.
func toResolve(asked []string, cluster *resolver.Cluster) (namespaces, extensions []string, err error) {
	if len(asked) > 0 {
		return slices.Compact(slices.Sorted(slices.Values(asked))), nil, nil
	}
	namespaces, extensions = cluster.Requesting(), cluster.Extensions()
	if len(namespaces) == 0 && len(extensions) == 0 {
		return nil, nil, errNothing
	}
	return namespaces, extensions, nil
}
