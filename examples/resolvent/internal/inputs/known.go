package inputs

import (
	"flag"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
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
func CheckNamespaces(asked []string, known *resolver.Cluster) error {
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
