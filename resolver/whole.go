package resolver

import (
	"errors"
	"strings"

	"github.com/resolvent/resolvent/solver"
)

// whole is what one call solves and explains: the problem of a namespace or a
// ClusterExtension, or several namespaces as one. Bundles and groups have numbers
// of the whole.
type whole interface {
	solver.Problem
	// problems are what it is made of, in the order of their namespaces.
	problems() []*problem
	// of returns the problem that a bundle belongs to, and its number there.
	of(v solver.Var) (*problem, solver.Var)
	// root returns the request that a root stands for, the problem that it
	// belongs to, and what is added to the numbers of that problem.
	root(i int) (p *problem, r *request, base solver.Var)
	// grouped says what a group stands for; the problem is nil if that holds for
	// the whole cluster.
	grouped(g solver.Group) (*problem, groupKey)
	// resolutions turns a solution into one answer a problem.
	resolutions(s *solver.Solution) []*Resolution
}

func (p *problem) problems() []*problem                   { return []*problem{p} }
func (p *problem) of(v solver.Var) (*problem, solver.Var) { return p, v }

func (p *problem) root(i int) (*problem, *request, solver.Var) { return p, &p.requests[i], 0 }

func (p *problem) grouped(g solver.Group) (*problem, groupKey) { return p, p.universe.groups.key(g) }

func (p *problem) resolutions(s *solver.Solution) []*Resolution {
	return []*Resolution{p.resolution(s.Selected, nil)}
}

// ended returns the typed error for what ended the reading of a problem, nil if
// nothing did.
func ended(w whole) error {
	for _, p := range w.problems() {
		if p.err != nil {
			return p.stopped()
		}
	}
	return nil
}

// failure turns the solver's error into the resolver's.
func failure(w whole, err error) error {
	if unsatisfiable, ok := errors.AsType[*solver.Unsatisfiable](err); ok {
		return explain(w, unsatisfiable.Core)
	}
	if large, ok := errors.AsType[*solver.TooLarge](err); ok {
		return tooLarge(w, large.What, large.Limit)
	}
	return solverFailure(err)
}

// namespacesOf names the namespaces of a problem.
func namespacesOf(w whole) string {
	var names []string
	for _, p := range w.problems() {
		names = append(names, p.namespace)
	}
	return strings.Join(names, ", ")
}

// originOf returns where a rule of a bundle comes from, and the problem that this
// is an origin of.
func originOf(w whole, v solver.Var, rule int) (*problem, origin) {
	p, _ := w.of(v)
	return p, p.origins[w.Rules(v)[rule].Origin]
}

// ref names a bundle.
func ref(w whole, v solver.Var) BundleRef {
	p, local := w.of(v)
	return p.ref(local)
}

func refs(w whole, list []solver.Var) []BundleRef {
	refs := make([]BundleRef, len(list))
	for i, v := range list {
		refs[i] = ref(w, v)
	}
	return refs
}

// candidatesOf are the bundles that can meet the request of a root.
func candidatesOf(w whole, root int) []solver.Var {
	_, r, base := w.root(root)
	return shiftedList(r.candidates, base)
}

// among reports whether the problem is one of several namespaces that are resolved
// together. What is said of it then names its namespace.
func (p *problem) among() bool { return len(p.together) > 1 }

// here names the namespace where several are resolved together.
func (p *problem) here() string { return inNamespace(p.home()) }

// inNamespace names a namespace, if there is one to name.
func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// home is the namespace where several are resolved together, and otherwise empty.
func (p *problem) home() string {
	if !p.among() {
		return ""
	}
	return p.namespace
}
