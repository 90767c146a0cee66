package scenario

import (
	"bytes"
	"cmp"
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
	"github.com/resolvent/resolvent/resolver/result"
)

// Question is a problem and the scopes to resolve.
type Question struct {
	Problem resolver.Problem
	Scopes  []cluster.Scope
	// contents has the digests of whole catalogs, of which the problem may have parts.
	contents map[catalog.Key]string
}

// Question reads the manifests and loads the catalogs. The error is an *Error, or
// that of the context.
func (s *Scenario) Question(ctx context.Context) (*Question, error) {
	objects, err := manifest.Read(ctx, manifest.Input{Name: clusterFile, Reader: bytes.NewReader(s.Cluster)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Error{clusterFile, err}
	}
	o := &s.Options
	objects.KubernetesVersion, objects.OpenShiftVersion = o.KubernetesVersion, cmp.Or(o.OpenShiftVersion, objects.OpenShiftVersion)
	objects.Labels, objects.Date = o.Labels, o.Date
	view, err := s.view(ctx, &objects)
	if err != nil {
		return nil, err
	}
	q := &Question{
		Problem:  resolver.Problem{Cluster: cluster.NewIndex(objects), Catalogs: view, Options: o.resolver()},
		contents: map[catalog.Key]string{},
	}
	for name, recorded := range o.Recorded {
		if recorded.Content != "" {
			q.contents[catalog.ParseKey(name)] = recorded.Content
		}
	}
	if q.Scopes = q.Problem.Cluster.Scopes(); len(o.Namespaces) == 0 && len(o.Extensions) > 0 {
		q.Scopes = nil
	}
	q.restrict(cluster.InNamespace, o.Namespaces)
	q.restrict(cluster.OfExtension, o.Extensions)
	if o.Jointly {
		slices.SortFunc(q.Scopes, cluster.Scope.Compare)
		q.Scopes = slices.Compact(q.Scopes)
	}
	return q, nil
}

// restrict replaces all scopes of a kind by those of the names, if there are any. Namespaces
// come before ClusterExtensions.
func (q *Question) restrict(scope func(string) cluster.Scope, names []string) {
	if len(names) == 0 {
		return
	}
	kind := scope("").Kind
	q.Scopes = slices.DeleteFunc(q.Scopes, func(s cluster.Scope) bool { return s.Kind == kind })
	for _, name := range names {
		q.Scopes = append(q.Scopes, scope(name))
	}
	slices.SortStableFunc(q.Scopes, func(a, b cluster.Scope) int { return strings.Compare(string(b.Kind), string(a.Kind)) })
}

func (q *Question) names(kind cluster.RequestKind) (names []string) {
	for _, s := range q.Scopes {
		if s.Kind == kind {
			names = append(names, s.Name)
		}
	}
	return names
}

// view loads all catalogs. A priority in the options wins over that of a manifest.
func (s *Scenario) view(ctx context.Context, objects *cluster.Objects) (*cache.View, error) {
	var list []cache.Catalog
	archives := s.archives()
	for _, k := range slices.SortedFunc(maps.Keys(archives), catalog.Key.Compare) {
		c := cache.Catalog{Key: k}
		c.Priority, c.Labels = objects.Declared(k)
		if labels, ok := s.Options.CatalogLabels[k.String()]; ok {
			c.Labels = labels
		}
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

// archives returns, by catalog, its files. An unhealthy catalog has an archive even without
// files.
func (s *Scenario) archives() map[catalog.Key]*txtar.Archive {
	archives := map[catalog.Key]*txtar.Archive{}
	for name := range s.Options.Unhealthy {
		archives[catalog.ParseKey(name)] = &txtar.Archive{}
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

// Run resolves the scenario and returns the outcome in the form of the file want. The error
// is an *Error about the scenario itself, or that of the context. A failed resolution is an
// outcome.
func (s *Scenario) Run(ctx context.Context) (string, error) {
	q, err := s.Question(ctx)
	if err != nil {
		return "", err
	}
	return s.RunOn(ctx, q)
}

// RunOn is [Scenario.Run] with a question that [Scenario.Question] has returned.
func (s *Scenario) RunOn(ctx context.Context, q *Question) (string, error) {
	var out strings.Builder
	p := printer{out: &out, texts: s.Options.Texts}
	q.print(ctx, p)
	for _, to := range s.Options.Paths {
		path, err := q.path(ctx, to)
		p.path(to, path, err)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if s.Options.Faults {
		for c := range q.Problem.Catalogs.Catalogs() {
			printFaults(&out, c)
		}
	}
	return out.String(), nil
}

// path searches a path for the first Subscription that has the package installed.
func (q *Question) path(ctx context.Context, asked pathQuestion) (*result.Path, error) {
	subscriptions := q.Problem.Cluster.In(asked.Namespace).Subscriptions
	i := slices.IndexFunc(subscriptions, func(s cluster.Subscription) bool { return s.Package == asked.Package && s.InstalledCSV != "" })
	if i < 0 {
		err := fmt.Errorf("no Subscription to package %s has anything installed", asked.Package)
		return nil, &result.InvalidInput{Subject: cluster.InNamespace(asked.Namespace).String(), Err: err}
	}
	return resolver.New().Path(ctx, q.Problem, subscriptions[i].Key(), asked.To)
}

// print resolves the scopes and prints the outcomes. Namespaces that fail as one problem have
// one outcome.
func (q *Question) print(ctx context.Context, p printer) {
	outcomes := resolver.New().ResolveAll(ctx, q.Problem, q.Scopes)
	if namespaces := q.names(cluster.KindSubscription); q.Problem.Options.Jointly && len(namespaces) > 0 && outcomes[0].Err != nil {
		p.failure(strings.Join(namespaces, ", "), outcomes[0].Err)
		outcomes = outcomes[len(namespaces):]
	}
	for _, o := range outcomes {
		p.outcome(&o)
	}
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
