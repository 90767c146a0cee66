package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Inputs are a scenario in the resolver's terms.
type Inputs struct {
	Cluster  *resolver.Cluster
	Catalogs *cache.View
	Options  policy.Options
	// Asked is what to resolve, in this order.
	result.Asked
	// contents are the digests of the catalogs that these were cut from.
	contents map[catalog.Key]string
}

// Inputs reads the manifests and loads the catalogs. The error is an *Error, or
// that of the context.
func (s *Scenario) Inputs(ctx context.Context) (*Inputs, error) {
	objects, err := manifest.Read(ctx, bytes.NewReader(s.Cluster), clusterFile)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Error{clusterFile, err}
	}
	o := &s.Options
	objects.KubernetesVersion, objects.OpenShiftVersion, objects.Labels = o.KubernetesVersion, o.OpenShiftVersion, o.Labels
	view, err := s.view(ctx, &objects)
	if err != nil {
		return nil, err
	}
	in := &Inputs{
		Cluster: resolver.NewCluster(objects), Catalogs: view, Options: o.resolver(),
		Asked:    result.Asked{Namespaces: o.Namespaces, Extensions: o.Extensions, Jointly: o.Jointly},
		contents: map[catalog.Key]string{},
	}
	for name, recorded := range o.Recorded {
		if recorded.Content != "" {
			in.contents[parseKey(name)] = recorded.Content
		}
	}
	if len(in.Namespaces) == 0 {
		in.Namespaces = in.Cluster.Requesting()
	}
	if len(in.Extensions) == 0 {
		in.Extensions = in.Cluster.Extensions()
	}
	return in, nil
}

// view loads all catalogs. A priority of the options wins over that of a
// manifest.
func (s *Scenario) view(ctx context.Context, objects *cluster.Objects) (*cache.View, error) {
	var list []cache.Catalog
	archives := s.archives()
	for _, k := range slices.SortedFunc(maps.Keys(archives), catalog.Key.Compare) {
		c := cache.Catalog{Key: k}
		c.Priority, c.Labels = objects.Declared(k)
		if priority, ok := s.Options.Priorities[k.String()]; ok {
			c.Priority = priority
		}
		if reason, ok := s.Options.Unhealthy[k.String()]; ok {
			c.Err = errors.New(reason)
		} else if err := s.load(ctx, &c, archives[k]); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return cache.NewView(list), nil
}

// archives are the files of each catalog that the scenario has content or options
// for.
func (s *Scenario) archives() map[catalog.Key]*txtar.Archive {
	archives := map[catalog.Key]*txtar.Archive{}
	for name := range s.Options.Unhealthy {
		archives[parseKey(name)] = &txtar.Archive{}
	}
	for _, f := range s.Files {
		k, name, err := splitName(f.Name)
		if err != nil {
			continue
		}
		if archives[k] == nil {
			archives[k] = &txtar.Archive{}
		}
		archives[k].Files = append(archives[k].Files, txtar.File{Name: name, Data: f.Data})
	}
	return archives
}

// load reads the files of one catalog.
func (s *Scenario) load(ctx context.Context, c *cache.Catalog, archive *txtar.Archive) error {
	tree, err := txtar.FS(archive)
	if err != nil {
		return &Error{c.Key.String(), err}
	}
	c.Snapshot, c.Err = cache.LoadFS(ctx, tree, cache.Options{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if recorded, ok := s.Options.Recorded[c.Key.String()]; ok && c.Err == nil {
		c.Snapshot = recorded.restore(c.Snapshot)
	}
	return nil
}

// Run resolves the scenario and prints the outcome as files named want hold it.
// The error is an *Error about the scenario itself, or that of the context;
// failed resolutions are outcomes.
func (s *Scenario) Run(ctx context.Context) (string, error) {
	in, err := s.Inputs(ctx)
	if err != nil {
		return "", err
	}
	return s.RunOn(ctx, in)
}

// RunOn is Run on inputs of the scenario that were read already.
func (s *Scenario) RunOn(ctx context.Context, in *Inputs) (string, error) {
	var out strings.Builder
	p := printer{out: &out, texts: s.Options.Texts}
	in.print(ctx, p)
	for _, to := range s.Options.Paths {
		path, err := resolver.New(in.Options).Path(ctx, to.Namespace, to.Package, to.To, in.Cluster, in.Catalogs)
		p.path(to, path, err)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if s.Options.Faults {
		for c := range in.Catalogs.Catalogs() {
			printFaults(&out, c)
		}
	}
	return out.String(), nil
}

// print resolves the inputs and prints the outcomes.
func (in *Inputs) print(ctx context.Context, p printer) {
	outcomes := in.Resolve(ctx, resolver.New(in.Options))
	if in.Jointly && len(in.Namespaces) > 0 && outcomes[0].Err != nil {
		p.failure(strings.Join(in.Namespaces, ", "), outcomes[0].Err)
		outcomes = slices.DeleteFunc(outcomes, func(o result.Outcome) bool { return o.Extension == "" })
	}
	for _, o := range outcomes {
		p.outcome(&o)
	}
}

// Resolve resolves everything with a resolver of these options: namespaces, by
// name if they are one problem, and then extensions. Of one problem that fails,
// each namespace has the same error.
func (in *Inputs) Resolve(ctx context.Context, r *resolver.Resolver) []result.Outcome {
	var outcomes []result.Outcome
	if in.Jointly {
		resolutions, err := r.ResolveJointly(ctx, in.Namespaces, in.Cluster, in.Catalogs)
		for i, namespace := range slices.Compact(slices.Sorted(slices.Values(in.Namespaces))) {
			o := result.Outcome{Namespace: namespace, Err: err}
			if err == nil {
				o.Resolution = resolutions[i]
			}
			outcomes = append(outcomes, o)
		}
	} else {
		outcomes = r.ResolveNamespaces(ctx, in.Namespaces, in.Cluster, in.Catalogs)
	}
	return append(outcomes, r.ResolveExtensions(ctx, in.Extensions, in.Cluster, in.Catalogs)...)
}

func printFaults(out *strings.Builder, c *cache.Catalog) {
	fmt.Fprintf(out, "catalog %s:", c.Key)
	if c.Snapshot == nil {
		fmt.Fprintf(out, " not loaded\n")
		return
	}
	faults := c.Snapshot.Faults()
	fmt.Fprintf(out, " %d faults\n", len(faults))
	for _, f := range faults {
		fmt.Fprintf(out, "  %s %s", f.Severity, f.Code)
		for _, part := range []struct{ word, name string }{
			{"file", f.File}, {"package", f.Package}, {"channel", f.Channel}, {"bundle", f.Bundle}, {"at", f.Path},
		} {
			if part.name != "" {
				fmt.Fprintf(out, " %s %s", part.word, part.name)
			}
		}
		if f.Property >= 0 {
			fmt.Fprintf(out, " property %d", f.Property)
		}
		if f.Quarantines {
			out.WriteString(", quarantined")
		}
		out.WriteByte('\n')
	}
}
