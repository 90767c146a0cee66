// Package ranking tells, written straight from the rules, which of all minimal fixes are listed,
// and in which order.
package ranking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
)

// section tells which fixes share a limit.
func section(f *oracle.Fix) int { return [...]int{0, 0, 0, 1, 2, 2, 1}[f.Class] }

// compare is the order of fixes, but for the names of objects and values.
func compare(f, g *oracle.Fix) int {
	return cmp.Or(cmp.Compare(f.Class, g.Class), cmp.Compare(f.GivesUp, g.GivesUp), cmp.Compare(f.Risk, g.Risk), cmp.Compare(f.Changes, g.Changes),
		cmp.Compare(f.Channels, g.Channels), cmp.Compare(f.StepsLeft, g.StepsLeft), closer(f, g))
}

// closer is the order of fixes that differ in values alone.
func closer(f, g *oracle.Fix) int {
	return cmp.Or(cmp.Compare(f.Apart, g.Apart), slices.Compare(f.Kinds, g.Kinds), g.Newest.Compare(f.Newest),
		cmp.Compare(f.Channels, g.Channels), cmp.Compare(f.StepsLeft, g.StepsLeft))
}

// dominates reports whether a fix changes the same fields or fewer, is in nothing worse and
// in one better. Those that differ in closeness alone stand side by side.
func dominates(f, g *oracle.Fix) bool {
	if slices.ContainsFunc(f.Fields, func(field string) bool { return !slices.Contains(g.Fields, field) }) {
		return false
	}
	if f.GivesUp > g.GivesUp || f.Risk > g.Risk || f.Changes > g.Changes || f.Apart > g.Apart {
		return false
	}
	alike := f.GivesUp == g.GivesUp && f.Risk == g.Risk && f.Changes == g.Changes
	return !alike || f.Apart < g.Apart && len(f.Fields) < len(g.Fields)
}

// key tells which fixes stand side by side, of which the three closest are listed.
func key(f *oracle.Fix) string { return fmt.Sprint(f.Fields, f.GivesUp, f.Risk, f.Changes) }

// Check compares the fixes that are listed, by their atoms, with all minimal ones:
// none is dominated or removes what a request has installed whose catalog is not known, of
// equal ones the three closest are there, and at most five a section, in their order.
func Check(given *oracle.Problem, all []*oracle.Fix, listed []string) error {
	unknown := func(name string) bool {
		return slices.ContainsFunc(given.Subscriptions, func(s oracle.Subscription) bool {
			return s.InstalledCSV == name && !slices.ContainsFunc(given.Catalogs, func(c oracle.Catalog) bool {
				return s.Source == "" || c.Name == s.Source && (s.SourceNamespace == "" || c.Namespace == s.SourceNamespace)
			})
		})
	}
	var told []*oracle.Fix // in the order in which they are listed
	for _, atoms := range listed {
		at := slices.IndexFunc(all, func(f *oracle.Fix) bool { return strings.Join(f.Atoms, "  ") == atoms })
		if at < 0 {
			return fmt.Errorf("%q is no minimal fix", atoms)
		}
		told = append(told, all[at])
	}
	all = slices.DeleteFunc(slices.Clone(all), func(f *oracle.Fix) bool { return f.Never })
	var may []*oracle.Fix
	for _, f := range all {
		if !slices.ContainsFunc(all, func(g *oracle.Fix) bool { return dominates(g, f) || narrower(g, f) }) && !slices.ContainsFunc(f.Removes, unknown) {
			may = append(may, f)
		}
	}
	// What is equal in all that counts may change places: the rest is a matter of names.
	texts := func(list []*oracle.Fix) []string {
		var texts []string
		for _, f := range list {
			newest := f.Newest
			newest.Build = nil
			texts = append(texts, fmt.Sprint(f.Class, f.GivesUp, f.Risk, f.Changes, f.Channels, f.StepsLeft, f.Apart, f.Kinds, newest))
		}
		return texts
	}
	if want := list(may); !slices.Equal(texts(want), texts(told)) {
		text := "listed (class, requests given up, risk, changes, channels, steps left, closeness, kinds, newest):\n"
		for i, f := range told {
			text += fmt.Sprintln(texts(told)[i], f.Atoms)
		}
		text += "wanted:\n"
		for i, f := range want {
			text += fmt.Sprintln(texts(want)[i], f.Atoms)
		}
		return fmt.Errorf("%s", text)
	}
	for _, f := range told {
		if !slices.Contains(may, f) {
			return fmt.Errorf("%v is listed", f.Atoms)
		}
	}
	return nil
}

// list returns, of the fixes that may be listed, in order: of those that change the same objects and
// lead to the same the first, of the others of one key the three closest, and five a section.
func list(may []*oracle.Fix) []*oracle.Fix {
	slices.SortStableFunc(may, closer)
	alike, effects, sections := map[string]int{}, map[string]bool{}, map[int]int{}
	merged := slices.Clone(may)
	slices.SortStableFunc(merged, compare)
	merged = slices.DeleteFunc(merged, func(f *oracle.Fix) bool {
		objects := map[string]bool{}
		for _, atom := range f.Atoms {
			object, change, _ := strings.Cut(atom, "|")
			objects[object] = objects[object] || strings.HasPrefix(change, "giveUp|")
		}
		effect := fmt.Sprint(f.Class, f.Risk, objects, f.Effect, f.Follows)
		known := effects[effect]
		effects[effect] = true
		return known
	})
	slices.SortStableFunc(merged, closer)
	closest := slices.DeleteFunc(merged, func(f *oracle.Fix) bool {
		alike[key(f)]++
		return alike[key(f)] > 3
	})
	slices.SortStableFunc(closest, compare)
	return slices.DeleteFunc(closest, func(f *oracle.Fix) bool {
		sections[section(f)]++
		return sections[section(f)] > 5
	})
}

// narrower reports whether two fixes differ in a range alone, and the same happens with
// that which admits fewer versions.
func narrower(f, g *oracle.Fix) bool {
	rest := func(atoms []string) []string {
		return slices.DeleteFunc(slices.Clone(atoms), func(a string) bool { return strings.Contains(a, "|version|") })
	}
	a, b := rest(f.Atoms), rest(g.Atoms)
	return len(a) < len(f.Atoms) && slices.Equal(f.Fields, g.Fields) && slices.Equal(a, b) && f.Effect == g.Effect && f.Admits < g.Admits
}
