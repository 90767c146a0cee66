package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// withoutFlag is --without of status: the package whose Subscriptions go.
type withoutFlag struct{ namespace, pkg string }

// parseWithoutFlag reads [NAMESPACE/]PACKAGE.
func parseWithoutFlag(s string) (withoutFlag, error) {
	namespace, pkg, found := strings.Cut(s, "/")
	if !found {
		namespace, pkg = "", s
	}
	if pkg == "" || found && namespace == "" || strings.Contains(pkg, "/") {
		return withoutFlag{}, errors.New("want PACKAGE or NAMESPACE/PACKAGE")
	}
	return withoutFlag{namespace, pkg}, nil
}

// means reports whether a Subscription is one of those that go.
func (f withoutFlag) means(s cluster.Subscription) bool {
	return s.Package == f.pkg && (f.namespace == "" || s.Namespace == f.namespace)
}

// withoutPackage says what comes of it if Subscriptions go, in each namespace that has one.
func (f *statusFlags) withoutPackage(ctx context.Context, q *question, std inputs.Streams) (int, error) {
	subscriptions := q.Cluster.Objects().Subscriptions
	going := map[string][]cluster.Subscription{} // by namespace
	var known []string
	for _, s := range subscriptions {
		known = append(known, s.Package, s.Namespace+"/"+s.Package)
		if f.without.means(s) {
			going[s.Namespace] = append(going[s.Namespace], s)
		}
	}
	namespaces := slices.DeleteFunc(slices.Sorted(slices.Values(q.Namespaces)), func(name string) bool { return going[name] == nil })
	if len(namespaces) == 0 {
		asked := strings.TrimPrefix(f.without.namespace+"/"+f.without.pkg, "/")
		return exitNotStarted, inputs.Usagef("--without %s: no Subscription asks for this package%s", asked, terminal.Suggestion(asked, known))
	}
	options := q.Options
	options.NoFixes, options.Partial = true, false
	q.resolver = resolver.New(options)
	done := terminal.ShowProgress(std.Err, "resolving without "+f.without.pkg)
	after := f.without.removedFrom(q.Cluster)
	var list []outcomes.Without
	for _, namespace := range namespaces {
		w := f.without.in(namespace, going[namespace])
		w.Compare(q.answers(ctx, namespace, q.Cluster), q.answers(ctx, namespace, after))
		if ctx.Err() != nil {
			break
		}
		list = append(list, w)
	}
	done()
	s := terminal.StyleFor(std.Out)
	var out bytes.Buffer
	if err := outcomes.WriteWithout(&out, list, f.choice.Output, s); err != nil {
		return exitUnresolved, err
	}
	if err := s.Print(std.Out, out.Bytes(), f.choice.Output); err != nil {
		return exitUnresolved, err
	}
	if len(list) < len(namespaces) {
		return exitUnresolved, fmt.Errorf("stopped after %d of %s: %w", len(list), terminal.Count(len(namespaces), "namespace"), context.Cause(ctx))
	}
	if slices.ContainsFunc(list, func(w outcomes.Without) bool { return w.Needed() }) {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

// removedFrom returns a cluster without the Subscriptions and what they have installed.
func (f withoutFlag) removedFrom(c *resolver.Cluster) *resolver.Cluster {
	objects := c.Objects()
	type csv struct{ namespace, name string }
	gone := map[csv]bool{}
	for _, s := range objects.Subscriptions {
		if f.means(s) {
			gone[csv{s.Namespace, s.InstalledCSV}] = true
		}
	}
	objects.Subscriptions = slices.DeleteFunc(slices.Clone(objects.Subscriptions), f.means)
	objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool {
		return gone[csv{v.Namespace, v.Name}]
	})
	return resolver.NewCluster(objects)
}

// in says what goes in a namespace: the Subscriptions.
func (f withoutFlag) in(namespace string, subscriptions []cluster.Subscription) outcomes.Without {
	w := outcomes.Without{Namespace: namespace, Package: f.pkg}
	for _, s := range subscriptions {
		w.Subscriptions = append(w.Subscriptions, s.Name)
		if s.InstalledCSV != "" {
			w.Installed = append(w.Installed, s.InstalledCSV)
		}
	}
	slices.Sort(w.Subscriptions)
	slices.Sort(w.Installed)
	w.Installed = slices.Compact(w.Installed)
	return w
}

// answers are those for a namespace and for all ClusterExtensions.
func (q *question) answers(ctx context.Context, namespace string, c *resolver.Cluster) []result.Outcome {
	in := q.Inputs
	in.Cluster, in.Namespaces, in.Jointly = c, []string{namespace}, false
	return in.Resolve(ctx, q.resolver)
}
