package main

import (
	"context"
	"flag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
)

// resolveFlags are those of the commands that resolve.
type resolveFlags struct {
	input  inputFlags
	choice choiceFlags
	why    bool
}

// parse reads the flags of the command resolve.
func (f *resolveFlags) parse(args []string) error {
	set := flag.NewFlagSet("resolve", flag.ContinueOnError)
	f.input.register(set)
	f.choice.register(set)
	set.BoolVar(&f.why, "why", false, "")
	operands, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		return usagef("unexpected argument %q", operands[0])
	}
	return f.input.check()
}

// question is everything that an answer depends on.
type question struct {
	options    resolver.Options
	cluster    *resolver.Cluster
	catalogs   *cache.View
	namespaces []string
	extensions []string
	resolver   *resolver.Resolver
}

// question reads what the flags name.
func (f *resolveFlags) question(ctx context.Context, std streams) (*question, error) {
	q := &question{options: f.choice.options}
	var err error
	if q.cluster, err = readCluster(&f.input, std.in); err != nil {
		return nil, err
	}
	if q.namespaces, q.extensions, err = f.choice.toResolve(q.cluster); err != nil {
		return nil, err
	}
	if q.catalogs, err = loadCatalogs(ctx, &f.input, q.cluster, q.options.LenientHealth, std.err); err != nil {
		return nil, err
	}
	if err := checkExcluded(q.options.ExcludeCatalogs, q.catalogs, q.cluster); err != nil {
		return nil, err
	}
	q.resolver = resolver.New(q.options)
	return q, nil
}

// outcomes resolves everything.
func (q *question) outcomes(ctx context.Context) []resolver.Outcome {
	outcomes := q.resolver.ResolveNamespaces(ctx, q.namespaces, q.cluster, q.catalogs)
	for _, name := range q.extensions {
		o := resolver.Outcome{Extension: name}
		o.Resolution, o.Err = q.resolver.ResolveExtension(ctx, name, q.cluster, q.catalogs)
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// limit ends the context when the time that --timeout allows is over.
func (f *choiceFlags) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, f.timeout, errTimeout)
}
