package main

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/result"
)

// dependencyTree draws what needs what, below the bundles that were asked for.
// A bundle that several need is drawn in full the first time only. It is empty
// if nothing needs anything.
func dependencyTree(r *result.Resolution) string {
	t := tree{needs: map[string][]edge{}, drawn: map[string]bool{}}
	var roots []string
	add := func(bundle string, served []result.Served) {
		for _, s := range served {
			if s.Bundle != "" && s.Namespace == "" {
				t.needs[s.Bundle] = append(t.needs[s.Bundle], edge{bundle, s.Constraint})
			}
		}
		// What is installed without being asked for has nothing above it either, nor
		// has what only other namespaces need.
		if requested(served) || !slices.ContainsFunc(served, func(s result.Served) bool { return s.Namespace == "" }) {
			roots = append(roots, bundle)
		}
	}
	for _, i := range r.Installs {
		add(i.Bundle, i.For)
	}
	for _, k := range r.Kept {
		add(k.Bundle, k.For)
	}
	for _, root := range roots {
		if len(t.needs[root]) > 0 && !t.drawn[root] {
			t.b.WriteString("  " + plain(root) + "\n")
			t.children(root, "  ")
		}
	}
	return t.b.String()
}

// edge is one need of a bundle and the bundle that meets it.
type edge struct{ to, constraint string }

type tree struct {
	needs map[string][]edge
	drawn map[string]bool
	b     strings.Builder
}

func (t *tree) children(bundle, indent string) {
	t.drawn[bundle] = true
	edges := t.needs[bundle]
	for i, e := range edges {
		branch, below := "├─ ", "│  "
		if i == len(edges)-1 {
			branch, below = "└─ ", "   "
		}
		t.b.WriteString(indent + branch + plain(e.to) + ": " + flat(e.constraint))
		if t.drawn[e.to] && len(t.needs[e.to]) > 0 {
			t.b.WriteString(" (see above)\n")
			continue
		}
		t.b.WriteByte('\n')
		t.children(e.to, indent+below)
	}
}
