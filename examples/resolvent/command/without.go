package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// withoutFlag is --without of status: the package whose Subscriptions go.
type withoutFlag struct{ namespace, pkg string }

// means reports whether a Subscription is one of those that go.
func (f withoutFlag) means(s cluster.Subscription) bool {
	return s.Package == f.pkg && (f.namespace == "" || s.Namespace == f.namespace)
}

// withoutPackage prints which requests would break without Subscriptions, in each namespace that has one.
func (f *statusFlags) withoutPackage(ctx context.Context, q *question, std inputs.Streams) (int, error) {
	subscriptions := q.Problem.Cluster.Objects().Subscriptions
	going := map[string][]cluster.Subscription{} // by namespace
	var known []string
	for _, s := range subscriptions {
		known = append(known, s.Package, s.Namespace+"/"+s.Package)
		if f.without.means(s) {
			going[s.Namespace] = append(going[s.Namespace], s)
		}
	}
	all := namespaces(q.Scopes)
	extensions := q.Scopes[len(all):]
	slices.SortFunc(all, cluster.Scope.Compare)
	namespaces := slices.DeleteFunc(all, func(s cluster.Scope) bool { return going[s.Name] == nil })
	if len(namespaces) == 0 {
		asked := strings.TrimPrefix(f.without.namespace+"/"+f.without.pkg, "/")
		return exitNotStarted, inputs.Usagef("--without %s: no Subscription asks for this package%s", asked, terminal.Suggestion(asked, known))
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	p := q.Problem
	p.Options.NoFixes, p.Options.Partial, p.Options.Jointly = true, false, false
	done := terminal.ShowProgress(std.Err, "resolving without "+f.without.pkg)
	after := p
	after.Cluster = f.without.removedFrom(p.Cluster)
	var list []outcomes.Without
	var left []result.Outcome
	for _, scope := range namespaces {
		w := f.without.in(scope.Name, going[scope.Name])
		scopes := slices.Concat([]cluster.Scope{scope}, extensions)
		was, is := q.resolver.ResolveAll(ctx, p, scopes), q.resolver.ResolveAll(ctx, after, scopes)
		left = append(left, is...)
		w.Compare(was, is)
		w.Leave(unmanaged(p.Cluster, after.Cluster, &w, is))
		if ctx.Err() != nil {
			break
		}
		list = append(list, w)
	}
	done()
	inputs.HintMissing(std.Err, &p, left)
	if err := outcomes.WriteWithout(page, list, f.output); err != nil {
		return exitUnresolved, err
	}
	unprinted := page.Close()
	if len(list) < len(namespaces) {
		return exitUnresolved, fmt.Errorf("stopped after %d of %s: %w", len(list), terminal.Count(len(namespaces), "namespace"), context.Cause(ctx))
	}
	return exit(slices.ContainsFunc(list, func(w outcomes.Without) bool { return w.Needed() }), unprinted)
}

// removedFrom returns a cluster without the Subscriptions and what they have installed.
func (f withoutFlag) removedFrom(c *cluster.Index) *cluster.Index {
	objects := c.Objects()
	objects.Subscriptions = slices.DeleteFunc(slices.Clone(objects.Subscriptions), f.means)
	objects.CSVs = slices.DeleteFunc(slices.Clone(objects.CSVs), func(v cluster.ClusterServiceVersion) bool {
		return slices.ContainsFunc(c.In(v.Namespace).Subscriptions, func(s cluster.Subscription) bool { return f.means(s) && s.InstalledCSV == v.Name })
	})
	return cluster.NewIndex(objects)
}

// in says what goes in a namespace: the Subscriptions.
func (f withoutFlag) in(namespace string, subscriptions []cluster.Subscription) outcomes.Without {
	var w outcomes.Without
	w.Namespace, w.Package = namespace, f.pkg
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

// unmanaged returns the kinds of custom resources that nothing provides any more, each with its last version:
// what goes owns them, and neither what stays in any namespace nor what is installed then does.
func unmanaged(before, after *cluster.Index, w *outcomes.Without, then []result.Outcome) []properties.GVK {
	kindOf := func(api properties.GVK) properties.GVK { return properties.GVK{Group: api.Group, Kind: api.Kind} }
	kinds := map[properties.GVK]string{}
	for _, csv := range before.In(w.Namespace).CSVs {
		for _, api := range csv.Provides {
			if slices.Contains(w.Installed, csv.Name) {
				kinds[kindOf(api)] = max(kinds[kindOf(api)], api.Version)
			}
		}
	}
	for _, csv := range after.Objects().CSVs {
		for _, api := range csv.Provides {
			if _, copied := csv.Labels[cluster.LabelCopiedFrom]; !copied && csv.Reason != "Copied" {
				delete(kinds, kindOf(api))
			}
		}
	}
	for _, o := range then {
		if o.Err == nil {
			for _, i := range o.Resolution.Installs {
				for _, api := range i.Properties.GVKs() {
					delete(kinds, kindOf(api))
				}
			}
		}
	}
	var left []properties.GVK
	for kind, version := range kinds {
		kind.Version = version
		left = append(left, kind)
	}
	slices.SortFunc(left, properties.GVK.Compare)
	return left
}
