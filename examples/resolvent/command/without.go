package command

import (
	"bytes"
	"context"
	"errors"
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
	var namespaces, known []string
	for _, s := range subscriptions {
		known = append(known, s.Package, s.Namespace+"/"+s.Package)
		if f.without.means(s) && slices.Contains(q.Namespaces, s.Namespace) {
			namespaces = append(namespaces, s.Namespace)
		}
	}
	if len(namespaces) == 0 {
		asked := strings.TrimPrefix(f.without.namespace+"/"+f.without.pkg, "/")
		return exitNotStarted, inputs.Usagef("--without %s: no Subscription asks for this package%s", asked, terminal.Suggestion(asked, known))
	}
	slices.Sort(namespaces)
	options := q.Options
	options.NoFixes, options.Partial = true, false
	q.resolver = resolver.New(options)
	done := terminal.ShowProgress(std.Err, "resolving without "+f.without.pkg)
	var list []outcomes.Without
	for _, namespace := range slices.Compact(namespaces) {
		list = append(list, q.removed(ctx, namespace, f.without))
	}
	done()
	if ctx.Err() != nil {
		return exitUnresolved, context.Cause(ctx)
	}
	s := terminal.StyleFor(std.Out)
	var out bytes.Buffer
	if err := outcomes.WriteWithout(&out, list, f.choice.Output, s); err != nil {
		return exitUnresolved, err
	}
	if err := s.Print(std.Out, out.Bytes(), f.choice.Output); err != nil {
		return exitUnresolved, err
	}
	if slices.ContainsFunc(list, func(w outcomes.Without) bool { return w.Needed() }) {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

// removed resolves a namespace as it is, and without Subscriptions and what they have
// installed.
func (q *question) removed(ctx context.Context, namespace string, which withoutFlag) outcomes.Without {
	w := outcomes.Without{Namespace: namespace, Package: which.pkg}
	gone := func(s cluster.Subscription) bool { return s.Namespace == namespace && which.means(s) }
	objects := q.Cluster.Objects()
	for _, s := range objects.Subscriptions {
		if gone(s) {
			w.Subscriptions = append(w.Subscriptions, s.Name)
			if s.InstalledCSV != "" {
				w.Installed = append(w.Installed, s.InstalledCSV)
			}
		}
	}
	objects.Subscriptions = slices.DeleteFunc(slices.Clone(objects.Subscriptions), gone)
	objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool {
		return v.Namespace == namespace && slices.Contains(w.Installed, v.Name)
	})
	slices.Sort(w.Subscriptions)
	slices.Sort(w.Installed)
	w.Installed = slices.Compact(w.Installed)
	was := result.Outcome{Namespace: namespace}
	was.Resolution, was.Err = q.resolver.Resolve(ctx, namespace, q.Cluster, q.Catalogs)
	is := result.Outcome{Namespace: namespace}
	is.Resolution, is.Err = q.resolver.Resolve(ctx, namespace, resolver.NewCluster(objects), q.Catalogs)
	w.Compare(was, is)
	return w
}
