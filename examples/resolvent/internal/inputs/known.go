package inputs

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// checkKnown refuses flags that do not exist, with the closest one.
func checkKnown(set *flag.FlagSet, args []string) error {
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		if !isFlag || name == "" {
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		known := set.Lookup(name)
		switch {
		case name == "h" || name == "help":
		case known == nil:
			near := terminal.Nearest(name, names)
			if near != "" {
				near = "; the nearest is " + dashed(near)
			}
			return Usagef("there is no flag %s%s", dashed(name), near)
		case !hasValue && !isBool(known):
			i++ // its value
		}
	}
	return nil
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// dashed is a flag as people write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// CheckNamespaces refuses namespaces that nothing in the cluster names.
func CheckNamespaces(asked []string, known *cluster.Index) error {
	objects, names := known.Objects(), map[string]bool{}
	for _, s := range objects.Subscriptions {
		names[s.Namespace] = true
	}
	for _, v := range objects.CSVs {
		names[v.Namespace] = true
	}
	for _, g := range objects.OperatorGroups {
		names[g.Namespace] = true
	}
	for _, c := range objects.OperatorConditions {
		names[c.Namespace] = true
	}
	for _, s := range objects.CatalogSources {
		names[s.Key.Namespace] = true
	}
	for _, n := range objects.Namespaces {
		names[n.Name] = true
	}
	for _, name := range asked {
		if !names[name] {
			return Usagef("--namespace %s: nothing that was given is in it%s", name, terminal.Suggestion(name, slices.Collect(maps.Keys(names))))
		}
	}
	return nil
}

// HintCatalogs says which catalogs the requests name that are not given, and how to give
// them: a key with a namespace too much or too little is not the same.
func HintCatalogs(stderr io.Writer, q *scenario.Question) {
	var keys []catalog.Key
	var names []string
	forExtensions := false
	for c := range q.Problem.Catalogs.Catalogs() {
		keys, names = append(keys, c.Key), append(names, c.Key.String())
		forExtensions = forExtensions || c.Key.Namespace == ""
	}
	said := map[catalog.Key]bool{}
	for _, s := range q.Problem.Cluster.Objects().Subscriptions {
		wanted := catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
		if s.Catalog == "" || said[wanted] || slices.ContainsFunc(append(slices.Clip(keys), q.Problem.Options.ExcludeCatalogs...), s.Names) {
			continue
		}
		if _, asked := slices.BinarySearchFunc(q.Scopes, s.Key().Scope(), cluster.Scope.Compare); !asked {
			continue
		}
		said[wanted] = true
		fmt.Fprintf(stderr, "catalog %s, which Subscription %s/%s names, is not given: give it with --catalog %s=FROM",
			wanted, s.Namespace, s.Name, catalog.Key{Namespace: cmp.Or(wanted.Namespace, "NAMESPACE"), Name: wanted.Name})
		near := terminal.Nearest(wanted.String(), names)
		if i := slices.IndexFunc(keys, func(k catalog.Key) bool { return k.Name == wanted.Name }); i >= 0 {
			near = names[i]
		}
		if near != "" {
			fmt.Fprintf(stderr, "; the nearest that is given is %s", near)
			if !strings.Contains(near, "/") {
				fmt.Fprint(stderr, ", which serves ClusterExtensions only")
			}
		}
		fmt.Fprintln(stderr)
	}
	serves := slices.ContainsFunc(q.Scopes, func(s cluster.Scope) bool { return s.Kind == cluster.KindExtension })
	if serves && len(keys) > 0 && !forExtensions {
		fmt.Fprintf(stderr, "no catalog is given that serves ClusterExtensions: these take catalogs without a namespace, as in --catalog %s=FROM\n", keys[0].Name)
	}
}
