package outcomes

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

// dependencyTree draws which bundle requires which, below the requested ones.
// A bundle that several require is drawn in full the first time only. It is empty
// if nothing requires anything.
func dependencyTree(r *result.Resolution) string {
	t := tree{requires: map[string][]edge{}, drawn: map[string]bool{}}
	var roots []string
	add := func(bundle string, served []result.Obligation) {
		for _, s := range served {
			if s.Bundle != "" && s.Namespace == "" {
				t.requires[s.Bundle] = append(t.requires[s.Bundle], edge{bundle, s.Constraint})
			}
		}
		// What is installed without a request has nothing above it either, nor has
		// what only other namespaces require.
		if requested(served) || !slices.ContainsFunc(served, func(s result.Obligation) bool { return s.Namespace == "" }) {
			roots = append(roots, bundle)
		}
	}
	for _, i := range r.Installs {
		add(i.Bundle.Name, i.For)
	}
	for _, k := range r.Kept {
		add(k.Bundle.Name, k.For)
	}
	for _, root := range roots {
		if len(t.requires[root]) > 0 && !t.drawn[root] {
			t.b.WriteString("  " + terminal.Plain(root) + "\n")
			t.children(root, "  ")
		}
	}
	return t.b.String()
}

// edge is a constraint of a bundle and the bundle that satisfies it.
type edge struct{ to, constraint string }

type tree struct {
	requires map[string][]edge
	drawn    map[string]bool
	b        strings.Builder
}

func (t *tree) children(bundle, indent string) {
	t.drawn[bundle] = true
	edges := t.requires[bundle]
	for i, e := range edges {
		branch, below := "├─ ", "│  "
		if i == len(edges)-1 {
			branch, below = "└─ ", "   "
		}
		t.b.WriteString(indent + branch + terminal.Plain(e.to) + ": " + terminal.Flat(e.constraint))
		if t.drawn[e.to] && len(t.requires[e.to]) > 0 {
			t.b.WriteString(" (see above)\n")
			continue
		}
		t.b.WriteByte('\n')
		t.children(e.to, indent+below)
	}
}

// requested reports whether a request is among what a bundle serves.
func requested(served []result.Obligation) bool {
	return slices.ContainsFunc(served, func(s result.Obligation) bool { return s.Bundle == "" })
}
