package solver_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/solver"
)

// release is a version of a package, with what it needs.
type release struct {
	pkg, version string
	needs        []need
}

func (r release) String() string { return r.pkg + " " + r.version }

// need is a range of versions of a package.
type need struct{ pkg, versions string }

// releases are all there are. A newer version stands before an older one, and so is
// preferred.
var releases = []release{
	{"web", "2.0.0", []need{{"db", ">=3.0.0"}}},
	{"web", "1.0.0", []need{{"db", ">=1.0.0"}}},
	{"auth", "1.0.0", []need{{"db", "<3.0.0"}}},
	{"db", "3.0.0", nil},
	{"db", "2.0.0", nil},
	{"db", "1.0.0", nil},
}

// candidates returns the releases that satisfy n, as variables, and words for n.
func (n need) candidates() (vars []solver.Var, words string) {
	inRange := semver.MustParseRange(n.versions)
	var others []string
	for i, r := range releases {
		switch {
		case r.pkg != n.pkg:
		case inRange(semver.MustParse(r.version)):
			vars = append(vars, solver.Var(i))
		default:
			others = append(others, r.String())
		}
	}
	words = n.pkg + " " + n.versions
	if len(others) > 0 {
		words += ", which rules out " + strings.Join(others, " and ")
	}
	return vars, words
}

// choose selects the releases that are wanted, with what they need, and prints them
// or why there are none.
func choose(wanted ...need) {
	m := new(solver.Model)
	words := map[solver.Reason]string{}
	packages := map[string][]solver.Var{}
	for _, r := range releases {
		v := m.NewVar()
		packages[r.pkg] = append(packages[r.pkg], v)
		for _, n := range r.needs {
			vars, text := n.candidates()
			words[solver.Reason{Kind: solver.KindRule, Var: v, Rule: m.Depend(v, vars...)}] = r.String() + " needs " + text
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		group := m.AtMostOne(packages[name]...)
		words[solver.Reason{Kind: solver.KindGroup, Var: solver.None, Rule: -1, Group: group}] = "only one version of " + name + " can be there"
	}
	for _, n := range wanted {
		vars, text := n.candidates()
		words[solver.Reason{Kind: solver.KindRoot, Var: solver.None, Rule: m.Root(solver.OneOf(vars...))}] = "you want " + text
	}

	solution, err := solver.Solve(context.Background(), m, solver.Options{})
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		fmt.Println("These cannot hold together:")
		for _, reason := range unsatisfiable.Core {
			fmt.Println("-", words[reason])
		}
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range solution.Selected {
		fmt.Println(releases[s.Var])
	}
}

// Versions of packages are chosen from ranges: the newest that go together, or an
// explanation by their names.
func Example_versions() {
	choose(need{"web", ">=1.0.0"}, need{"auth", ">=1.0.0"})
	fmt.Println()
	choose(need{"web", ">=2.0.0"}, need{"auth", ">=1.0.0"})
	// Output:
	// web 1.0.0
	// auth 1.0.0
	// db 2.0.0
	//
	// These cannot hold together:
	// - you want web >=2.0.0, which rules out web 1.0.0
	// - you want auth >=1.0.0
	// - web 2.0.0 needs db >=3.0.0, which rules out db 2.0.0 and db 1.0.0
	// - auth 1.0.0 needs db <3.0.0, which rules out db 3.0.0
	// - only one version of db can be there
}
